"""The additive map is Nyström's, bends each feature on its own, and keeps a metric readable by feature."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sameornot.cluster.augmented import AugmentedClustering
from sameornot.cluster.base import Problem
from sameornot.cluster.metric_learning import fit_pairs, settings_of
from sameornot.constraints import Constraints
from sameornot.datasets.curved import make_circles
from sameornot.metric import learn
from sameornot.metric.kernel import additive_map
from sameornot.metric.learn import curved_axes, feature_scale, identity_metric, learn_metric


def additive_kernel(rows, widths):
    gaps = (rows[:, None, :] - rows[None, :, :]) / widths
    return np.exp(-0.5 * gaps**2).sum(axis=2)


def rows_of(n_rows=12, n_features=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, n_features))


def ring_pairs(n_known=60, seed=0):
    """Rings among irrelevant features, and the training pairs of the first rows' labels."""
    X, y = make_circles(n_samples=120, n_irrelevant=4, random_state=seed)
    constraints = Constraints.from_pairs(len(X), labels=np.where(np.arange(len(X)) < n_known, y, -1))
    return X, train_on(X, constraints, seed)


def train_on(X, constraints, seed=0):
    problem = Problem(X, constraints, 2, feature_scale(X))
    return fit_pairs(problem, settings_of(AugmentedClustering()), np.random.default_rng(seed))


def learn_rings(**settings):
    X, pairs = ring_pairs()
    return X, learn_metric(X, pairs, scale=feature_scale(X), kernel="additive", **settings)


# --- the map --------------------------------------------------------------------------------------------


@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 99))
def test_with_all_values_as_landmarks_inner_products_are_the_kernel(n_rows, n_features, seed):
    rows = rows_of(n_rows, n_features, seed)
    mapping = additive_map(rows, n_landmarks=n_rows)
    mapped = mapping.transform(rows)
    np.testing.assert_allclose(mapped @ mapped.T, additive_kernel(rows, mapping.widths), atol=1e-6)


def test_more_landmarks_never_fit_the_kernel_worse_and_never_overshoot_it():
    rows = rows_of(40, 2)
    missing = []
    for n_landmarks in (2, 3, 5, 9, 17):  # each set of quantiles holds the one before
        mapping = additive_map(rows, n_landmarks=n_landmarks)
        mapped = mapping.transform(rows)
        residual = additive_kernel(rows, mapping.widths) - mapped @ mapped.T
        assert np.linalg.eigvalsh(residual)[0] > -1e-7
        missing.append(np.trace(residual))
    assert all(later < earlier for earlier, later in pairwise(missing))


def test_a_wide_kernel_is_the_line_that_it_bends():
    rows = rows_of(30, 3)
    width = 50.0
    mapped = additive_map(rows, width=width).transform(rows)
    gaps = rows[:, None] - rows[None]
    curved = ((mapped[:, None] - mapped[None]) ** 2).sum(axis=2) * width**2
    np.testing.assert_allclose(curved, (gaps**2 / rows.var(axis=0)).sum(axis=2), rtol=0.01, atol=1e-3)


def test_no_value_is_far_along_a_curve():
    mapping = additive_map(rows_of(50, 1))
    far = mapping.transform(np.array([[-1e6], [-3.0], [0.0], [1e6]]))
    assert ((far[:, None] - far[None]) ** 2).sum(axis=2).max() <= 2.0


def test_each_feature_has_axes_of_its_own():
    rows = rows_of(20, 3)
    mapping = additive_map(rows)
    moved = rows.copy()
    moved[:, 1] += 0.7
    changed = np.abs(mapping.transform(moved) - mapping.transform(rows)).max(axis=0) > 0
    np.testing.assert_array_equal(changed, mapping.feature == 1)
    np.testing.assert_allclose(mapping.sum_by_feature(changed), [0, changed.sum(), 0])


def test_units_of_a_feature_play_no_part():
    rows = rows_of(20, 3)
    units = np.array([1e-3, 1.0, 1e5])
    mapped, other = (additive_map(table).transform(table) for table in (rows, rows * units))
    np.testing.assert_allclose(mapped @ mapped.T, other @ other.T, atol=1e-6)


def test_features_with_few_values_have_few_axes():
    rows = np.column_stack([np.arange(30) % 2, np.zeros(30), np.arange(30)]).astype(float)
    np.testing.assert_array_equal(np.bincount(additive_map(rows).feature), [2, 1, 6])


# --- the metric -----------------------------------------------------------------------------------------


def test_weights_of_mapped_axes_add_up_to_those_of_features():
    X, metric = learn_rings()
    per_axis = np.diag(metric.matrix)
    expected = [per_axis[metric.mapping.feature == m].sum() for m in range(X.shape[1])]
    np.testing.assert_allclose(metric.feature_weights, expected / np.sum(expected))


def test_matrix_is_the_metric_of_mapped_rows():
    X, metric = learn_rings()
    gap = np.diff(metric.mapping.transform(X[:2] / metric.scale), axis=0)[0]
    learned = np.diff(metric.transform(X[:2]), axis=0)[0]
    assert gap @ metric.matrix @ gap == pytest.approx(learned @ learned)


def test_axes_are_orthonormal():
    X, pairs = ring_pairs()
    scaled = X / feature_scale(X)
    axes = curved_axes(scaled, pairs, additive_map(scaled))
    np.testing.assert_allclose(axes.T @ axes, np.eye(axes.shape[1]), atol=1e-10)


def test_few_rows_in_many_mapped_axes_need_no_other_solution(monkeypatch):
    X, y = make_circles(n_samples=30, n_irrelevant=8, random_state=0)
    constraints = Constraints.from_pairs(30, labels=y)
    pairs = train_on(X, constraints)
    narrow = learn_metric(X, pairs, scale=feature_scale(X), kernel="additive")
    assert len(narrow.rotation) > len(X)
    monkeypatch.setattr(learn, "row_space", lambda rows: np.eye(rows.shape[1]))
    wide = learn_metric(X, pairs, scale=feature_scale(X), kernel="additive")
    np.testing.assert_allclose(narrow.feature_weights, wide.feature_weights, atol=1e-6)


def test_features_of_a_ring_are_found_where_lines_see_nothing():
    X, curved = learn_rings()
    straight = learn_metric(X, ring_pairs()[1], scale=feature_scale(X))
    assert curved.feature_weights[:2].sum() > 0.95 > 0.7 > straight.feature_weights[:2].sum()


@pytest.mark.parametrize("kind", ["separable", "exact", "full"])
def test_every_kind_weighs_the_curved_axes(kind):
    X, metric = learn_rings(kind=kind)
    assert metric.transform(X).shape == (len(X), metric.rotation.shape[1])
    assert metric.feature_weights.sum() == pytest.approx(1.0)
    assert metric.feature_weights[:2].sum() > 0.95


def test_order_of_the_features_plays_no_part():
    X, pairs = ring_pairs()
    order = np.array([3, 0, 5, 1, 4, 2])
    first, second = (
        learn_metric(table, pairs, scale=feature_scale(table), kernel="additive").feature_weights
        for table in (X, X[:, order])
    )
    np.testing.assert_allclose(first[order], second, atol=1e-6)


def test_a_constant_feature_weighs_nothing():
    X, pairs = ring_pairs()
    X = np.column_stack([X[:, :2], np.full(len(X), 3.0)])
    scale = feature_scale(X)
    learned = learn_metric(X, pairs, scale=scale, kernel="additive")
    start = identity_metric(scale, additive_map(X / scale))
    assert learned.feature_weights[2] == start.feature_weights[2] == 0.0
    assert np.isfinite(learned.transform(X)).all()


def test_without_a_kernel_rows_are_not_mapped():
    X, pairs = ring_pairs()
    assert learn_metric(X, pairs, scale=feature_scale(X)).mapping is None


def test_a_metric_on_curves_can_be_pickled():
    X, metric = learn_rings()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(metric)).transform(X), metric.transform(X))
