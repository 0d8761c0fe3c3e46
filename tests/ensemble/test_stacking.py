"""Learners are weighted by how likely they make the tests, and the accuracy interval follows the tests."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot.ensemble.accuracy import accuracy_interval
from sameornot.ensemble.config import EnsembleConfig
from sameornot.ensemble.learners import Ensemble
from sameornot.ensemble.prequential import PredictionCheckpoint, collect_tests
from sameornot.ensemble.stacking import (
    Forecasts,
    Stacking,
    correct_novelty,
    fit_stacking,
    scale_temperature,
    stacking_weights,
)
from sameornot.ensemble.training import TrainingSet

CONFIG = EnsembleConfig()
PRIOR_TESTS = CONFIG.stacking.prior_tests

seeds = st.integers(0, 2**32 - 1)


def no_tests():
    return Stacking(np.ones(1), np.ones(1), np.array([]), np.array([], dtype=bool))


@settings(deadline=None, max_examples=50)
@given(seeds, st.sampled_from(CONFIG.stacking.inverse_temperatures))
def test_scaled_probabilities_are_powers_that_sum_to_one(seed, inverse_temperature):
    rng = np.random.default_rng(seed)
    memberships = rng.dirichlet(np.ones(4), size=7)
    memberships[::2, 1] = 0.0
    memberships /= memberships.sum(axis=1, keepdims=True)
    found = scale_temperature(memberships, inverse_temperature)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert (found[::2, 1] == 0).all()
    powers = memberships**inverse_temperature
    np.testing.assert_allclose(found, powers / powers.sum(axis=1, keepdims=True), rtol=1e-9)


def test_inverse_temperature_one_changes_nothing():
    memberships = np.array([[0.2, 0.8, 0.0], [1.0, 0.0, 0.0], [1e-300, 0.5, 0.5]])
    np.testing.assert_allclose(scale_temperature(memberships, 1.0), memberships)


@pytest.mark.parametrize("seed", range(8))
def test_the_weights_of_two_learners_are_the_likeliest_on_a_grid(seed):
    rng = np.random.default_rng(seed)
    tests = rng.uniform(0.01, 1.0, size=(25, 2)) * [1.0, rng.uniform(0.3, 1.0)]
    decay = np.linspace(0.5, 1.0, 25)

    def likelihood(first):
        weights = np.array([first, 1 - first])
        return decay @ np.log(tests @ weights) + PRIOR_TESTS / 2 * np.log(weights).sum()

    grid = np.linspace(0.001, 0.999, 999)
    best = grid[np.argmax([likelihood(first) for first in grid])]
    assert stacking_weights(tests, decay, np.full(2, 0.5), CONFIG.stacking)[0] == pytest.approx(
        best, abs=5e-3
    )


def learners_on(truth, rng):
    """What one gives that is always right, and one that gives anything (tests × learners × L)."""
    right = np.full((len(truth), 3), 0.05)
    right[np.arange(len(truth)), truth] = 0.9
    return np.stack([right, rng.dirichlet(np.ones(3), size=len(truth))], axis=1)


def test_a_learner_that_is_always_right_gets_nearly_all_the_weight_and_a_lower_temperature():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=60)
    is_open = np.eye(3, dtype=bool)[truth]
    tests = Forecasts(learners_on(truth, rng), is_open, np.zeros_like(is_open))
    found = fit_stacking(tests, np.ones(2), np.full(2, 0.5), CONFIG.stacking, 0.02)
    assert found.weights[0] > 0.9
    assert found.inverse_temperatures[0] > 1 > found.inverse_temperatures[1]
    assert found.is_correct.all()


def test_no_tests_leave_equal_weights_and_the_prior_temperatures():
    prior = np.array([0.25, 1.0, 4.0])
    nobody = np.empty((0, 2), dtype=bool)
    nothing = Forecasts(np.empty((0, 3, 2)), nobody, nobody)
    found = fit_stacking(nothing, prior, np.full(3, 1 / 3), CONFIG.stacking, 0.02)
    np.testing.assert_allclose(found.weights, 1 / 3)
    np.testing.assert_array_equal(found.inverse_temperatures, prior)
    assert len(found.confidence) == len(found.is_correct) == 0


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(seeds, st.integers(0, 30), st.integers(1, 60), st.integers(0, 500))
def test_the_interval_holds_the_estimate(seed, n_tests, n_open, n_certain):
    rng = np.random.default_rng(seed)
    confidence = rng.uniform(0.2, 1.0, size=n_tests)
    stacking = no_tests()._replace(confidence=confidence, is_correct=rng.random(n_tests) < rng.random())
    estimate, low, high = accuracy_interval(
        stacking, rng.uniform(rng.random(), 1.0, size=n_open), n_certain, CONFIG
    )
    assert n_certain / (n_certain + n_open) - 1e-9 <= estimate <= 1 + 1e-9
    assert 0 <= low <= estimate <= high <= 1


def test_nothing_is_in_doubt_when_all_rows_are_certain():
    estimate, low, high = accuracy_interval(no_tests(), np.array([]), 30, CONFIG)
    assert estimate == pytest.approx(1)
    assert low == pytest.approx(1, abs=1e-3)  # a step of the grid of shares
    assert high == 1


def test_each_failed_test_lowers_the_estimate():
    confidence = np.full(20, 0.8)
    found = [
        no_tests()._replace(confidence=confidence, is_correct=np.arange(20) >= failed) for failed in range(21)
    ]
    estimates = [accuracy_interval(tests, np.full(50, 0.8), 10, CONFIG).estimate for tests in found]
    assert (np.diff(estimates) < 0).all()


def test_old_failures_count_for_less_than_recent_ones():
    confidence, early = np.full(200, 0.8), np.arange(200) >= 20
    long_ago, just_now = (
        accuracy_interval(
            no_tests()._replace(confidence=confidence, is_correct=right), np.full(50, 0.8), 10, CONFIG
        ).estimate
        for right in (early, early[::-1])
    )
    assert long_ago > just_now


def novelty_tests(is_new):
    """Tests of a mixture that gives known and new groups the same; in each, the row was one or the other."""
    proba = np.full((len(is_new), 1, 3), 1 / 3)
    columns = np.tile([False, False, True], (len(is_new), 1))
    is_open = np.where(np.array(is_new)[:, None], columns, [True, False, False])
    return Forecasts(proba, is_open, columns)


def test_rows_that_turn_out_to_be_of_known_groups_make_new_groups_less_likely():
    factors = np.array(CONFIG.stacking.novelties)

    def mean_factor(is_new):
        found = fit_stacking(novelty_tests(is_new), np.ones(1), np.ones(1), CONFIG.stacking, 0.02)
        return found.novelty @ np.log2(factors)

    assert mean_factor([False] * 10) < mean_factor([]) < mean_factor([True] * 10)
    assert mean_factor([]) == pytest.approx(CONFIG.stacking.novelty_mean, abs=0.1)


@settings(deadline=None, max_examples=40)
@given(seeds)
def test_corrected_novelty_keeps_a_distribution_and_the_shares_of_known_groups(seed):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(4), size=5)
    novelty = rng.dirichlet(np.ones(len(CONFIG.stacking.novelties)))
    found = correct_novelty(proba, np.array([False, False, True, True]), novelty, CONFIG.stacking)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    np.testing.assert_allclose(found[:, 0] / found[:, 1], proba[:, 0] / proba[:, 1], rtol=1e-6)
    mass = proba[:, 2:].sum(axis=1)
    factors = np.array(CONFIG.stacking.novelties)[:, None]
    expected = novelty @ (factors * mass / (factors * mass + 1 - mass))
    np.testing.assert_allclose(found[:, 2:].sum(axis=1), expected)


def test_a_row_tests_the_learners_by_what_its_answers_leave_open():
    """Row 4 was placed in the first group since; row 5 is known to differ from it and nothing else."""
    checkpoint = PredictionCheckpoint([np.array([0, 1]), np.array([2])], np.full((1, 6, 3), 1 / 3), [])
    groups = [np.array([0, 1, 4]), np.array([2]), np.array([5])]
    excluded = np.zeros((6, 3), dtype=bool)
    excluded[5, 0] = True
    tests = collect_tests([checkpoint], TrainingSet(groups, excluded), Ensemble(("lda",)))
    assert tests.is_open.tolist() == [[True, False, False], [False, True, True]]
    assert tests.is_new.tolist() == [[False, False, True]] * 2
