"""Learners are believed as far as their record makes the answers likely, and the forecast follows it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot.ensemble.stacking import PRIOR_TESTS, SHARPNESS, Record, forecast, judge, mix, sharpen

seeds = st.integers(0, 2**32 - 1)


def no_tests():
    return Record(np.ones(1), np.ones(1), np.array([]), np.array([], dtype=bool))


@settings(deadline=None, max_examples=50)
@given(seeds, st.sampled_from(SHARPNESS))
def test_sharpened_memberships_are_powers_that_sum_to_one(seed, sharpness):
    rng = np.random.default_rng(seed)
    memberships = rng.dirichlet(np.ones(4), size=7)
    memberships[::2, 1] = 0.0
    memberships /= memberships.sum(axis=1, keepdims=True)
    found = sharpen(memberships, sharpness)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert (found[::2, 1] == 0).all()
    powers = memberships**sharpness
    np.testing.assert_allclose(found, powers / powers.sum(axis=1, keepdims=True), rtol=1e-9)


def test_sharpness_one_changes_nothing():
    memberships = np.array([[0.2, 0.8, 0.0], [1.0, 0.0, 0.0], [1e-300, 0.5, 0.5]])
    np.testing.assert_allclose(sharpen(memberships, 1.0), memberships)


@pytest.mark.parametrize("seed", range(8))
def test_the_mix_of_two_learners_is_the_likeliest_on_a_grid(seed):
    rng = np.random.default_rng(seed)
    chances = rng.uniform(0.01, 1.0, size=(25, 2)) * [1.0, rng.uniform(0.3, 1.0)]
    age = np.linspace(0.5, 1.0, 25)

    def likelihood(first):
        weights = np.array([first, 1 - first])
        return age @ np.log(chances @ weights) + PRIOR_TESTS / 2 * np.log(weights).sum()

    grid = np.linspace(0.001, 0.999, 999)
    best = grid[np.argmax([likelihood(first) for first in grid])]
    assert mix(chances, age)[0] == pytest.approx(best, abs=5e-3)


def learners_on(truth, rng):
    """What one gives that is always right, and one that gives anything (tests × learners × L)."""
    right = np.full((len(truth), 3), 0.05)
    right[np.arange(len(truth)), truth] = 0.9
    return np.stack([right, rng.dirichlet(np.ones(3), size=len(truth))], axis=1)


def test_a_learner_that_is_always_right_gets_nearly_all_the_weight_and_is_taken_sharper():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=60)
    record = judge(learners_on(truth, rng), truth, np.ones(2))
    assert record.weights[0] > 0.9
    assert record.sharpness[0] > 1 > record.sharpness[1]
    assert record.right.all()


def test_no_tests_leave_equal_weights_and_the_usual_sharpness():
    usual = np.array([0.25, 1.0, 4.0])
    record = judge(np.empty((0, 3, 2)), np.empty(0, dtype=int), usual)
    np.testing.assert_allclose(record.weights, 1 / 3)
    np.testing.assert_array_equal(record.sharpness, usual)
    assert len(record.sure) == len(record.right) == 0


@settings(deadline=None, max_examples=60)
@given(seeds, st.integers(0, 30), st.integers(1, 60), st.integers(0, 500))
def test_the_interval_holds_the_estimate(seed, n_tests, n_open, n_settled):
    rng = np.random.default_rng(seed)
    sure = rng.uniform(0.2, 1.0, size=n_tests)
    record = no_tests()._replace(sure=sure, right=rng.random(n_tests) < rng.random())
    estimate, low, high = forecast(record, rng.uniform(rng.random(), 1.0, size=n_open), n_settled)
    assert n_settled / (n_settled + n_open) - 1e-9 <= estimate <= 1 + 1e-9
    assert 0 <= low <= estimate <= high <= 1


def test_nothing_is_in_doubt_when_all_rows_are_settled():
    estimate, low, high = forecast(no_tests(), np.array([]), 30)
    assert estimate == pytest.approx(1)
    assert low == pytest.approx(1, abs=1e-3)  # a step of the grid of shares
    assert high == 1


def test_each_failed_test_lowers_the_estimate():
    sure = np.full(20, 0.8)
    records = [no_tests()._replace(sure=sure, right=np.arange(20) >= failed) for failed in range(21)]
    estimates = [forecast(record, np.full(50, 0.8), 10)[0] for record in records]
    assert (np.diff(estimates) < 0).all()


def test_what_failed_long_ago_says_less_than_what_failed_just_now():
    sure, early = np.full(200, 0.8), np.arange(200) >= 20
    long_ago, just_now = (
        forecast(no_tests()._replace(sure=sure, right=right), np.full(50, 0.8), 10)[0]
        for right in (early, early[::-1])
    )
    assert long_ago > just_now
