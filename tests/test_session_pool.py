"""Questions about a large table are about the rows of a bounded pool; all rows get a group."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from made_sessions import answer_all
from sameornot import ActiveSession, Contradiction, Pair, TooManyGroups
from sameornot.datasets import make_gaussian
from sameornot.oracles import truth
from sameornot.query import COBRASQuestions, MinimumExpectedEntropy, UncertaintySampling
from sameornot.session.pool import Pool

X, Y = make_gaussian(n_samples=400, n_relevant=3, random_state=0)
STRATEGIES = {
    "uncertainty": UncertaintySampling(),
    "mee": MinimumExpectedEntropy(n_trees=5),
    "cobras": COBRASQuestions(),
}
each_strategy = pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=STRATEGIES)


def begin(**options):
    return ActiveSession(X, 3, pool=60, random_state=4, **options)


def begin_and_answer(n_questions, **options):
    session = begin(**options)
    assert len(answer_all(session, truth(Y), n_questions)) == n_questions
    return session


def outside(session, n_rows):
    return np.setdiff1d(np.arange(len(X)), session.pool)[:n_rows].tolist()


@each_strategy
def test_questions_and_groups_are_those_of_a_session_on_the_pool_alone(strategy):
    session = begin(strategy=strategy)
    assert len(session) == 400
    assert len(session.pool) == 60
    alone = ActiveSession(X[session.pool], 3, strategy=strategy, random_state=4)
    for _ in range(25):
        question, inside = session.ask(), alone.ask()
        assert tuple(session.pool[list(inside)]) == tuple(question)
        assert question.is_recheck == inside.is_recheck
        assert question.proba == {int(session.pool[row]): p for row, p in inside.proba.items()}
        answer = truth(Y)(question)
        session.tell(answer)
        alone.tell(answer)
    found, expected = session.result(), alone.result()
    assert np.array_equal(found.labels[session.pool], expected.labels)
    assert np.array_equal(found.confidence[session.pool], expected.confidence)


@each_strategy
@pytest.mark.parametrize("n_answers", [0, 7, 25])
def test_about_rows_of_the_pool_there_is_one_truth(strategy, n_answers):
    session = begin_and_answer(n_answers, strategy=strategy)
    of_pool, of_all, final = session.pool_result(), session.result(), session.final_labels()
    assert of_pool.labels.shape == of_pool.confidence.shape == (60,)
    assert np.array_equal(of_all.labels[session.pool], of_pool.labels)
    assert np.array_equal(of_all.confidence[session.pool], of_pool.confidence)
    at = np.searchsorted(final.rows, session.pool)
    assert np.array_equal(final.rows[at], session.pool)
    assert np.array_equal(final.labels[at], of_pool.labels)
    assert np.array_equal(final.confidence[at], of_pool.confidence)
    for about_pool, about_all in zip(of_pool.neighbourhoods, of_all.neighbourhoods, strict=True):
        assert np.array_equal(about_pool, about_all)
    assert of_pool.agreement == of_all.agreement


@each_strategy
def test_rows_beyond_the_final_labels_are_predicted_by_their_clustering(strategy):
    session = begin_and_answer(25, strategy=strategy)
    final, result = session.final_labels(), session.result()
    np.testing.assert_array_equal(final.X, X[final.rows])
    np.testing.assert_array_equal(result.labels[final.rows], final.labels)
    np.testing.assert_array_equal(result.confidence[final.rows], final.confidence)
    rest = np.setdiff1d(np.arange(400), final.rows)
    if len(rest):
        np.testing.assert_array_equal(result.labels[rest], final.clustering.predict(X[rest]))
    assert result.clustering is final.clustering


@each_strategy
def test_every_row_gets_a_group(strategy):
    result = begin_and_answer(60, strategy=strategy).result()
    assert result.labels.shape == result.confidence.shape == (400,)
    assert ((result.confidence > 0) & (result.confidence <= 1)).all()
    assert adjusted_rand_score(Y, result.labels) > 0.8


def test_row_numbers_are_those_of_the_table():
    session = begin_and_answer(20)
    for members in session.result().neighbourhoods:
        assert np.isin(members, session.pool).all()
        assert len(set(Y[members])) == 1
    groups = {tuple(members) for members in session.constraints.groups()}
    assert len(session.result().neighbourhoods) == 3
    assert {tuple(members) for members in session.result().neighbourhoods} <= groups
    assert {tuple(members) for members in session.known_groups()} <= groups
    assert set(session.ask().proba) <= set(session.pool.tolist())
    assert set(session.answer_proba()) == {reply.pair for reply in session.answers}
    assert all(session.is_settled(reply.pair) for reply in session.answers)
    assert not session.is_settled(outside(session, 2))


def test_the_same_log_leads_to_the_same_question():
    session = begin_and_answer(17)
    again = begin(answers=session.answers)
    assert again.ask() == session.ask()
    assert np.array_equal(again.result().labels, session.result().labels)


def test_an_answer_about_other_rows_adds_them_to_the_pool():
    session = begin_and_answer(10)
    left, right = outside(session, 2)
    session.tell("same" if Y[left] == Y[right] else "different", (left, right))
    assert {left, right} <= set(session.pool.tolist())
    assert session.answers[-1].pair == Pair(left, right)
    assert session.is_settled((left, right))
    assert begin(answers=session.answers).ask() == session.ask()


def test_undo_removes_them_from_the_pool():
    session = begin_and_answer(10)
    log, question, rows = session.answers, session.ask(), session.pool
    session.tell("different", tuple(outside(session, 2)))
    session.undo()
    assert session.answers == log
    assert session.ask() == question
    assert np.array_equal(session.pool, rows)


def test_a_contradiction_names_rows_of_the_table():
    session = begin_and_answer(12)
    a, b, c = outside(session, 3)
    session.tell("same", (a, b))
    session.tell("same", (b, c))
    question = session.ask()
    with pytest.raises(Contradiction, match=f"for {a} and {c} contradicts .* {a} and {b} are same"):
        session.tell("different", (a, c))
    assert session.ask() == question


def test_an_outside_row_that_makes_too_many_groups_changes_nothing():
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


def test_a_fork_and_its_session_are_independent():
    session = begin_and_answer(8)
    fork = session.fork()
    answer_all(fork, truth(Y), 5)
    fork.tell("unsure", tuple(outside(session, 2)))
    assert len(session.answers) == 8
    assert len(session.pool) == 60
    assert session.ask() == begin(answers=session.answers).ask()
    assert fork.ask() == begin(answers=fork.answers).ask()


def test_several_people_are_asked_about_different_rows_of_the_pool():
    session = begin_and_answer(15)
    pairs = session.ask(4)
    assert len({pair.left for pair in pairs}) == 4
    assert np.isin(pairs, session.pool).all()


def test_the_pool_holds_at_least_a_row_for_each_group():
    assert len(ActiveSession(X, 9, pool=2, random_state=0).pool) == 9


@pytest.mark.parametrize("pool", [1, 0, -3, 2.5, "all"])
def test_a_pool_without_a_pair_is_refused(pool):
    with pytest.raises(ValueError, match="pool="):
        ActiveSession(X, 2, pool=pool)


def test_rows_that_are_not_in_the_table_are_refused():
    with pytest.raises(ValueError, match=r"pair=\(3, 400\) but points run from 0 to 399"):
        begin().tell("same", (3, 400))


def test_a_pool_of_all_rows_is_the_table():
    pool = Pool(5, 5, seed=1, rows=[3])
    assert pool.is_all
    assert pool.rows.tolist() == [0, 1, 2, 3, 4]
    assert pool.positions(Pair(1, 4)) == pool.table_rows(Pair(1, 4)) == Pair(1, 4)


def test_rows_of_a_pool_and_their_positions_are_inverse():
    pool = Pool(100, 10, seed=0, rows=[99])
    for at, row in enumerate(pool.rows.tolist()):
        assert pool.position[row] == at
        assert pool.table_rows(pool.positions(Pair(row, 99))) == Pair(row, 99)


@pytest.mark.parametrize("n_available", [4, 40])
def test_named_rows_are_in_the_pool_although_they_cannot_be_drawn(n_available):
    pool = Pool(100, 10, seed=0, rows=[99], among=np.arange(n_available))
    assert pool.rows.tolist()[-1] == 99
    assert (pool.rows[:-1] < n_available).all()
    assert len(pool) == min(n_available, 10) + 1


def test_by_default_the_pool_is_all_of_up_to_3000_rows_and_a_sample_of_2000_of_more():
    rows = np.random.default_rng(0).normal(size=(3_001, 2))
    assert len(ActiveSession(rows[:3_000], 2, random_state=0).pool) == 3_000
    assert len(ActiveSession(rows, 2, random_state=0).pool) == 2_000
    assert len(ActiveSession(rows[:3_000], 2, random_state=0, pool=500).pool) == 500
