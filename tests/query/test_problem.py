"""What a strategy sees: neighbourhoods, candidates, representatives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot import Answer, Constraints, Pair
from sameornot.cluster import AugmentedSettings, Clustering
from sameornot.metric.learn import Metric
from sameornot.query import Problem
from sameornot.query.sweep import sweep

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE


def problem_after(*facts, n=6, n_clusters=None, order=None, X=None, weights=None):
    X = np.arange(2.0 * n).reshape(n, 2) if X is None else X
    known = Constraints(len(X))
    for left, right, answer in facts:
        known.add((left, right), answer)
    metric = Metric(np.ones(X.shape[1]), np.ones(X.shape[1]) if weights is None else weights)
    clustering = Clustering(np.zeros(len(X), dtype=int), np.zeros((1, X.shape[1])), metric, 1)
    order = np.arange(len(X)) if order is None else np.asarray(order)
    return Problem(X, known, n_clusters, order, np.ones(X.shape[1]), AugmentedSettings(), lambda: clustering)


def members(problem):
    return [hood.tolist() for hood in problem.hoods]


def test_before_the_first_answer_the_first_point_in_order_is_a_neighbourhood():
    problem = problem_after(order=[4, 2, 0, 1, 3, 5])
    assert members(problem) == [[4]]
    assert problem.placed.tolist() == [False, False, False, False, True, False]
    assert sorted(problem.candidates()) == [0, 1, 2, 3, 5]


def test_the_first_neighbourhood_moves_on_from_a_point_put_aside_with_all_others():
    aside = [(4, other, UNSURE) for other in (0, 1, 2, 3, 5)]
    assert members(problem_after(*aside, order=[4, 2, 0, 1, 3, 5])) == [[2]]


def test_nothing_is_left_when_every_pair_was_put_aside():
    aside = [(i, j, UNSURE) for i in range(4) for j in range(i)]
    problem = problem_after(*aside, n=4)
    assert members(problem) == []
    assert len(problem.candidates()) == 0


def test_one_row_leaves_nothing_to_place():
    assert len(problem_after(n=1).candidates()) == 0


def test_neighbourhoods_are_those_of_the_answers():
    problem = problem_after((0, 1, SAME), (1, 2, DIFFERENT), (3, 4, UNSURE))
    assert members(problem) == [[0, 1], [2]]
    assert problem.placed.tolist() == [True, True, True, False, False, False]


def test_there_are_never_more_neighbourhoods_than_clusters():
    facts = [(i, j, DIFFERENT) for i in range(3) for j in range(i)]
    assert members(problem_after(*facts, n_clusters=2)) == [[0], [1]]


def test_ruled_out_is_what_the_closure_says_of_the_whole_group():
    problem = problem_after((0, 1, SAME), (1, 2, DIFFERENT), (3, 4, SAME), (4, 2, DIFFERENT))
    hood_of_2 = members(problem).index([2])
    expected = np.zeros((6, len(problem.hoods)), dtype=bool)
    for m, hood in enumerate(members(problem)):
        for i in range(6):
            expected[i, m] = problem.constraints.relation(i, hood[0]) is DIFFERENT
    np.testing.assert_array_equal(problem.ruled_out, expected)
    assert problem.ruled_out[3, hood_of_2]  # by 3 = 4 ≠ 2
    assert not problem.ruled_out[5].any()


def test_points_with_fewer_unsure_answers_come_first():
    facts = [(0, 1, SAME), (2, 0, UNSURE), (2, 1, UNSURE), (3, 0, UNSURE), (4, 1, UNSURE)]
    assert problem_after(*facts).candidates().tolist() == [5]
    facts.append((5, 0, SAME))
    assert problem_after(*facts).candidates().tolist() == [3, 4]


def test_a_point_put_aside_with_all_it_could_be_asked_against_is_no_candidate():
    facts = [(0, 1, SAME), (2, 0, UNSURE), (2, 1, UNSURE), (3, 0, SAME), (4, 0, SAME), (5, 0, SAME)]
    assert problem_after(*facts).candidates().tolist() == [2]  # 3, 4 and 5 can still be shown beside it
    facts += [(2, 3, UNSURE), (2, 4, UNSURE), (2, 5, UNSURE)]
    assert len(problem_after(*facts).candidates()) == 0


def test_a_neighbourhood_that_is_ruled_out_cannot_be_asked_against():
    facts = [(0, 1, DIFFERENT), (2, 0, UNSURE), (2, 1, DIFFERENT)]
    facts += [(i, 1, SAME) for i in (3, 4, 5)]
    assert len(problem_after(*facts).candidates()) == 0


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=20)
def test_the_representative_is_the_member_nearest_to_the_mean_under_the_metric(seed):
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(7, 3)), rng.exponential(size=3)
    problem = problem_after(*[(0, i, SAME) for i in range(1, 6)], X=X, weights=weights)
    mean = X[:6].mean(axis=0)
    nearest = min(range(6), key=lambda i: np.sum(weights * (X[i] - mean) ** 2))
    assert problem.representative(0, 6) == nearest


def test_a_member_put_aside_with_the_point_does_not_represent():
    X = np.array([[0.0], [1.0], [2.1], [9.0]])
    hood = [(0, 1, SAME), (1, 2, SAME)]
    assert problem_after(*hood, X=X).representative(0, 3) == 1
    assert problem_after(*hood, (3, 1, UNSURE), X=X).representative(0, 3) in (0, 2)
    aside = [(3, i, UNSURE) for i in range(3)]
    assert problem_after(*hood, *aside, X=X).representative(0, 3) is None


def test_a_sweep_goes_from_the_likeliest_neighbourhood_down_until_same():
    facts = [(0, 1, DIFFERENT), (0, 2, DIFFERENT), (1, 2, DIFFERENT)]
    problem = problem_after(*facts, X=np.arange(6.0)[:, None])
    questions = sweep(problem, 5, np.array([0.2, 0.1, 0.7]))
    assert next(questions) == Pair(5, 2)
    assert questions.send(DIFFERENT) == Pair(5, 0)
    assert questions.send(UNSURE) == Pair(5, 1)
    with pytest.raises(StopIteration):
        questions.send(SAME)


def test_a_sweep_leaves_out_a_neighbourhood_that_is_put_aside_as_a_whole():
    facts = [(0, 1, DIFFERENT), (5, 0, UNSURE)]
    assert list(sweep(problem_after(*facts), 5, np.array([0.9, 0.1]))) == [Pair(5, 1)]
