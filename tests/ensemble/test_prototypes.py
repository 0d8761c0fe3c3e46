"""A row is in the group that owns the nearest centre, and groups that are not round have several."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from sameornot.cluster.block import make_scorer, predict_block
from sameornot.cluster.clustering import nearest_share
from sameornot.datasets import make_opposite
from sameornot.ensemble.config import EnsembleConfig
from sameornot.ensemble.prototypes import Prototypes, fit_prototypes
from sameornot.metric.learn import feature_scale, identity_metric

CONFIG = EnsembleConfig()


def fitted(X, labels, seed=0):
    return fit_prototypes(X, labels, identity_metric(feature_scale(X)), CONFIG, np.random.default_rng(seed))


def ring(seed):
    """A disc, a ring around it, and another disc outside: three groups, so that the plane is kept whole."""
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1, 2], 60)
    angle, radius = rng.uniform(0, 2 * np.pi, size=180), rng.uniform(0.9, 1.0, size=180)
    radius *= np.array([1.0, 4.0, 1.0])[labels]
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return X + np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 12.0]])[labels], labels


def test_distance_to_a_group_is_that_to_the_nearest_of_its_own_centres():
    rng = np.random.default_rng(0)
    centers, owners = rng.normal(size=(6, 2)), np.array([0, 2, 1, 1, 0, 2])
    found = Prototypes(np.zeros(1, dtype=int), centers, identity_metric(np.ones(2)), 0, owners)
    X = rng.normal(size=(30, 2))
    far = np.array([[np.linalg.norm(x - c) for c in centers] for x in X])
    expected = np.array([[min(row[owners == m]) ** 2 for m in range(3)] for row in far])
    np.testing.assert_allclose(found.distances(X), expected, atol=1e-12)
    np.testing.assert_array_equal(found.predict(X), owners[far.argmin(axis=1)])


@pytest.mark.parametrize("seed", range(5))
def test_new_rows_of_a_ring_are_separated_from_the_disc_inside_where_one_centre_each_fails(seed):
    X, labels = ring(seed)
    new, truth = ring(seed + 100)
    assert (fitted(X, labels, seed).predict(new) == truth).mean() > 0.95
    means = np.array([X[labels == m].mean(axis=0) for m in range(3)])
    by_mean = ((new[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    assert (by_mean == truth).mean() < 0.9


@pytest.mark.parametrize("seed", range(3))
def test_new_rows_of_groups_in_mixed_features_are_assigned_as_well_as_by_lda_without_a_prior(seed):
    """Mixing hides what separates groups in directions along which rows hardly vary."""
    X, y = make_opposite(n_samples=2000, n_relevant=5, mixing=True, random_state=seed)
    found = fitted(X[:1000], y[:1000], seed).predict(X[1000:])
    reference = LinearDiscriminantAnalysis().fit(X[:1000], y[:1000]).predict(X[1000:])
    assert (found == y[1000:]).mean() > (reference == y[1000:]).mean() - 0.01


def test_every_group_has_a_centre_and_large_groups_more():
    rows_per_center = CONFIG.prototypes.rows_per_center
    sizes = [1, 2, rows_per_center, 100 * rows_per_center]
    labels = np.repeat(np.arange(4), sizes)
    X = np.random.default_rng(0).normal(size=(len(labels), 5)) + labels[:, None]
    assert np.bincount(fitted(X, labels).owners).tolist() == [1, 1, 2, max(CONFIG.prototypes.max_centers)]


def test_equal_rows_need_one_centre():
    X, labels = np.repeat([[0.0, 1.0], [5.0, 2.0]], 25, axis=0), np.repeat([0, 1], 25)
    found = fitted(X, labels)
    assert found.owners.tolist() == [0, 1]
    np.testing.assert_array_equal(found.predict(X), labels)


def test_one_group_takes_every_row():
    X = np.random.default_rng(0).normal(size=(30, 3))
    found = fitted(X, np.zeros(30, dtype=int))
    assert found.predict(10 * X).tolist() == [0] * 30


@pytest.mark.parametrize("seed", range(5))
def test_the_space_is_the_one_that_separates_groups_better(seed):
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1], 100)
    slanted = rng.normal(size=(200, 2)) @ np.array([[3.0, 3.0], [0.1, -0.1]])
    slanted[:, 0] += 0.4 * labels  # apart along the short axis of the cloud only
    assert fitted(slanted, labels).metric.rotation is not None
    X, rings = ring(seed)  # one discriminant axis cannot separate two groups that lie within each other
    two = rings < 2
    assert fitted(X[two], rings[two]).metric.rotation is None


@pytest.mark.parametrize("apart", [1.0, 1.5, 2.0, 3.0])
def test_confidence_of_new_rows_equals_their_accuracy(apart):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 4000)
    X = rng.normal(size=(4000, 12))
    X[:, :2] += apart * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[labels]
    found = fitted(X[:1000], labels[:1000])
    squares, width = found.distances(X[1000:]), found.width(X[:1000])
    confidence = nearest_share(squares, width).mean()
    assert confidence == pytest.approx((found.predict(X[1000:]) == labels[1000:]).mean(), abs=0.05)


def test_a_group_without_centres_is_infinitely_far_and_never_predicted():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(40, 3)), np.repeat([0, 2], 20)
    X[labels == 2] += 6.0
    found = fitted(X, labels)
    assert np.isinf(found.distances(X)[:, 1]).all()
    scorer = make_scorer(found, X.mean(axis=0), found.width(X))
    predicted = predict_block(X, scorer)
    np.testing.assert_array_equal(found.predict(X), labels)
    np.testing.assert_array_equal(predicted.labels, labels)
    np.testing.assert_allclose(predicted.proba, nearest_share(found.distances(X), found.width(X)))
