"""Neighbourhood memberships are computed from counts of leaves, and equal those computed from all pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot.query import _trees
from sameornot.query.forest import forest_leaves, leaf_similarity, neighbourhood_memberships


def blobs(seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1, 2], 12)
    return rng.normal(size=(36, 4)) + 3.0 * labels[:, None], labels


def test_similarity_equals_the_average_leaf_co_occurrence_of_all_pairs():
    X, labels = blobs()
    leaves = forest_leaves(X, labels, seed=0, n_trees=11)
    neighbourhoods = [np.array([0, 5, 7]), np.array([13]), np.array([30, 20, 25, 35])]
    n = len(X)
    together = np.zeros((n, n))
    for tree in range(11):
        for i in range(n):
            for j in range(n):
                together[i, j] += leaves[i, tree] == leaves[j, tree]
    expected = np.column_stack([together[:, members].mean(axis=1) / 11 for members in neighbourhoods])
    np.testing.assert_allclose(leaf_similarity(leaves, neighbourhoods), expected)


def test_no_two_trees_share_a_leaf_number():
    X, labels = blobs()
    leaves = forest_leaves(X, labels, seed=3, n_trees=7)
    columns = [set(leaves[:, tree].tolist()) for tree in range(7)]
    assert sum(map(len, columns)) == len(set.union(*columns))


def test_the_leaves_depend_on_the_seed_alone():
    X, labels = blobs()
    first, again, other = (forest_leaves(X, labels, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert first.shape == (36, 50)
    assert (first != other).any()


def test_the_installed_scikit_learn_has_the_builder_that_is_called_directly():
    assert _trees.has_known_builder()


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**31 - 1), st.integers(1, 90), st.integers(1, 60), st.integers(1, 6))
def test_trees_of_the_builder_are_those_of_scikit_learns_forest(seed, n_rows, n_features, n_classes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features)).round(1).astype(np.float32)  # with ties and constant columns
    X[:, : n_features // 3] = 0.0
    labels = rng.integers(n_classes, size=n_rows) * 7 - 3
    built, fitted = (grow(X, labels, 5, seed) for grow in (_trees.built_trees, _trees.fitted_trees))
    for ours, reference in zip(built, fitted, strict=True):
        np.testing.assert_array_equal(ours.feature, reference.feature)
        np.testing.assert_array_equal(ours.threshold, reference.threshold)
        np.testing.assert_array_equal(ours.apply(X), reference.apply(X))


def test_without_the_builder_the_estimator_gives_the_same_leaves(monkeypatch):
    X, labels = blobs()
    expected = forest_leaves(X, labels, seed=4, n_trees=5)
    monkeypatch.setattr(_trees, "built_trees", None)  # a release without it: calling it is a TypeError
    _trees.has_known_builder.cache_clear()
    try:
        assert not _trees.has_known_builder()
        np.testing.assert_array_equal(forest_leaves(X, labels, seed=4, n_trees=5), expected)
    finally:
        _trees.has_known_builder.cache_clear()


def test_points_are_most_like_members_of_their_own_cluster():
    X, labels = blobs()
    leaves = forest_leaves(X, labels, seed=0)
    neighbourhoods = [np.flatnonzero(labels == k)[:4] for k in range(3)]
    np.testing.assert_array_equal(leaf_similarity(leaves, neighbourhoods).argmax(axis=1), labels)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_memberships_are_probabilities_that_agree_with_what_is_known(seed, n_groups):
    rng = np.random.default_rng(seed)
    n = 20
    similarity = rng.random((n, n_groups)) * (rng.random((n, n_groups)) < 0.6)
    placed = rng.permutation(n)[: 2 * n_groups]
    neighbourhoods = np.split(placed, n_groups)
    ruled_out = rng.random((n, n_groups)) < 0.3
    found = neighbourhood_memberships(similarity, neighbourhoods, ruled_out)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    for m, members in enumerate(neighbourhoods):
        np.testing.assert_array_equal(found[members], np.tile(np.eye(n_groups)[m], (2, 1)))
    for i in set(range(n)) - set(placed.tolist()):
        open_to = ~ruled_out[i]
        if not open_to.any():
            np.testing.assert_allclose(found[i], 1 / n_groups)
            continue
        assert (found[i][ruled_out[i]] == 0).all()
        likeness = similarity[i][open_to]
        if likeness.any():
            np.testing.assert_allclose(found[i][open_to], likeness / likeness.sum())
        else:
            np.testing.assert_allclose(found[i][open_to], 1 / open_to.sum())


def test_a_worked_example():
    similarity = np.array(
        [[1.0, 0.0, 0.0], [0.2, 0.6, 0.2], [0.2, 0.6, 0.2], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]
    )
    ruled_out = np.zeros((5, 3), dtype=bool)
    ruled_out[2, 1] = ruled_out[4, 0] = True
    nothing = np.array([], dtype=int)
    found = neighbourhood_memberships(similarity, [np.array([0]), nothing, nothing], ruled_out)
    expected = [[1, 0, 0], [0.2, 0.6, 0.2], [0.5, 0, 0.5], [1 / 3] * 3, [0, 0.5, 0.5]]
    np.testing.assert_allclose(found, expected)


def test_inputs_are_not_modified():
    similarity, ruled_out = np.zeros((3, 2)), np.array([[True, False], [True, True], [False, False]])
    before = similarity.copy(), ruled_out.copy()
    neighbourhood_memberships(similarity, [np.array([0]), np.array([1])], ruled_out)
    np.testing.assert_array_equal(similarity, before[0])
    np.testing.assert_array_equal(ruled_out, before[1])


def test_a_single_cluster_has_a_forest_too():
    X, _ = blobs()
    leaves = forest_leaves(X, np.zeros(36, dtype=int), seed=0, n_trees=3)
    assert leaf_similarity(leaves, [np.array([4])]) == pytest.approx(np.ones((36, 1)))
