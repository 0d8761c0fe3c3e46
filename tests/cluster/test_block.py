"""The block function against the clustering that it stands for."""

import numpy as np
import pytest
from array_api_compat import array_namespace
from hypothesis import given
from hypothesis import strategies as st

from sameornot.cluster.base import Clustering
from sameornot.cluster.block import CenterScorer, make_scorer, predict_block, predict_rows
from sameornot.cluster.clustering import CenterClustering, nearest_share
from sameornot.ensemble.config import EnsembleConfig
from sameornot.ensemble.prototypes import Prototypes, fit_prototypes
from sameornot.metric.learn import Metric, feature_scale, identity_metric


def made(seed, *, n_rows=40, n_features=5, n_groups=3, shift=0.0):
    """Rows in round groups, and their groups."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_groups
    return shift + 3.0 * rng.normal(size=(n_groups, n_features))[y] + rng.normal(size=(n_rows, n_features)), y


def by_centres(X, y, *, rotation=None):
    metric = Metric(feature_scale(X), np.linspace(0.5, 2.0, X.shape[1]), rotation)
    space = metric.transform(X)
    return CenterClustering(y, np.array([space[y == m].mean(axis=0) for m in np.unique(y)]), metric, 0)


def several(X, y, seed=0):
    metric = identity_metric(feature_scale(X))
    return fit_prototypes(X, y, metric, EnsembleConfig(), np.random.default_rng(seed))


def scorer_of(clustering, X):
    return make_scorer(clustering, X.mean(axis=0), clustering.width(X))


KINDS = {"one centre": by_centres, "several centres": several}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 200), shift=st.sampled_from([0.0, -3.0, 1e5]))
def test_labels_and_probabilities_are_those_of_the_clustering(kind, seed, shift):
    X, y = made(seed, shift=shift)
    clustering = KINDS[kind](X, y)
    new = made(seed + 1, shift=shift)[0]
    found = predict_block(new, scorer_of(clustering, X))
    squares = clustering.distances(new)
    clear = np.sort(squares, axis=1)[:, 1] - squares.min(axis=1) > 1e-6
    assert np.array_equal(found.labels[clear], clustering.predict(new)[clear])
    assert np.allclose(found.proba, nearest_share(squares, clustering.width(X)), atol=1e-6)


@given(st.integers(0, 200))
def test_a_rotated_metric_is_one_product(seed):
    X, y = made(seed)
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(5, 5)))[0]
    clustering = by_centres(X, y, rotation=turn)
    assert np.array_equal(predict_block(X, scorer_of(clustering, X)).labels, clustering.predict(X))


@pytest.mark.slow
@given(st.integers(0, 200))
def test_counts_and_sums_add_up_over_blocks(seed):
    X, y = made(seed, n_rows=30)
    scorer = scorer_of(several(X, y), X)
    whole = predict_block(X, scorer, with_sums=True)
    parts = [predict_block(X[at : at + 7], scorer, with_sums=True) for at in range(0, 30, 7)]
    assert np.array_equal(sum(part.counts for part in parts), np.bincount(whole.labels, minlength=3))
    sums = np.array([X[whole.labels == m].sum(axis=0) for m in range(3)])
    assert np.allclose(sum(part.sums for part in parts), sums)


@pytest.mark.slow
@given(seed=st.integers(0, 200), shift=st.sampled_from([0.0, -3.0, 20.0]))
def test_without_an_origin_it_is_the_same_scorer(seed, shift):
    X, y = made(seed, shift=shift)
    scorer = scorer_of(several(X, y), X)
    found, plain = predict_block(X, scorer), predict_block(X, scorer.without_origin())
    assert np.array_equal(found.labels, plain.labels)
    np.testing.assert_allclose(found.proba, plain.proba, rtol=1e-9)


def test_single_precision_gives_the_same_groups():
    X, y = made(0, n_rows=300)
    scorer = scorer_of(several(X, y), X)
    single = predict_block(X.astype(np.float32), scorer.as_arrays(lambda part: part.astype(np.float32)))
    assert single.proba.dtype == np.float32
    assert np.array_equal(single.labels, predict_block(X, scorer).labels)


def test_another_namespace_of_the_array_api_gives_the_same():
    X, y = made(2, n_rows=200)
    scorer = scorer_of(several(X, y), X)
    found, expected = (
        predict_block(X, scorer, array_namespace(X), with_sums=True),
        predict_block(X, scorer, with_sums=True),
    )
    assert array_namespace(X) is not np
    assert np.array_equal(found.labels, expected.labels)
    assert np.array_equal(found.counts, expected.counts)
    np.testing.assert_allclose(found.proba, expected.proba)
    np.testing.assert_allclose(found.sums, expected.sums)


def test_groups_without_width_are_certain():
    X = np.array([[0.0], [0.0], [4.0]])
    scorer = scorer_of(
        CenterClustering(np.array([0, 0, 1]), np.array([[0.0], [4.0]]), Metric(np.ones(1), np.ones(1)), 0), X
    )
    found = predict_block(np.array([[1.0], [3.5]]), scorer)
    assert scorer.width == 0.0
    assert found.labels.tolist() == [0, 1]
    assert found.proba.tolist() == [1.0, 1.0]


def test_a_constant_feature_weighs_nothing():
    X, y = made(3)
    X[:, 2] = 7.0
    clustering = several(X, y)
    moved = X.copy()
    moved[:, 2] = -1e3
    scorer = scorer_of(clustering, X)
    assert np.array_equal(predict_block(X, scorer).labels, predict_block(moved, scorer).labels)


def test_all_rows_of_a_table_are_predicted_block_by_block():
    X, y = made(1)
    clustering = by_centres(X, y)
    labels, confidence = predict_rows(clustering, X, X, block_size=16)
    assert np.array_equal(labels, clustering.predict(X))
    np.testing.assert_allclose(confidence, clustering.confidence(X))


def test_a_clustering_without_centres_predicts_itself():
    class Halves(Clustering):
        labels, metric = np.array([0, 1]), Metric(np.ones(1), np.ones(1))

        def predict_proba(self, X):
            return np.where(X[:, :1] > 0, [0.25, 0.75], [0.75, 0.25])

    labels, confidence = predict_rows(Halves(), np.zeros((2, 1)), np.array([[-1.0], [2.0]]))
    assert labels.tolist() == [0, 1]
    assert confidence.tolist() == [0.75, 0.75]


def test_a_scorer_knows_its_number_of_groups():
    X, y = made(0)
    clustering = several(X, y)
    assert isinstance(clustering, Prototypes)
    assert isinstance(scorer_of(clustering, X), CenterScorer)
    assert scorer_of(clustering, X).n_groups == 3
