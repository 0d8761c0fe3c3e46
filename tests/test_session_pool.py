"""A table that is larger than what questions are about."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession
from sameornot._pool import Pool
from sameornot._types import Pair
from sameornot.constraints import Contradiction
from sameornot.datasets import make_gaussian
from sameornot.oracles import truth
from sameornot.session import TooManyGroups

X, Y = make_gaussian(n_samples=400, n_relevant=3, random_state=0)
STRATEGIES = ("panel", "mee", "cobras")


def begin(**settings):
    return ActiveSession(X, 3, pool=60, random_state=4, **settings)


def answer(session, n_questions):
    expert = truth(Y)
    for _ in range(n_questions):
        session.tell(expert(session.ask()))
    return session


def outside(session, n_rows):
    return np.setdiff1d(np.arange(len(X)), session.pool)[:n_rows].tolist()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_questions_are_those_of_a_session_on_the_pool_alone(strategy):
    session = begin(strategy=strategy)
    assert len(session) == 400
    assert len(session.pool) == 60
    alone = ActiveSession(X[session.pool], 3, strategy=strategy, random_state=4)
    for _ in range(25):
        pair, inside = session.ask(), alone.ask()
        assert tuple(session.pool[list(inside)]) == tuple(pair)
        said = truth(Y)(pair)
        session.tell(said)
        alone.tell(said)
    mine, placed = session.result(), np.concatenate(alone.result().neighbourhoods)
    if strategy != "panel":  # which is heard about all rows in the end
        placed = np.arange(60)
    assert np.array_equal(mine.labels[session.pool[placed]], alone.result().labels[placed])
    assert np.array_equal(mine.confidence[session.pool[placed]], alone.result().confidence[placed])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_row_gets_a_group(strategy):
    result = answer(begin(strategy=strategy), 60).result()
    assert result.labels.shape == result.confidence.shape == (400,)
    assert ((result.confidence > 0) & (result.confidence <= 1)).all()
    assert adjusted_rand_score(Y, result.labels) > 0.8


def test_rows_that_the_answers_place_are_rows_of_the_table():
    session = answer(begin(), 20)
    for members in session.result().neighbourhoods:
        assert np.isin(members, session.pool).all()
        assert len(set(Y[members])) == 1
    together = {tuple(members) for members in session.constraints.groups()}
    assert len(session.result().neighbourhoods) == 3
    assert {tuple(members) for members in session.result().neighbourhoods} <= together
    assert set(session.odds()) <= set(session.pool.tolist())


def test_the_same_log_leads_to_the_same_question():
    session = answer(begin(), 17)
    again = begin(answers=session.answers)
    assert again.ask() == session.ask()
    assert np.array_equal(again.result().labels, session.result().labels)


def test_an_answer_about_other_rows_brings_them_into_the_pool():
    session = answer(begin(), 10)
    left, right = outside(session, 2)
    session.tell("same" if Y[left] == Y[right] else "different", (left, right))
    assert {left, right} <= set(session.pool.tolist())
    assert session.answers[-1].pair == Pair(left, right)
    assert begin(answers=session.answers).ask() == session.ask()


def test_undo_takes_them_out_again():
    session = answer(begin(), 10)
    log, question, rows = session.answers, session.ask(), session.pool
    session.tell("different", tuple(outside(session, 2)))
    session.undo()
    assert session.answers == log
    assert session.ask() == question
    assert np.array_equal(session.pool, rows)


def test_what_cannot_be_true_is_told_with_rows_of_the_table():
    session = answer(begin(), 12)
    a, b, c = outside(session, 3)
    session.tell("same", (a, b))
    session.tell("same", (b, c))
    question = session.ask()
    with pytest.raises(Contradiction, match=f"for {a} and {c} contradicts .* {a} and {b} are same"):
        session.tell("different", (a, c))
    assert session.ask() == question


def test_an_outside_row_that_makes_too_many_groups_leaves_no_trace():
    session = ActiveSession(X, 2, pool=40, infer_last=False, random_state=0)
    a, b, c = (int(np.setdiff1d(np.flatnonzero(kind == Y), session.pool)[0]) for kind in range(3))
    session.tell("different", (a, b))
    session.tell("unsure", (a, c))
    pool = session.pool
    session.tell("different", (a, c))
    with pytest.raises(TooManyGroups, match="differ from each other") as raised:
        session.tell("different", (b, c))
    assert {int(members[0]) for members in raised.value.groups} == {a, b, c}
    session.undo()
    assert np.array_equal(session.pool, pool)


def test_a_fork_hears_nothing_of_the_other():
    session = answer(begin(), 8)
    twin = session.fork()
    answer(twin, 5)
    assert len(session.answers) == 8
    assert session.ask() == begin(answers=session.answers).ask()


def test_several_people_are_asked_about_different_rows_of_the_pool():
    session = answer(begin(), 15)
    pairs = session.ask(4)
    assert len({pair.left for pair in pairs}) == 4
    assert np.isin(pairs, session.pool).all()


def test_the_pool_holds_at_least_a_row_for_each_group():
    assert len(ActiveSession(X, 9, pool=2, random_state=0).pool) == 9


@pytest.mark.parametrize("pool", [1, 0, -3, 2.5, "all"])
def test_a_pool_that_cannot_be_compared_is_refused(pool):
    with pytest.raises(ValueError, match="pool="):
        ActiveSession(X, 2, pool=pool)


def test_rows_that_are_not_in_the_table_are_refused():
    with pytest.raises(ValueError, match=r"pair=\(3, 400\) but points run from 0 to 399"):
        begin().tell("same", (3, 400))


def test_a_pool_of_all_rows_is_the_table():
    pool = Pool(5, 5, seed=1, rows=[3])
    assert pool.is_all
    assert pool.rows.tolist() == [0, 1, 2, 3, 4]
    assert pool.to_pool(Pair(1, 4)) == pool.to_table(Pair(1, 4)) == Pair(1, 4)


def test_unless_told_questions_are_about_all_of_a_few_thousand_rows_and_a_draw_of_more():
    rows = np.random.default_rng(0).normal(size=(3_001, 2))
    assert len(ActiveSession(rows[:3_000], 2, random_state=0).pool) == 3_000
    assert len(ActiveSession(rows, 2, random_state=0).pool) == 2_000
    assert len(ActiveSession(rows[:3_000], 2, random_state=0, pool=500).pool) == 500
