"""Contradictory answers: which rows the search predicts, and what is found in spite of wrong answers."""

from dataclasses import replace

import numpy as np
import pytest
from simulated import simulate
from sklearn.metrics import adjusted_rand_score

from sameornot.datasets import make_gaussian
from sameornot.ensemble.clustering import EnsembleClustering
from sameornot.ensemble.config import EnsembleConfig
from sameornot.ensemble.inconsistent import sample_rows
from sameornot.ensemble.learners import Ensemble
from sameornot.ensemble.preparation import prepare
from sameornot.ensemble.prequential import PredictionCheckpoint, stack
from sameornot.ensemble.stacking import mixture_proba
from sameornot.ensemble.training import TrainingSet

X, Y = make_gaussian(n_samples=240, n_relevant=3, random_state=0)
CONFIG = EnsembleConfig()
N_ROWS = CONFIG.search.n_rows


def test_all_rows_of_a_small_table_are_searched():
    rng = np.random.default_rng(0)
    assert sample_rows(np.array([3, 7]), N_ROWS, N_ROWS, rng).tolist() == list(range(N_ROWS))
    assert rng.bit_generator.state == np.random.default_rng(0).bit_generator.state


def test_of_a_larger_one_those_with_answers_and_as_many_others_as_there_is_room_for():
    asked = np.arange(0, 5_000, 50)
    searched = sample_rows(asked, 5_000, N_ROWS, np.random.default_rng(0))
    assert len(searched) == len(set(searched.tolist())) == N_ROWS
    assert set(asked) <= set(searched)
    many = np.arange(N_ROWS + 5)
    np.testing.assert_array_equal(sample_rows(many, 5_000, N_ROWS, np.random.default_rng(0)), many)


def test_the_geometry_of_all_rows_is_the_geometry():
    whole = prepare(X, X.std(axis=0), None, Ensemble())
    same = whole.subset(np.arange(len(X)), 10)
    np.testing.assert_array_equal(same.graph.toarray(), whole.graph.toarray())
    np.testing.assert_array_equal(same.kernel, whole.kernel)
    some = whole.subset(np.array([5, 9, 200, 201]), 10)
    assert some.graph.shape == some.kernel.shape == (4, 4)
    np.testing.assert_array_equal(some.whitened, whole.whitened[[5, 9, 200, 201]])


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [60, N_ROWS])
def test_groups_are_found_in_spite_of_wrong_answers(n_rows):
    config = replace(CONFIG, search=replace(CONFIG.search, n_rows=n_rows))
    found = simulate(X, Y, 120, noise=0.1, model=EnsembleClustering(3, config=config))
    assert found.fit.posterior.checkpoint.map_groups, "a question was answered both ways"
    assert adjusted_rand_score(Y, found.fit.labels) > 0.9


def test_predictions_of_a_group_are_tested_by_the_group_that_most_of_its_rows_are_in_now():
    """Row 0 was in the first group by mistake; rows 4 and 5 have been placed since."""
    proba = np.tile([[0.9, 0.1]], (1, 6, 1))
    checkpoint = PredictionCheckpoint([np.array([0, 1, 2]), np.array([3])], proba, [])
    now = [np.array([0, 3]), np.array([1, 2, 4, 5])]
    known = TrainingSet.without_exclusions(now, 6)
    assert stack([checkpoint], known, Ensemble(("lda",))).is_correct.tolist() == [True, True]


@pytest.mark.slow
def test_where_answers_contradict_learners_are_trained_on_the_map_assignment():
    fit = simulate(X, Y, 75, noise=0.1).fit
    posterior, checkpoint = fit.posterior, fit.posterior.checkpoint
    assert checkpoint.map_groups
    assert [rows.tolist() for rows in checkpoint.groups] == [rows.tolist() for rows in posterior.groups]
    expected = mixture_proba(
        checkpoint.proba.astype(float), posterior.groups, posterior.stacking, fit.ensemble
    )
    np.testing.assert_allclose(posterior.prior, expected, atol=1e-6)
