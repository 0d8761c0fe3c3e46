"""The axes that rank lowest over all steps are penalised, and lose their weight."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot._types import TrainingPairs, WeightedPairs
from sameornot.metric.learn import Metric, SelectivePenalty, feature_scale, learn_metric, weigh_axes
from sameornot.metric.penalty import GAMMA_GRID, eigenvalues_along, elbow, penalised_axes


def diagonal(*weights):
    return Metric(np.ones(len(weights)), np.array(weights, dtype=float))


def orthonormal(rng, n_rows, n_columns):
    return np.linalg.qr(rng.normal(size=(n_rows, n_rows)))[0][:, :n_columns]


def problem():
    """Three clusters along two features; four more features do not separate."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 12)
    X = rng.normal(size=(36, 6))
    X[:, :2] += np.array([[0, 0], [3, 0], [0, 2]])[truth]
    ends = np.array([(i, j) for i in range(36) for j in range(i) if (i + j) % 7 == 0])
    is_same = truth[ends[:, 0]] == truth[ends[:, 1]]
    similar, different = (
        WeightedPairs(pairs[:, 0], pairs[:, 1], np.full(len(pairs), 1 / len(pairs)))
        for pairs in (ends[is_same], ends[~is_same])
    )
    return X, TrainingPairs(similar, different, different, n_similar=int(is_same.sum()), n_different=35)


@pytest.mark.parametrize(
    ("values", "n_past"),
    [
        ([9, 9, 9, 1, 1, 1, 1, 1, 1, 1], 7),
        ([1, 9, 1, 9.5, 1, 1, 10, 1.1, 0.9, 1], 7),
        ([10, 0, 0, 0, 0, 0], 5),
        ([100, 90, 3, 2, 1, 0], 4),
    ],
)
def test_the_elbow_parts_large_values_from_small_ones(values, n_past):
    assert elbow(np.array(values, dtype=float)) == n_past


@pytest.mark.parametrize("values", [[1, 1, 1, 1], [0, 0, 0], [5], [3, 1], [0.1] * 7, [4, 3, 2, 1, 0]])
def test_a_curve_without_a_bend_penalises_nothing(values):
    assert elbow(np.array(values, dtype=float)) == 0


@pytest.mark.parametrize("values", [[1, 1, 1, 0], [5, 5, 4.9, 4.8, 0]])
def test_values_before_a_final_drop_are_not_past_the_bend(values):
    assert elbow(np.array(values, dtype=float)) <= 1


@given(st.lists(st.floats(0, 1e3), min_size=3, max_size=12), st.randoms(use_true_random=False))
def test_the_elbow_does_not_depend_on_the_order_or_the_unit(values, random):
    shuffled = random.sample(values, len(values))
    assert elbow(np.array(shuffled)) == elbow(np.array(values))
    assert elbow(4.0 * np.array(values)) == elbow(np.array(values))
    assert 0 <= elbow(np.array(values)) < len(values)


def test_ranks_are_averaged_over_the_steps():
    # ranks by hand:           a    b    c    d
    history = [
        diagonal(0.9, 0.1, 0.5, 0.2),  # 4    1    3    2
        diagonal(0.8, 0.3, 0.1, 0.3),  # 4   2.5   1   2.5
        diagonal(0.7, 0.2, 0.3, 0.9),  # 3    1    2    4
    ]  # mean:                          3.67 1.5  2.0  2.83
    assert penalised_axes(history, None, q=1).tolist() == [1]
    assert penalised_axes(history, None, q=2).tolist() == [1, 2]
    assert penalised_axes(history, None, q=3).tolist() == [1, 2, 3]
    assert penalised_axes(history, None, q=0).tolist() == []


def test_equal_eigenvalues_share_their_rank():
    # ranks 1.5, 1.5, 3 and 3, 2, 1: the means are 2.25, 1.75 and 2
    assert penalised_axes([diagonal(1, 1, 5), diagonal(3, 2, 1)], None, q=2).tolist() == [1, 2]


def test_ranks_and_not_sizes_are_averaged():
    # the first is huge once and last otherwise: its mean size is the largest, its mean rank the smallest
    history = [
        diagonal(100.0, 1.0, 2.0),
        diagonal(0.0, 1.0, 2.0),
        diagonal(0.0, 2.0, 1.0),
        diagonal(0.0, 1.0, 2.0),
    ]
    assert penalised_axes(history, None, q=1).tolist() == [0]


def test_the_number_of_axes_follows_from_the_average_eigenvalues():
    history = [diagonal(9, 1, 1, 8, 1, 1, 1), diagonal(8, 1, 1.5, 9, 0.5, 1, 1)]
    assert sorted(penalised_axes(history, None).tolist()) == [1, 2, 4, 5, 6]


@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 6),
    st.sampled_from([None, 1, 3, 6]),
    st.sampled_from([None, 2, 6]),
)
def test_eigenvalues_along_axes_are_the_diagonal_of_the_rotated_metric(seed, n_features, own, other):
    rng = np.random.default_rng(seed)
    rotation = None if own is None else orthonormal(rng, n_features, own)
    axes = None if other is None else orthonormal(rng, n_features, other)
    weights = rng.random(n_features if rotation is None else rotation.shape[1])
    metric = Metric(np.ones(n_features), weights, rotation)
    P = np.eye(n_features) if axes is None else axes
    expected = np.diag(P.T @ metric.matrix @ P)
    np.testing.assert_allclose(eigenvalues_along(metric, axes), expected, atol=1e-12)


def test_a_metric_along_its_own_axes_has_its_own_eigenvalues():
    rng = np.random.default_rng(0)
    metric = Metric(np.ones(5), np.array([3.0, 1.0, 0.2]), orthonormal(rng, 5, 3))
    np.testing.assert_allclose(eigenvalues_along(metric, metric.rotation), metric.weights)


def test_axes_of_full_metrics_are_compared_after_rotation():
    # every step has the same axes in another order: read as they stand, the columns would average out
    axes = orthonormal(np.random.default_rng(0), 4, 4)
    strength = np.array([4.0, 3.0, 2.0, 1.0])
    orders = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]]
    history = [Metric(np.ones(4), strength[order], axes[:, order]) for order in orders]
    assert penalised_axes(history, axes, q=2).tolist() == [3, 2]


@pytest.mark.parametrize("kind", ["separable", "exact", "full"])
def test_penalised_axes_lose_share_as_the_penalty_grows(kind):
    X, pairs = problem()
    metric = learn_metric(X, pairs, kind=kind, scale=feature_scale(X))
    penalised = np.argsort(-metric.weights)[:1]
    shares = []
    for gamma in GAMMA_GRID:
        weights = weigh_axes(X, pairs, metric, kind=kind, penalty=SelectivePenalty(penalised, gamma)).weights
        shares.append(weights[penalised].sum() / weights.sum())
    assert shares[0] == pytest.approx(metric.weights[penalised].sum() / metric.weights.sum(), rel=1e-4)
    falling = np.array(shares[: shares.index(0.0) + 1] if 0.0 in shares else shares)
    assert len(falling) > 1
    assert (np.diff(falling) < 0).all()


@pytest.mark.parametrize("kind", ["separable", "exact", "full"])
def test_a_huge_penalty_leaves_next_to_nothing(kind):
    X, pairs = problem()
    metric = learn_metric(X, pairs, kind=kind, scale=feature_scale(X))
    penalised = np.argsort(-metric.weights)[:1]
    assert metric.weights[penalised] > 0
    weights = weigh_axes(X, pairs, metric, kind=kind, penalty=SelectivePenalty(penalised, 1e6)).weights
    assert weights[penalised].sum() < 1e-6 * weights.sum()


def test_other_axes_keep_their_proportions_under_a_penalty():
    X, pairs = problem()
    metric = learn_metric(X, pairs, kind="separable", scale=feature_scale(X))
    penalty = SelectivePenalty(np.array([0, 5]), 3.0)
    weights = weigh_axes(X, pairs, metric, kind="separable", penalty=penalty).weights
    kept = [1, 2, 3, 4]
    np.testing.assert_allclose(weights[kept] / weights[1], metric.weights[kept] / metric.weights[1])
