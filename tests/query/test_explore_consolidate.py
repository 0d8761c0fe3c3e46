"""Explore finds the groups by farthest-first traversal, Consolidate fills them at random."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_views import view_after

from sameornot import ActiveSession, Answer, Pair
from sameornot.oracles import truth
from sameornot.query import ExploreConsolidate
from sameornot.query.explore import farthest, to_centroids, to_nearest_members

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE


def questions_about(view, seed=0):
    return ExploreConsolidate().ask(view, np.random.default_rng(seed))


def first_points(view, n_seeds=60):
    """The points that may be asked about next."""
    return {next(questions_about(view, seed)).left for seed in range(n_seeds)}


LINE = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]])


def random_view(seed, n_groups=3, n=12, offset=0.0):
    rng = np.random.default_rng(seed)
    facts = [(m, m + n_groups, SAME) for m in range(n_groups)]
    facts += [(a, b, DIFFERENT) for a in range(n_groups) for b in range(a)]
    X, weights = rng.normal(size=(n, 3)) + offset, rng.exponential(size=3)
    return view_after(*facts, X=X, weights=weights), X * np.sqrt(weights)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e6]))
def test_distances_to_neighbourhoods_are_those_of_the_metric(seed, offset):
    view, space = random_view(seed, offset=offset)
    points = np.arange(6, 12)
    nearest = [
        [min(((space[i] - space[j]) ** 2).sum() for j in members) for members in view.neighbourhoods]
        for i in points
    ]
    np.testing.assert_allclose(to_nearest_members(view, points), nearest, rtol=1e-6)
    centroid = [
        [((space[i] - space[members].mean(axis=0)) ** 2).sum() for members in view.neighbourhoods]
        for i in points
    ]
    found = [to_centroids(view, point) for point in points.tolist()]
    np.testing.assert_allclose(found, centroid, rtol=1e-6)


@given(st.integers(0, 2**32 - 1))
def test_the_farthest_point_is_farthest_from_its_nearest_placed_point(seed):
    view, space = random_view(seed)
    best = max(range(6, 12), key=lambda i: min(((space[i] - space[j]) ** 2).sum() for j in range(6)))
    assert farthest(view, np.arange(6, 12), np.random.default_rng(0)) == best


def test_exploring_asks_about_the_farthest_point_against_the_nearest_centroid_first():
    facts = [(0, 2, DIFFERENT)]
    questions = questions_about(view_after(*facts, X=LINE, n_clusters=3))
    assert next(questions) == Pair(5, 2)
    assert questions.send(DIFFERENT) == Pair(5, 0)
    with pytest.raises(StopIteration):
        questions.send(DIFFERENT)


def test_the_metric_decides_what_is_far():
    X = [[0.0, 0.0], [9.0, 1.0], [1.0, 5.0]]
    assert first_points(view_after(X=X, n_clusters=2)) == {1}
    assert first_points(view_after(X=X, n_clusters=2, weights=[0.0, 1.0])) == {2}


def test_consolidation_takes_any_point_once_all_groups_are_known():
    facts = [(0, 2, DIFFERENT), (2, 4, DIFFERENT), (0, 4, DIFFERENT)]
    assert first_points(view_after(*facts, X=LINE, n_clusters=4)) == {3, 1, 5}  # all are 1 from a placed
    X = np.r_[LINE[:5], [[23.0]]]
    assert first_points(view_after(*facts, X=X, n_clusters=4)) == {5}
    assert first_points(view_after(*facts, X=X, n_clusters=3)) == {1, 3, 5}


def test_consolidation_asks_in_order_of_distance_to_the_centroids():
    # Member 4 of the first group is nearest to 5, but the group's centroid is not.
    X = np.array([[0.0], [2.0], [13.0], [40.0], [9.0], [9.5]])
    facts = [(0, 1, SAME), (1, 4, SAME), (0, 2, DIFFERENT), (2, 3, DIFFERENT), (0, 3, DIFFERENT)]
    questions = questions_about(view_after(*facts, X=X, n_clusters=3))
    assert next(questions) == Pair(5, 2)
    assert questions.send(DIFFERENT).right in {0, 1, 4}
    assert questions.send(UNSURE) == Pair(5, 3)
    with pytest.raises(StopIteration):
        questions.send(SAME)


def test_without_a_number_of_groups_exploring_ends_when_a_point_belongs_to_a_known_one():
    assert first_points(view_after(X=LINE)) == {5}
    assert first_points(view_after((0, 5, DIFFERENT), X=LINE)) == {2, 3}
    assert first_points(view_after((0, 5, SAME), X=LINE)) == {1, 2, 3, 4}
    assert first_points(view_after((0, 1, SAME), (0, 5, DIFFERENT), X=LINE)) == {2, 3, 4}


def test_without_a_number_of_groups_consolidation_still_finds_new_ones():
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 1, 0, 0, 0, 0])
    session = ActiveSession(X, strategy="explore_consolidate", random_state=0)
    while (pair := session.ask()) is not None:
        session.tell(truth(y)(pair))
    assert sorted(members.tolist() for members in session.result().neighbourhoods) == [
        [0, 1, 2, 4, 5, 6, 7],
        [3],
    ]


@pytest.mark.parametrize("seed", range(5))
def test_far_groups_are_found_within_as_many_points(seed):
    """Random points need 11.4 on average to meet all five groups."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(5), 8))
    X = 50.0 * np.eye(5)[y] + rng.normal(size=(40, 5))
    session = ActiveSession(X, n_clusters=5, strategy="explore_consolidate", random_state=seed)
    while len(session.constraints.neighbourhoods()) < 5:
        session.tell(truth(y)(session.ask()))
    assert len(session.answers) == 0 + 1 + 2 + 3 + 4


def test_points_with_unsure_answers_come_last():
    facts = [(0, 2, DIFFERENT), (5, 2, UNSURE)]
    assert first_points(view_after(*facts, X=LINE, n_clusters=3)) == {4}


def test_ties_are_broken_at_random():
    assert first_points(view_after(X=np.zeros((5, 2)), n_clusters=2)) == {1, 2, 3, 4}


def test_asks_nothing_when_every_point_is_placed():
    facts = [(0, i, SAME) for i in range(1, 6)]
    assert list(questions_about(view_after(*facts, X=LINE))) == []
    assert list(questions_about(view_after(X=[[1.0]]))) == []
