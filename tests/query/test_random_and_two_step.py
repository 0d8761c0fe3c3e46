"""The two rivals of MEE: random open pairs, and the most uncertain pairs of one clustering."""

from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot import ActiveSession, Answer, Constraints, Pair
from sameornot.cluster import AugmentedSettings
from sameornot.query import Problem
from sameornot.query.random import random
from sameornot.query.two_step import cluster_probabilities, two_step

MODULE = import_module("sameornot.query.two_step")


def unfitted_problem(X, known=None, n_clusters=2, order=None):
    """A problem whose clustering must not be needed."""

    def fit():
        raise AssertionError("this strategy learns nothing on the way")

    known = Constraints(len(X)) if known is None else known
    return Problem(
        X,
        known,
        n_clusters,
        np.arange(len(X)) if order is None else order,
        np.ones(X.shape[1]),
        AugmentedSettings(),
        fit,
    )


def test_every_open_pair_is_equally_likely_and_no_other_is_asked():
    known = Constraints(5)
    known.add((0, 1), Answer.SAME)
    known.add((1, 2), Answer.DIFFERENT)  # settles 0–2 too
    known.add((3, 4), Answer.UNSURE)
    problem = unfitted_problem(np.zeros((5, 1)), known)
    open_pairs = [(0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4)]
    n_draws = 1200
    counts = dict.fromkeys(open_pairs, 0)
    for seed in range(n_draws):
        (pair,) = list(random(problem, np.random.default_rng(seed)))
        counts[tuple(sorted(pair))] += 1
    # 200 expected of each, standard deviation 13
    assert max(abs(count - n_draws / 6) for count in counts.values()) < 5 * 13


def test_either_point_of_a_random_pair_may_be_shown_first():
    problem = unfitted_problem(np.zeros((2, 1)))
    shown = {next(random(problem, np.random.default_rng(seed))) for seed in range(20)}
    assert shown == {Pair(0, 1), Pair(1, 0)}


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=20)
def test_the_only_open_pair_among_many_is_found(seed):
    rng = np.random.default_rng(seed)
    known = Constraints(60)
    last, *others = rng.permutation(60).tolist()
    for left, right in pairwise(others):
        known.add((left, right), Answer.SAME)
    for other in others[:-1]:
        known.add((last, other), Answer.UNSURE)
    (pair,) = list(random(unfitted_problem(np.zeros((60, 1)), known), rng))
    assert set(pair) == {last, others[-1]}


@pytest.mark.parametrize("strategy", [random, two_step])
def test_one_row_has_no_pair(strategy):
    assert list(strategy(unfitted_problem(np.zeros((1, 2))), np.random.default_rng(0))) == []


def test_random_asks_nothing_when_all_is_settled():
    known = Constraints(3)
    known.add((0, 1), Answer.SAME)
    known.add((1, 2), Answer.SAME)
    assert list(random(unfitted_problem(np.zeros((3, 1)), known), np.random.default_rng(0))) == []


def test_two_step_asks_each_pair_once_nearest_to_one_half_first(monkeypatch):
    R = np.random.default_rng(0).dirichlet(np.ones(3), size=8)
    monkeypatch.setattr(MODULE, "cluster_probabilities", lambda X, n_clusters, rng: R)
    asked = list(two_step(unfitted_problem(np.zeros((8, 2)), n_clusters=3), np.random.default_rng(1)))
    doubt = [abs(R[left] @ R[right] - 0.5) for left, right in asked]
    assert doubt == sorted(doubt)
    assert sorted(tuple(sorted(pair)) for pair in asked) == [
        (i, j) for i in range(8) for j in range(i + 1, 8)
    ]


def test_two_step_breaks_ties_at_random(monkeypatch):
    certain = np.repeat(np.eye(2), 3, axis=0)
    monkeypatch.setattr(MODULE, "cluster_probabilities", lambda X, n_clusters, rng: certain)
    problem = unfitted_problem(np.zeros((6, 1)))
    first = {next(two_step(problem, np.random.default_rng(seed))) for seed in range(30)}
    assert len(first) > 10


def test_two_step_learns_nothing_from_the_answers():
    X = np.random.default_rng(0).normal(size=(9, 2))
    orders = []
    for always in (Answer.SAME, Answer.DIFFERENT, Answer.UNSURE):
        questions = two_step(unfitted_problem(X), np.random.default_rng(2))
        orders.append([next(questions), *(questions.send(always) for _ in range(35))])
    assert orders[0] == orders[1] == orders[2]


def test_two_step_of_a_large_table_keeps_to_a_random_part_of_it(monkeypatch):
    monkeypatch.setattr(MODULE, "MAX_POINTS", 4)
    X = np.random.default_rng(0).normal(size=(20, 2))
    order = np.random.default_rng(1).permutation(20)
    asked = list(two_step(unfitted_problem(X, order=order), np.random.default_rng(0)))
    assert {point for pair in asked for point in pair} == set(order[:4].tolist())
    assert len(asked) == 6


def test_a_point_on_the_border_is_asked_about_first():
    X = np.r_[np.linspace(0.0, 1.0, 10), 4.5, 5.5, np.linspace(9.0, 10.0, 10)][:, None]
    first = [next(two_step(unfitted_problem(X), np.random.default_rng(seed))) for seed in range(5)]
    assert all({10, 11} & set(pair) for pair in first)


def test_cluster_probabilities_tell_far_groups_apart():
    X = np.repeat([[0.0, 0.0], [50.0, 0.0], [0.0, 50.0]], 10, axis=0)
    X = X + np.random.default_rng(0).normal(size=X.shape)
    R = cluster_probabilities(X, 3, np.random.default_rng(0))
    np.testing.assert_allclose(R.sum(axis=1), 1.0)
    groups = R.argmax(axis=1).reshape(3, 10)
    assert (groups == groups[:, :1]).all()
    assert sorted(groups[:, 0]) == [0, 1, 2]


def test_two_step_takes_tables_with_fewer_distinct_rows_than_clusters():
    X = np.repeat([[0.0], [1.0]], 4, axis=0)
    asked = list(two_step(unfitted_problem(X, n_clusters=3), np.random.default_rng(0)))
    assert len(asked) == 28


@pytest.mark.parametrize("strategy", ["random", "two_step"])
def test_asking_to_the_end_settles_every_pair(strategy):
    X = np.random.default_rng(0).normal(size=(9, 2))
    y = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
    session = ActiveSession(X, n_clusters=3, strategy=strategy, random_state=0)
    while (pair := session.ask()) is not None:
        session.tell("same" if y[pair.left] == y[pair.right] else "different")
    for i in range(9):
        for j in range(i):
            expected = Answer.SAME if y[i] == y[j] else Answer.DIFFERENT
            assert session.constraints.relation(i, j) is expected
