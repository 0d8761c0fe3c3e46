"""The groups of a pool, fitted on more rows."""

import numpy as np
import pytest
from simulated import simulate
from sklearn.metrics import adjusted_rand_score

from sameornot.cluster.block import predict_rows
from sameornot.datasets import make_gaussian
from sameornot.ensemble.learners import LEARNERS, Ensemble, base_proba
from sameornot.ensemble.preparation import make_views
from sameornot.ensemble.training import TrainingSet

X, Y = make_gaussian(n_samples=300, n_relevant=3, separation=4.0, random_state=0)
POOL = np.arange(0, 300, 5)


def pooled(n_answers, n_clusters=3, noise=0.0, rows=POOL):
    """A fit by answers about some rows only, and the rows that these placed."""
    return simulate(X[rows], Y[rows], n_answers, n_clusters=n_clusters, noise=noise)


@pytest.mark.slow
@pytest.mark.parametrize(("n_answers", "noise"), [(0, 0.0), (1, 0.0), (20, 0.0), (40, 0.2)])
def test_placed_rows_stay_where_they_are_and_all_others_get_a_group(n_answers, noise):
    fit, _, neighbourhoods = pooled(n_answers, noise=noise)
    expanded = fit.expand(X, POOL)
    placed = np.concatenate([np.empty(0, dtype=np.intp), *neighbourhoods])
    assert np.array_equal(expanded.labels[POOL[placed]], fit.labels[placed])
    assert np.array_equal(expanded.fitted_confidence[POOL[placed]], fit.fitted_confidence[placed])
    is_excluded = fit.proba == 0
    assert not is_excluded[np.arange(len(POOL)), expanded.labels[POOL]].any()
    assert set(expanded.labels.tolist()) <= {0, 1, 2}
    np.testing.assert_allclose(expanded.proba.sum(axis=1), 1.0)
    assert (expanded.fitted_confidence > 1 / 3 - 1e-9).all()
    assert (expanded.fitted_confidence <= 1 + 1e-12).all()


def test_one_group_is_that_of_all_rows():
    expanded = pooled(0, n_clusters=1).fit.expand(X, POOL)
    assert not expanded.labels.any()
    assert (expanded.fitted_confidence == 1).all()


def test_other_rows_are_predicted_as_those_of_the_fit():
    """Expanded to its own rows, it repeats its predictions."""
    fit = pooled(25, rows=np.arange(300)).fit
    expanded = fit.expand(X, np.arange(300))
    assert adjusted_rand_score(expanded.labels, fit.labels) > 0.95
    training = TrainingSet.without_exclusions(fit.posterior.groups, 300)
    views, without_trees = make_views(X, X.std(axis=0), fit.ensemble.config), Ensemble(LEARNERS[:4])
    predicted = base_proba(views, training, without_trees, np.random.default_rng(0))
    own = base_proba(fit.geometry, training, without_trees, np.random.default_rng(0))
    assert np.abs(predicted - own).max() < 1e-6


def test_rows_beyond_are_predicted_by_the_prototypes():
    wide = np.union1d(np.arange(0, 300, 2), POOL)
    expanded = pooled(20).fit.expand(X[wide], np.searchsorted(wide, POOL))
    labels, _ = predict_rows(expanded, X[wide], X)
    beyond = np.setdiff1d(np.arange(300), wide)
    assert np.array_equal(labels[beyond], expanded.predict(X[beyond]))
    labels[wide] = expanded.labels
    assert adjusted_rand_score(Y, labels) > 0.9
