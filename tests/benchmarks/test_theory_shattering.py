"""Shattering and the number of labelings, against certificates and brute force."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproduction.bounds import vc_dimensions
from reproduction.labelings import (
    PairDistribution,
    class_rows,
    count_labelings,
    lowest_incompatibility,
    share_of_vertices,
)
from reproduction.shattering import (
    CLASSES,
    is_shattered,
    largest_margin,
    largest_shattered,
    products,
    unit_vectors,
)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("n_features", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_as_many_are_shattered_as_the_vc_dimension(n_features, kind):
    expected = vc_dimensions(n_features)["diagonal" if kind == "diagonal" else "general"]
    assert largest_shattered(n_features, kind, np.random.default_rng(0), n_draws=1) == expected


@given(seed=st.integers(0, 100), n_features=st.integers(1, 4))
def test_general_metrics_near_the_identity_make_every_labelling(seed, n_features):
    """Independent of the programme: solve for A − I, scale it down until A is positive definite."""
    rng = np.random.default_rng(seed)
    z = unit_vectors(vc_dimensions(n_features)["general"], n_features, rng)
    far = rng.random(len(z)) < 0.5
    entries = np.linalg.solve(products(z), np.where(far, 1.0, -1.0))
    change = np.zeros((n_features, n_features))
    change[np.diag_indices(n_features)] = entries[:n_features]
    change[np.triu_indices(n_features, k=1)] = entries[n_features:]
    change = change + np.triu(change, k=1).T
    A = np.eye(n_features) + 0.5 * change / np.abs(np.linalg.eigvalsh(change)).max()
    assert np.linalg.eigvalsh(A).min() > 0
    assert ((np.einsum("ij,jk,ik->i", z, A, z) > 1) == far).all()
    assert largest_margin(z, far, "symmetric") > 0


@pytest.mark.slow
@pytest.mark.parametrize("general", [False, True])
@settings(max_examples=30)
@given(seed=st.integers(0, 100), n_features=st.integers(1, 3))
def test_one_more_than_the_vc_dimension_is_never_shattered(general, seed, n_features):
    """A dependence Σ c φ(z) = 0 with Σ c ≥ 0 forbids "far" for c > 0 and "near" for the others."""
    rng = np.random.default_rng(seed)
    dimension = vc_dimensions(n_features)["general" if general else "diagonal"]
    z = rng.standard_normal((dimension + 1, n_features))
    values = products(z) if general else z**2
    dependence = np.linalg.svd(values.T)[2][-1]
    dependence = dependence if dependence.sum() >= 0 else -dependence
    assert np.abs(dependence @ values).max() < 1e-9
    kind = "symmetric" if general else "diagonal"
    assert largest_margin(z, dependence > 0, kind) < 1e-9
    assert not is_shattered(z, kind)


def test_the_margin_is_one_where_a_metric_has_it():
    z = np.array([[2.0, 0.0], [0.0, 0.1]])
    assert largest_margin(z, np.array([True, False]), "diagonal") == pytest.approx(1.0)
    with_order = np.array([[1.0, 1.0], [0.5, 0.5]])  # the second is nearer under every metric
    assert largest_margin(with_order, np.array([False, True]), "dominant") < 0


@pytest.fixture
def pairs():
    rng = np.random.default_rng(0)
    same = rng.random(400) < 0.3
    squares = rng.standard_normal((400, 2)) ** 2
    squares[:, 0] += np.where(same, 0.0, 4.0)
    return PairDistribution(squares, same)


@pytest.mark.parametrize("limit", [np.inf, 0.0, -0.2])
def test_labelings_of_two_features_are_those_of_a_fine_grid(pairs, limit):
    sample = pairs.squares[:5]
    axis = np.concatenate([[0.0], np.geomspace(1e-3, 1e2, 250)])  # every part holds a point of it
    weights = np.array(list(product(axis, axis)))
    weights = weights[pairs.incompatibility(weights) < limit] if limit < np.inf else weights
    found = np.unique(weights @ sample.T > 1, axis=0)
    assert count_labelings(sample, pairs, limit) == len(found)


def test_labelings_of_one_feature_are_the_thresholds(pairs):
    alone = PairDistribution(pairs.squares[:, :1], pairs.same)
    sample = alone.squares[:10]
    weights = np.geomspace(1e-4, 1e6, 5_000)[:, None]
    kept = weights[alone.incompatibility(weights) < 0]
    assert count_labelings(sample, alone) == 11
    assert count_labelings(sample, alone, 0.0) == len(np.unique(kept @ sample.T > 1, axis=0))


def test_the_lowest_incompatibility_on_a_line_is_that_of_a_grid(pairs):
    sample, share = pairs.squares[:5], np.linspace(0, 1, 2001)
    found = lowest_incompatibility(sample, pairs)
    for row, lowest in zip(sample, found, strict=True):
        on_line = np.column_stack([share, 1 - share]) / row
        assert lowest == pytest.approx(pairs.incompatibility(on_line).min(), abs=1e-4)


def test_incompatibility_is_a_mean_over_pairs(pairs):
    weights = np.array([[0.3, 2.0]])
    total = 0.0
    for square, same in zip(pairs.squares, pairs.same, strict=True):
        length = np.sqrt(0.3 * square[0] + 2.0 * square[1])
        total += length**2 if same else -length
    assert pairs.incompatibility(weights)[0] == pytest.approx(total / 400)


@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
def test_every_direction_of_a_is_compatible_at_some_scale(seed):
    """e_u(sA) = s α − √s β is below 0 for small s: a limit on e_u restricts the scale of A alone."""
    rng = np.random.default_rng(seed)
    pairs = PairDistribution(rng.standard_normal((200, 4)) ** 2, rng.random(200) < 0.5)
    direction = rng.random((1, 4))
    assert pairs.incompatibility(1e-9 * direction)[0] < 0


def test_the_share_of_vertices_is_that_of_the_labelings_of_many_pairs(pairs):
    share = share_of_vertices(pairs, np.random.default_rng(0), most=3000)
    sample = pairs.squares[:60]
    ratio = count_labelings(sample, pairs, 0.0) / count_labelings(sample, pairs)
    assert share == pytest.approx(ratio, abs=0.06)


@pytest.mark.slow
def test_rows_say_what_is_shattered_and_how_much_is_compatible():
    rows = {
        (row["method"], row["features"], row["item"]): row["value"]
        for row in class_rows("classes", 0, None, most_features=2, n_fresh=800)
    }
    assert rows["symmetric", "2", "shattered"] == 3
    assert rows["diagonal", "2", "shattered"] == 2
    assert rows["diagonal", "one relevant", "labelings"] == 41
    assert rows["diagonal", "one irrelevant", "compatible"] <= 41
