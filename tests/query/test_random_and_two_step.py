"""Two baselines: random open pairs, and the most uncertain pairs of one clustering."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_views import unfitted_view

from sameornot import ActiveSession, Answer, Constraints, Pair
from sameornot.query import RandomPairs, TwoStep
from sameornot.query.two_step import cluster_probabilities


def random_pairs(view, seed=0):
    return RandomPairs().ask(view, np.random.default_rng(seed))


def two_step(view, seed=0):
    return TwoStep().ask(view, np.random.default_rng(seed))


def test_every_open_pair_is_equally_likely_and_no_other_is_asked():
    answers = Constraints(5)
    answers.add((0, 1), Answer.SAME)
    answers.add((1, 2), Answer.DIFFERENT)  # settles 0–2 too
    answers.add((3, 4), Answer.UNSURE)
    view = unfitted_view(np.zeros((5, 1)), answers)
    open_pairs = [(0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4)]
    n_draws = 1200
    counts = dict.fromkeys(open_pairs, 0)
    for seed in range(n_draws):
        (pair,) = list(random_pairs(view, seed))
        counts[tuple(sorted(pair))] += 1
    # 200 expected of each, standard deviation 13
    assert max(abs(count - n_draws / 6) for count in counts.values()) < 5 * 13


def test_either_point_of_a_random_pair_may_be_shown_first():
    view = unfitted_view(np.zeros((2, 1)))
    shown = {next(random_pairs(view, seed)) for seed in range(20)}
    assert shown == {Pair(0, 1), Pair(1, 0)}


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=20)
def test_the_only_open_pair_among_many_is_found(seed):
    rng = np.random.default_rng(seed)
    answers = Constraints(60)
    last, *others = rng.permutation(60).tolist()
    for left, right in pairwise(others):
        answers.add((left, right), Answer.SAME)
    for other in others[:-1]:
        answers.add((last, other), Answer.UNSURE)
    (pair,) = list(RandomPairs().ask(unfitted_view(np.zeros((60, 1)), answers), rng))
    assert set(pair) == {last, others[-1]}


@pytest.mark.parametrize("strategy", [random_pairs, two_step])
def test_one_row_has_no_pair(strategy):
    assert list(strategy(unfitted_view(np.zeros((1, 2))))) == []


def test_random_asks_nothing_when_all_is_settled():
    answers = Constraints(3)
    answers.add((0, 1), Answer.SAME)
    answers.add((1, 2), Answer.SAME)
    assert list(random_pairs(unfitted_view(np.zeros((3, 1)), answers))) == []


def set_probabilities(monkeypatch, R):
    monkeypatch.setattr(
        "sameornot.query.two_step.cluster_probabilities", lambda X, n_clusters, rng, n_trees: R
    )


def test_two_step_asks_each_pair_once_nearest_to_one_half_first(monkeypatch):
    R = np.random.default_rng(0).dirichlet(np.ones(3), size=8)
    set_probabilities(monkeypatch, R)
    asked = list(two_step(unfitted_view(np.zeros((8, 2)), n_clusters=3), seed=1))
    certainty = [abs(R[left] @ R[right] - 0.5) for left, right in asked]
    assert certainty == sorted(certainty)
    assert sorted(tuple(sorted(pair)) for pair in asked) == [
        (i, j) for i in range(8) for j in range(i + 1, 8)
    ]


def test_two_step_breaks_ties_at_random(monkeypatch):
    certain = np.repeat(np.eye(2), 3, axis=0)
    set_probabilities(monkeypatch, certain)
    view = unfitted_view(np.zeros((6, 1)))
    first = {next(two_step(view, seed)) for seed in range(30)}
    assert len(first) > 10


def test_two_step_learns_nothing_from_the_answers():
    X = np.random.default_rng(0).normal(size=(9, 2))
    orders = []
    for always in (Answer.SAME, Answer.DIFFERENT, Answer.UNSURE):
        questions = two_step(unfitted_view(X), seed=2)
        orders.append([next(questions), *(questions.send(always) for _ in range(35))])
    assert orders[0] == orders[1] == orders[2]


def test_two_step_of_a_large_table_keeps_to_a_random_part_of_it():
    X = np.random.default_rng(0).normal(size=(20, 2))
    order = np.random.default_rng(1).permutation(20)
    asked = list(TwoStep(max_points=4).ask(unfitted_view(X, order=order), np.random.default_rng(0)))
    assert {point for pair in asked for point in pair} == set(order[:4].tolist())
    assert len(asked) == 6


def test_a_point_on_the_border_is_asked_about_first():
    X = np.r_[np.linspace(0.0, 1.0, 10), 4.5, 5.5, np.linspace(9.0, 10.0, 10)][:, None]
    first = [next(two_step(unfitted_view(X), seed)) for seed in range(5)]
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
    asked = list(two_step(unfitted_view(X, n_clusters=3)))
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
