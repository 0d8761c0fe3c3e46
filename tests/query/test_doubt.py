"""An expert who errs: groups are found again, no question is put too often, and a session can be taken up."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession, Answer, simulate
from sameornot._types import Pair, Recheck
from sameornot.oracles import noisy, truth
from sameornot.query.recheck import MOST_VOTES

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE


def clear_groups(n_groups=4, n_each=20):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_groups), n_each)
    return 4.0 * rng.normal(size=(n_groups, 4))[y] + rng.normal(size=(len(y), 4)), y


def errs(y, rate=0.15, seed=0):
    return noisy(truth(y), rate, np.random.default_rng(seed))


def led(session, expert, n_answers):
    while len(session.answers) < n_answers and (pair := session.ask()) is not None:
        session.tell(expert(pair))
    return session


@cache
def in_doubt_once(n_answers, seed):
    X, y = clear_groups()
    session = led(ActiveSession(X, 4, random_state=seed), errs(y, seed=seed), n_answers)
    assert session.constraints.is_inconsistent
    return session


def in_doubt(n_answers=50, seed=0):
    """A session whose expert was seen to err, and what is true."""
    return in_doubt_once(n_answers, seed).fork(), clear_groups()[1]


@pytest.mark.parametrize("seed", range(2))
def test_groups_are_what_rows_and_answers_make_likeliest_although_one_answer_in_seven_is_wrong(seed):
    session, y = in_doubt(70, seed)
    assert adjusted_rand_score(y, session.result().labels) > 0.9


def test_a_session_with_wrong_answers_is_taken_up_where_it_was():
    session, y = in_doubt()
    again = ActiveSession(clear_groups()[0], 4, random_state=0, answers=session.answers)
    assert again.ask() == session.ask()
    np.testing.assert_array_equal(again.result().labels, session.result().labels)
    expert = errs(y, seed=7)
    for _ in range(6):
        answer = expert(session.ask())
        session.tell(answer)
        again.tell(answer)
        assert type(again.ask()) is type(session.ask())
        assert again.ask() == session.ask()


def test_taking_back_wrong_answers_leads_back():
    session, y = in_doubt()
    before = session.ask()
    led(session, errs(y, seed=3), 55)
    session.undo(5)
    assert session.ask() == before


def test_looking_at_the_groups_changes_no_question():
    """A question that is answered twice alike adds a vote and no link: the groups have to be found anew."""
    asked = []
    for looks in (False, True):
        session, y = in_doubt()
        expert = errs(y, seed=11)
        for _ in range(25):
            session.tell(expert(session.ask()))
            if looks:
                session.result()
        asked.append(session.answers)
    assert asked[0] == asked[1]


def test_no_question_is_put_more_often_than_three_times_and_the_session_ends():
    X, y = clear_groups(n_groups=3, n_each=5)
    session = led(ActiveSession(X, 3, random_state=0), errs(y, 0.2, seed=2), 400)
    assert session.ask() is None
    times = Counter(frozenset(reply.pair) for reply in session.answers)
    assert max(times.values()) <= MOST_VOTES


def test_while_groups_are_not_known_there_is_always_something_to_ask():
    """After 47 answers here, the row that would stand for a missing group was asked against all others."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(8), 15)
    X = 1.5 * rng.normal(size=(8, 6))[y] + rng.normal(size=(120, 6))
    session = led(ActiveSession(X, 8, random_state=0), errs(y, 0.1), 60)
    assert len(session.answers) == 60


def test_a_question_that_was_answered_unsure_is_not_put_again():
    session, _ = in_doubt()
    for _ in range(8):
        pair = session.ask()
        session.tell(UNSURE)
        assert set(session.ask()) != set(pair)


def test_what_is_asked_is_either_open_or_was_asked_before():
    session, y = in_doubt()
    expert = errs(y, seed=5)
    for _ in range(25):
        pair = session.ask()
        told = {frozenset(earlier) for earlier, _ in session.constraints.answers}
        assert isinstance(pair, Recheck) == (frozenset(pair) in told)
        assert isinstance(pair, Recheck) or session.constraints.relation(*pair) is None
        session.tell(expert(pair))


def test_several_people_are_asked_about_different_rows():
    session, y = in_doubt()
    pairs = session.ask(6)
    assert len({frozenset(pair) for pair in pairs}) == 6
    for pair in pairs:
        try:
            session.tell(truth(y)(pair), pair)
        except ValueError:  # it cannot be true together with a wrong one that somebody gave
            session.tell(UNSURE, pair)
    assert len(session.answers) == 56


def test_who_was_seen_to_err_may_seem_to_tell_too_many_groups_apart():
    X, y = clear_groups(n_groups=2, n_each=10)
    session = ActiveSession(X, 2, random_state=0)
    left, right = np.flatnonzero(y == 0)[:3], np.flatnonzero(y == 1)[:3]
    pair = Pair(int(left[0]), int(right[0]))
    session.tell(DIFFERENT, pair)
    session.tell(SAME, Recheck(*pair))
    session.tell(DIFFERENT, Recheck(*pair))
    third = int(left[1])
    session.tell(DIFFERENT, Pair(third, int(right[0])))
    assert session.constraints.is_inconsistent
    assert len(np.unique(session.result().labels)) == 2


def test_a_table_of_which_every_row_is_spoken_of_has_all_its_groups():
    X, y = clear_groups(n_groups=3, n_each=2)
    curve = simulate(X, y, 3, budget=60, checkpoints=[60], noise=0.3, random_state=1)
    assert 0.0 <= curve.nmi.iloc[-1] <= 1.0
