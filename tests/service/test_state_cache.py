"""States by log prefix: made once, from the one before, and never evicted while they are in use."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from array_rows import ArrayRows

from sameornot import Answer, Pair
from sameornot._types import Reply
from sameornot.constraints import Contradiction
from sameornot.datasets import make_gaussian
from sameornot.oracles import truth
from sameornot.service import state_cache
from sameornot.service.log_key import LogKey
from sameornot.service.session_state import SessionFactory, replay
from sameornot.service.state_cache import StateCache

X, TRUTH = make_gaussian(n_samples=30, n_relevant=2, random_state=0)
FACTORY = SessionFactory(ArrayRows(X), 30, 0)
N_PEOPLE = 8


@pytest.fixture
def states():
    return StateCache(FACTORY, n_kept=2)


@pytest.fixture
def executor():
    with ThreadPoolExecutor(1) as executor:
        yield executor


def after(state, answer, pair=None):
    """The key after an answer to the question of a state, or about a pair."""
    question = state.question
    shown = Pair(*question) if pair is None else pair
    is_recheck = question.is_recheck if pair is None else False
    return state.key.then(Reply(shown, answer, state.session.step, is_recheck))


def answer_many(states, n_answers):
    state = states.get(LogKey.of(3))
    for _ in range(n_answers):
        state = states.get(after(state, truth(TRUTH)(state.question)))
    return state


def test_a_state_is_made_once(states):
    state = states.get(LogKey.of(3))
    assert states.get(LogKey.of(3)) is state
    assert states.peek(LogKey.of(3)) is state
    assert states.peek(LogKey.of(2)) is None


def test_many_threads_that_want_a_state_get_the_same_one(states):
    key, found = LogKey.of(3), []
    threads = [threading.Thread(target=lambda: found.append(states.get(key))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len(set(map(id, found))) == 1


def test_a_state_from_the_cache_equals_one_that_was_replayed(states):
    state = answer_many(states, 7)
    replayed = replay(FACTORY, state.key)
    assert state.question == replayed.question
    assert state.result.labels.tolist() == replayed.result.labels.tolist()
    assert state.group_numbers == replayed.group_numbers


def test_of_the_states_that_are_not_in_use_the_latest_are_kept(states):
    state = answer_many(states, 4)
    kept = [key for key in state.key.prefixes() if states.peek(key) is not None]
    assert [key.n_answers for key in kept] == [4, 3, 2]


def test_the_state_in_use_stays_while_follow_ups_are_prepared_for_many_people(states, executor):
    state = answer_many(states, 2)
    rows = iter(range(30))
    pairs = [Pair(next(rows), next(rows)) for _ in range(N_PEOPLE)]
    wanted = [after(state, answer, pair) for answer in Answer for pair in pairs]
    states.prepare(state.key, wanted, executor)
    executor.submit(int).result()  # after all that was prepared
    assert states.peek(state.key) is state
    is_true = [states.peek(key) is not None for key in wanted]
    assert sum(is_true) >= len(wanted) - 3  # some may contradict the first answers: they have no state
    for n in range(3):
        states.get(LogKey.of(2 + n))
    assert states.peek(state.key) is state
    assert [states.peek(key) is not None for key in wanted] == is_true


def test_what_is_no_longer_wanted_is_not_made(states, executor):
    gate = threading.Event()
    executor.submit(gate.wait)
    state = states.get(LogKey.of(3))
    first, second = after(state, Answer.SAME), after(state, Answer.DIFFERENT)
    states.prepare(state.key, [first, second], executor)
    states.prepare(state.key, [second], executor)
    gate.set()
    executor.submit(int).result()
    assert states.peek(first) is None
    assert states.peek(second) is not None


def test_who_needs_a_state_that_waits_to_be_prepared_makes_it_herself(states, executor):
    gate = threading.Event()
    executor.submit(gate.wait)
    state = states.get(LogKey.of(3))
    key = after(state, Answer.SAME)
    states.prepare(state.key, [key], executor)
    assert states.get(key).key == key
    gate.set()


def test_an_answer_that_cannot_be_true_is_found_before_it_is_stored(states):
    state = states.get(LogKey.of(3))
    for pair in (Pair(0, 1), Pair(1, 2)):
        state = states.get(after(state, Answer.SAME, pair))
    false = after(state, Answer.DIFFERENT, Pair(0, 2))
    with pytest.raises(Contradiction):
        states.check(false)
    with pytest.raises(Contradiction):  # also where nothing is at hand
        StateCache(FACTORY).check(false)
    states.check(after(state, Answer.DIFFERENT, Pair(0, 3)))
    assert states.peek(false) is None


def test_an_answer_that_cannot_be_true_is_ignored_where_it_is_in_the_log(states):
    state = states.get(LogKey.of(3))
    for pair in (Pair(0, 1), Pair(1, 2)):
        state = states.get(after(state, Answer.SAME, pair))
    false = after(state, Answer.DIFFERENT, Pair(0, 2))
    found = states.get(false)
    assert found.ignored == (false.reply,)
    with pytest.raises(Contradiction):
        states.check(false)
    states.check(false, ignored=found.ignored)
    longer = after(found, Answer.SAME, Pair(5, 6))
    states.check(longer, ignored=found.ignored)
    assert states.get(longer).ignored == found.ignored


def test_the_question_beside_others_is_chosen_once(states):
    state = answer_many(states, 3)
    assert states.ask_beside(state.key, []) is state.question
    beside = states.ask_beside(state.key, [Pair(*state.question)])
    assert beside.left != state.question.left
    assert states.ask_beside(state.key, [Pair(*state.question)]) is beside


@pytest.mark.slow
def test_churn_is_known_at_once_and_recalled_one_by_one(states):
    state = answer_many(states, 14)
    fresh = StateCache(FACTORY)
    resumed = fresh.get(state.key)
    assert [n for n, _ in fresh.churn(resumed)] == [14]
    while fresh.recall_labels(state.key):
        pass
    expected = StateCache(FACTORY)
    for prefix in reversed(list(state.key.prefixes())):
        expected.churn(expected.get(prefix))
    assert fresh.churn(resumed) == expected.churn(expected.get(state.key))
    assert [n for n, _ in fresh.churn(resumed)] == [10, 11, 12, 13, 14]


def test_a_failure_is_not_kept(states):
    class Broken(ArrayRows):
        is_broken = True

        def take(self, rows):
            if self.is_broken:
                raise OSError("the disk is gone")
            return super().take(rows)

    source = Broken(X)
    states = StateCache(SessionFactory(source, 30, 0))
    with pytest.raises(OSError, match="gone"):
        states.get(LogKey.of(3))
    source.is_broken = False
    assert len(states.get(LogKey.of(3)).result.labels) == len(np.unique(states.get(LogKey.of(3)).rows))


def test_with_eight_people_every_state_is_made_from_the_one_before_it(executor, monkeypatch):
    replayed = []
    monkeypatch.setattr(state_cache, "replay", lambda *given: replayed.append(given) or replay(*given))
    states = StateCache(FACTORY)
    state = states.get(LogKey.of(3))
    begun, same = len(replayed), truth(TRUTH)
    for turn in range(16):  # each looks at a question of her own, and answers while seven others look
        pending = [Pair(row, row + 15) for row in range(turn % 8)]
        question = states.ask_beside(state.key, pending) or state.question
        if question is None:
            break
        wanted = [after(state, answer, question) for answer in Answer]
        states.prepare(state.key, wanted, executor)
        state = states.get(after(state, same(question), question))
    assert turn >= 8
    assert (begun, len(replayed)) == (1, 1)
