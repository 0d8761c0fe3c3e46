"""The state of a session is the same however it was reached."""

import numpy as np
import pytest
from array_rows import ArrayRows

from sameornot import Answer, Pair
from sameornot._types import Reply
from sameornot.constraints import Contradiction
from sameornot.datasets import make_gaussian
from sameornot.oracles import noisy, truth
from sameornot.service.group_numbers import GroupNumbers
from sameornot.service.log_key import LogKey
from sameornot.service.session_state import (
    SessionFactory,
    advance,
    begin_advance,
    can_advance,
    replay,
)

X, TRUTH = make_gaussian(n_samples=40, n_relevant=3, random_state=1)
FACTORY = SessionFactory(ArrayRows(X), 40, 0)


def reply_to(state, answer):
    return Reply(Pair(*state.question), answer, state.session.step, state.question.is_recheck)


def begin(n_clusters=3, factory=FACTORY):
    return replay(factory, LogKey.of(n_clusters))


def answered(state, answer):
    return advance(state, state.key.then(reply_to(state, answer)))


def check_equal(state, other):
    assert state.key == other.key
    assert state.question == other.question
    assert state.question.is_recheck == other.question.is_recheck
    assert state.question.proba == pytest.approx(other.question.proba)
    assert state.numbers.numbers.tolist() == other.numbers.numbers.tolist()
    assert state.group_numbers == other.group_numbers
    assert (state.result.labels == other.result.labels).all()
    assert state.is_placed.tolist() == other.is_placed.tolist()
    assert state.ignored == other.ignored


@pytest.mark.slow
@pytest.mark.parametrize("n_clusters", [3, None])
def test_a_state_that_advanced_equals_one_that_was_replayed(n_clusters):
    oracle = truth(TRUTH)
    state = begin(n_clusters)
    for n in range(18):
        state = answered(state, Answer.UNSURE if n % 7 == 3 else oracle(state.question))
        if n % 3 == 0:
            check_equal(state, replay(FACTORY, state.key))


@pytest.mark.slow
def test_with_wrong_answers_a_state_is_the_same_however_it_was_reached():
    oracle = noisy(truth(TRUTH), 0.2, np.random.default_rng(2))
    state = begin()
    for n in range(36):
        state = answered(state, oracle(state.question))
        if n > 18 and n % 6 == 0:
            check_equal(state, replay(FACTORY, state.key))
    assert state.session.constraints.is_inconsistent
    groups = state.result.neighbourhoods
    assert len(set(state.group_numbers)) == len(state.group_numbers) >= len(groups)
    for m, members in enumerate(groups):
        assert set(state.result.labels[members].tolist()) == {m}


def test_a_state_is_not_changed_by_what_follows_it():
    state = begin()
    question = Pair(*state.question)
    for answer in Answer:
        answered(state, answer)
    assert state.session.answers == []
    assert state.session.ask() == question


def test_a_session_that_was_told_the_answer_leads_to_the_same_state():
    state = begin()
    key = state.key.then(reply_to(state, Answer.DIFFERENT))
    told = begin_advance(state, key.reply)
    check_equal(advance(state, key, told), advance(state, key))


def test_only_an_answer_of_the_same_step_can_follow():
    state = begin()
    reply = reply_to(state, Answer.SAME)
    assert can_advance(state, state.key.then(reply))
    assert not can_advance(state, state.key.then(reply._replace(step=reply.step + 1)))
    assert not can_advance(state, state.key.then(reply).then(reply))
    assert not can_advance(state, state.key)


def test_an_answer_that_cannot_be_true_is_refused_or_ignored():
    state = begin(None)
    for pair in (Pair(0, 1), Pair(1, 2)):
        state = advance(state, state.key.then(Reply(pair, Answer.SAME, state.session.step)))
    false = Reply(Pair(0, 2), Answer.DIFFERENT, state.session.step)
    with pytest.raises(Contradiction) as error:
        begin_advance(state, false)
    assert [pair for pair, _ in error.value.chain] == [(0, 1), (1, 2)]
    last = Reply(Pair(3, 4), Answer.SAME, state.session.step)
    replayed = replay(FACTORY, state.key.then(false).then(last))
    assert replayed.ignored == (false,)
    assert [reply.pair for reply in replayed.session.answers] == [(0, 1), (1, 2), (3, 4)]


def test_numbers_stay_with_their_group():
    oracle = truth(TRUTH)
    state = begin()
    seen = {}
    for _ in range(25):
        state = answered(state, oracle(state.question))
        numbers = state.group_numbers
        assert len(set(numbers)) == len(numbers)
        for members, number in zip(state.result.neighbourhoods, numbers, strict=False):
            kind = TRUTH[members[0]]
            assert seen.setdefault(number, kind) == kind


def test_groups_that_turn_out_to_be_one_keep_the_lowest_number_and_none_is_given_twice():
    numbers = GroupNumbers.none(np.arange(10, 20))
    numbers = numbers.extended([np.array([12]), np.array([10])])
    assert numbers.numbers.tolist() == [1, 0, 2, 0, 0, 0, 0, 0, 0, 0]
    numbers = numbers.extended([np.array([10]), np.array([12, 13]), np.array([15])])
    numbers = numbers.extended([np.array([12, 13, 15]), np.array([10])])
    assert numbers.numbers.tolist() == [1, 0, 2, 2, 0, 2, 0, 0, 0, 0]
    numbers = numbers.extended([np.array([10]), np.array([13]), np.array([12]), np.array([19])])
    assert numbers.numbers.tolist() == [1, 0, 2, 3, 0, 2, 0, 0, 0, 4]
    assert numbers.of_labels([np.array([19]), np.array([12, 15])], 3) == [4, 2, 1]


def test_numbers_are_kept_when_the_pool_grows():
    numbers = GroupNumbers(np.array([3, 7]), np.array([2, 1])).on(np.array([3, 5, 7]))
    assert numbers.numbers.tolist() == [2, 0, 1]


def test_states_speak_of_rows_of_the_table():
    available = np.arange(1, 40, 2)
    state = begin(factory=SessionFactory(ArrayRows(X, available), 12, 0))
    for _ in range(6):
        state = answered(state, truth(TRUTH)(state.question))
    assert len(state.rows) == 12
    assert set(state.rows.tolist()) <= set(available.tolist())
    named = {row for reply in state.session.answers for row in reply.pair}
    assert set(np.concatenate(state.result.neighbourhoods).tolist()) <= named
    placed = state.rows[state.is_placed]
    assert placed.tolist() == sorted(np.concatenate(state.result.neighbourhoods).tolist())
    outside = int(np.setdiff1d(available, state.rows)[0])
    assert not state.has_row(outside)
    grown = advance(
        state, state.key.then(Reply(Pair(outside, int(placed[0])), Answer.SAME, state.session.step))
    )
    assert grown.has_row(outside)
    assert len(grown.numbers.numbers) == 13


def test_the_question_for_one_more_person_is_about_another_point():
    oracle = truth(TRUTH)
    state = begin()
    for _ in range(8):
        state = answered(state, oracle(state.question))
        pending = [Pair(*state.question)]
        for _ in range(3):
            beside = state.session.ask_beside(pending)
            assert beside.left not in {pair.left for pair in pending}
            assert state.session.relation(*beside) is None
            pending.append(Pair(*beside))
    assert state.session.ask() == state.question


def test_nothing_is_left_beside_the_only_question():
    state = begin(None, SessionFactory(ArrayRows(X[:2]), 2, 0))
    pair = Pair(*state.question)
    assert state.session.ask_beside([pair]) is None
    assert state.session.ask_beside([Pair(*reversed(pair))]) is None
