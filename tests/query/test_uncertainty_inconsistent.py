"""With an expert who errs, groups are still found, no question is asked too often, sessions resume."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession, Answer, simulate
from sameornot._types import Pair, Question
from sameornot.oracles import noisy, truth
from sameornot.query import RecheckSchedule, UncertaintySampling

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE


def clear_groups(n_groups=4, n_each=20):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_groups), n_each)
    return 4.0 * rng.normal(size=(n_groups, 4))[y] + rng.normal(size=(len(y), 4)), y


def erring(y, rate=0.15, seed=0):
    return noisy(truth(y), rate, np.random.default_rng(seed))


def answer(session, expert, n_answers):
    """The session after answers up to so many, fewer where fewer questions are left."""
    while len(session.answers) < n_answers and (pair := session.ask()) is not None:
        session.tell(expert(pair))
    return session


@cache
def inconsistent_once(n_answers, seed):
    X, y = clear_groups()
    session = answer(ActiveSession(X, 4, random_state=seed), erring(y, seed=seed), n_answers)
    assert session.constraints.is_inconsistent
    return session


def inconsistent(n_answers=50, seed=0):
    """A session with answers that contradict each other, and the true labels."""
    return inconsistent_once(n_answers, seed).fork(), clear_groups()[1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_groups_are_found_although_one_answer_in_seven_is_wrong(seed):
    session, y = inconsistent(70, seed)
    assert adjusted_rand_score(y, session.result().labels) > 0.9


@pytest.mark.slow
def test_a_session_with_wrong_answers_can_be_resumed():
    session, y = inconsistent()
    again = ActiveSession(clear_groups()[0], 4, random_state=0, answers=session.answers)
    assert again.ask() == session.ask()
    np.testing.assert_array_equal(again.result().labels, session.result().labels)
    expert = erring(y, seed=7)
    for _ in range(6):
        answer = expert(session.ask())
        session.tell(answer)
        again.tell(answer)
        assert again.ask() == session.ask()
        assert again.ask().is_recheck == session.ask().is_recheck


@pytest.mark.slow
def test_undo_of_wrong_answers_leads_back_to_the_question_before_them():
    session, y = inconsistent()
    before = session.ask()
    answer(session, erring(y, seed=3), 55)
    session.undo(5)
    assert session.ask() == before


@pytest.mark.slow
def test_looking_at_the_groups_changes_no_question():
    """A question that is answered the same twice adds a vote and no link, and yet needs a new fit."""
    asked = []
    for is_looking in (False, True):
        session, y = inconsistent()
        expert = erring(y, seed=11)
        for _ in range(25):
            session.tell(expert(session.ask()))
            if is_looking:
                session.result()
        asked.append(session.answers)
    assert asked[0] == asked[1]


@pytest.mark.slow
@pytest.mark.parametrize("max_votes", [2, 3])
def test_no_question_is_asked_more_often_than_the_schedule_says_and_the_session_ends(max_votes):
    X, y = clear_groups(n_groups=3, n_each=5)
    strategy = UncertaintySampling(recheck=RecheckSchedule(max_votes=max_votes))
    session = ActiveSession(X, 3, strategy=strategy, random_state=0)
    answer(session, erring(y, 0.2, seed=2), 400)
    assert session.ask() is None
    times = Counter(frozenset(reply.pair) for reply in session.answers)
    assert max(times.values()) <= max_votes


def test_by_default_no_question_is_asked_more_often_than_three_times():
    assert UncertaintySampling().recheck.max_votes == 3


@pytest.mark.slow
def test_while_groups_are_unknown_there_is_always_something_to_ask():
    """After 47 answers here, the row that represents an unknown group was compared with all others."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(8), 15)
    X = 1.5 * rng.normal(size=(8, 6))[y] + rng.normal(size=(120, 6))
    session = answer(ActiveSession(X, 8, random_state=0), erring(y, 0.1), 60)
    assert len(session.answers) == 60


def test_a_question_that_was_answered_unsure_is_not_asked_again():
    session, _ = inconsistent()
    for _ in range(8):
        pair = session.ask()
        session.tell(UNSURE)
        assert set(session.ask()) != set(pair)


@pytest.mark.slow
def test_every_question_is_open_or_a_recheck():
    session, y = inconsistent()
    expert = erring(y, seed=5)
    for _ in range(25):
        pair = session.ask()
        answered = {frozenset(earlier) for earlier, _ in session.constraints.answers}
        assert pair.is_recheck == (frozenset(pair) in answered)
        assert pair.is_recheck or session.constraints.relation(*pair) is None
        session.tell(expert(pair))


def test_several_people_are_asked_about_different_rows():
    session, y = inconsistent()
    pairs = session.ask(6)
    assert len({frozenset(pair) for pair in pairs}) == 6
    for pair in pairs:
        try:
            session.tell(truth(y)(pair), pair)
        except ValueError:  # it contradicts a wrong one
            session.tell(UNSURE, pair)
    assert len(session.answers) == 56


def test_inconsistent_answers_may_imply_too_many_groups():
    X, y = clear_groups(n_groups=2, n_each=10)
    session = ActiveSession(X, 2, random_state=0)
    left, right = np.flatnonzero(y == 0)[:3], np.flatnonzero(y == 1)[:3]
    pair = Pair(int(left[0]), int(right[0]))
    session.tell(DIFFERENT, pair)
    session.tell(SAME, Question(*pair, is_recheck=True))
    session.tell(DIFFERENT, Question(*pair, is_recheck=True))
    third = int(left[1])
    session.tell(DIFFERENT, Pair(third, int(right[0])))
    assert session.constraints.is_inconsistent
    assert len(np.unique(session.result().labels)) == 2


@pytest.mark.slow
def test_a_table_whose_rows_are_all_asked_about_has_a_result():
    X, y = clear_groups(n_groups=3, n_each=2)
    curve = simulate(X, y, 3, budget=60, checkpoints=[60], noise=0.3, random_state=1)
    assert 0.0 <= curve.nmi.iloc[-1] <= 1.0
