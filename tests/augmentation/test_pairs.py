"""Training pairs carry the weights of §3.1: a mean over the answers and a mean certainty over the rest."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot import Answer, Constraints
from sameornot.augmentation.memberships import Memberships
from sameornot.augmentation.pairs import augmented_pairs, certainty, training_pairs

GROUPS = [np.array([7, 2, 5]), np.array([0, 4]), np.array([3])]


def some_constraints():
    """Three "same", two "different" answers; groups {0, 1, 2}, {3, 4} and {5}; 6 was not asked about."""
    constraints = Constraints(7)
    for pair in [(0, 1), (1, 2), (3, 4)]:
        constraints.add(pair, Answer.SAME)
    for pair in [(0, 3), (5, 2)]:
        constraints.add(pair, Answer.DIFFERENT)
    return constraints


def as_pairs(weighted):
    return [frozenset(pair) for pair in zip(weighted.left.tolist(), weighted.right.tolist(), strict=True)]


@pytest.mark.parametrize("n_clusters", [2, 3, 5, 8])
def test_certainty_is_none_at_chance_and_full_at_both_ends(n_clusters):
    ends = certainty(np.array([0.0, 1.0 / n_clusters, 1.0]), n_clusters)
    np.testing.assert_allclose(ends, [1, 0, 1], atol=1e-12)


@given(st.floats(0, 1), st.integers(2, 12))
def test_certainty_is_the_papers_formula(alike, n_clusters):
    chance = 1 / n_clusters
    expected = n_clusters / (n_clusters - 1) * max(alike - chance, 0) - n_clusters * min(alike - chance, 0)
    (found,) = certainty(np.array([alike]), n_clusters)
    assert found == pytest.approx(expected, abs=1e-12)
    assert -1e-12 <= found <= 1 + 1e-12


def test_without_augmentation_only_answered_pairs_are_trained_on():
    found = training_pairs(some_constraints(), None, np.random.default_rng(0))
    assert as_pairs(found.similar) == [frozenset(pair) for pair in [(0, 1), (1, 2), (3, 4)]]
    assert as_pairs(found.different) == [frozenset(pair) for pair in [(0, 3), (2, 5)]]
    np.testing.assert_allclose(found.similar.weight, 1 / 3)
    np.testing.assert_allclose(found.different.weight, 1 / 2)


def test_no_answers_give_no_pairs():
    for memberships in (None, Memberships([], np.empty((0, 3)))):
        found = training_pairs(Constraints(4), memberships, np.random.default_rng(0))
        assert (len(found.similar), len(found.different), found.n_similar, found.n_different) == (0, 0, 0, 0)


def test_random_pairs_of_all_rows_stand_for_what_is_not_known():
    found = training_pairs(some_constraints(), None, np.random.default_rng(0)).background
    assert set(as_pairs(found)) == {frozenset(pair) for pair in combinations(range(7), 2)}
    assert found.weight.sum() == pytest.approx(1)
    assert len(training_pairs(Constraints(1), None, np.random.default_rng(0)).background) == 0


def test_same_answers_are_counted_without_those_that_follow_from_others():
    constraints = some_constraints()
    constraints.add((0, 2), Answer.SAME)  # follows from 0 = 1 and 1 = 2
    assert training_pairs(constraints, None, np.random.default_rng(0)).n_similar == 3


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_answered_weights_sum_to_one_and_augmented_ones_to_their_mean_certainty(seed, n_clusters):
    rng = np.random.default_rng(seed)
    constraints = some_constraints()
    rows = rng.dirichlet(np.ones(n_clusters), size=3)
    groups = constraints.groups()
    found = training_pairs(constraints, Memberships(groups, rows), rng)
    of_point = {int(i): row for members, row in zip(groups, rows, strict=True) for i in members}
    sure = {"similar": [], "different": []}
    for i, j in combinations(range(6), 2):  # every point but 6
        alike = of_point[i] @ of_point[j]
        if alike > 1 / n_clusters:
            sure["similar"].append((alike - 1 / n_clusters) * n_clusters / (n_clusters - 1))
        else:
            sure["different"].append(1 - alike * n_clusters)
    for side, n_answered in (("similar", 3), ("different", 2)):
        weight = getattr(found, side).weight
        assert weight[:n_answered].sum() == pytest.approx(1)
        assert len(weight) - n_answered == len(sure[side])
        assert weight[n_answered:].sum() == pytest.approx(np.mean(sure[side]) if sure[side] else 0.0)


@pytest.mark.parametrize("n_clusters", [3, 4, 7])
def test_one_hot_memberships_sort_all_pairs_by_group(n_clusters):
    rows = np.eye(3, n_clusters)
    similar, different = augmented_pairs(Memberships(GROUPS, rows), np.random.default_rng(0))
    within = [frozenset(pair) for group in GROUPS for pair in combinations(group.tolist(), 2)]
    everything = [frozenset(pair) for pair in combinations([0, 2, 3, 4, 5, 7], 2)]
    assert sorted(map(sorted, as_pairs(similar))) == sorted(map(sorted, within))
    across = [pair for pair in everything if pair not in within]
    assert sorted(map(sorted, as_pairs(different))) == sorted(map(sorted, across))
    np.testing.assert_allclose(similar.weight, 1 / len(within))
    np.testing.assert_allclose(different.weight, 1 / len(across))


@pytest.mark.parametrize("n_clusters", range(2, 13))
def test_pairs_at_the_level_of_chance_are_no_training_pairs(n_clusters):
    rows = np.vstack([np.eye(2, n_clusters), np.full((1, n_clusters), 1 / n_clusters)])
    groups = [np.array([0, 1]), np.array([2, 3]), np.array([4, 5, 6])]
    similar, different = augmented_pairs(Memberships(groups, rows), np.random.default_rng(0))
    assert sorted(map(sorted, as_pairs(similar))) == [[0, 1], [2, 3]]
    assert sorted(map(sorted, as_pairs(different))) == [[0, 2], [0, 3], [1, 2], [1, 3]]


def test_too_many_pairs_are_sampled_evenly_and_never_a_point_with_itself():
    sizes = [50, 30, 20]
    members = np.random.default_rng(1).permutation(500)[:100]  # row numbers far from 0 … 99
    groups = np.split(members, np.cumsum(sizes)[:-1])
    similar, different = augmented_pairs(
        Memberships(groups, np.eye(3)), np.random.default_rng(0), max_pairs=2000
    )
    assert len(similar) + len(different) == 2000
    assert (similar.left != similar.right).all()
    assert (different.left != different.right).all()
    group_of = {int(i): g for g, group in enumerate(groups) for i in group}
    assert all(group_of[i] == group_of[j] for i, j in zip(similar.left, similar.right, strict=True))
    assert all(group_of[i] != group_of[j] for i, j in zip(different.left, different.right, strict=True))
    share = sum(size * (size - 1) for size in sizes) / (100 * 99)
    deviation = np.sqrt(2000 * share * (1 - share))
    assert abs(len(similar) - 2000 * share) < 4 * deviation
    seen = np.bincount([group_of[i] for i in similar.left], minlength=3) / len(similar)
    expected = np.array([size * (size - 1) for size in sizes]) / sum(size * (size - 1) for size in sizes)
    np.testing.assert_allclose(seen, expected, atol=0.06)
    assert similar.weight.sum() == pytest.approx(1)
    assert different.weight.sum() == pytest.approx(1)


def test_as_many_pairs_as_allowed_are_all_kept():
    memberships = Memberships(GROUPS, np.eye(3))
    similar, different = augmented_pairs(memberships, np.random.default_rng(0), max_pairs=15)
    assert len(set(as_pairs(similar) + as_pairs(different))) == 15
