"""The bounds of Theorems 1 and 3 and Corollary 1 against direct sums, inversions and simulation."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import comb

from reproduction.bounds import (
    LABELLED_ONLY,
    bayes_error,
    enough_members,
    excess,
    excess_with_errors,
    first_below,
    first_counterexample,
    first_impossible,
    first_negative,
    least_excess_of_unlabelled,
    log_delta,
    log_failure_of_nothing,
    log_growth,
    log_tail,
    two_step_bound,
    vc_dimensions,
)

numbers = st.integers(1, 3000)
dimensions = st.integers(1, 700)


@given(numbers, dimensions)
def test_growth_is_at_least_that_of_sauers_lemma(n_answers, dimension):
    # The number of subsets of at most D of 2 n_l points, exactly.
    most = sum(comb(2 * n_answers, k, exact=True) for k in range(min(dimension, 2 * n_answers) + 1))
    assert log_growth(n_answers, dimension) >= (most.bit_length() - 1) * np.log(2.0) - 1e-6


@given(numbers, dimensions, st.sampled_from([0.01, 0.05, 0.5]))
def test_the_excess_makes_the_printed_delta(n_answers, dimension, delta):
    epsilon = excess(n_answers, dimension, delta=delta)
    if 2 * n_answers > 4 * dimension:  # beyond the cap of 2^(2 n_l)
        printed = (2 * np.e * n_answers / dimension) ** np.longdouble(dimension)
        found = 8 * printed * np.exp(-np.longdouble(epsilon) * n_answers / 2)
        assert float(found) == pytest.approx(delta, rel=1e-6)
    assert log_delta(n_answers, epsilon, dimension) == pytest.approx(np.log(delta))


@pytest.mark.parametrize("bound", [excess, excess_with_errors])
@given(dimension=dimensions)
def test_more_answers_never_make_the_bound_worse(bound, dimension):
    values = [bound(n, dimension) for n in range(1, 2000, 7)]
    assert all(np.diff(values) < 0)


def test_without_augmentation_the_printed_bound_is_the_smaller_one():
    for n_answers, dimension in product((20, 300, 5000), (9, 36, 630)):
        difference = excess(n_answers, dimension) - excess(n_answers, dimension, factor=LABELLED_ONLY)
        assert difference == pytest.approx(2 * np.log(2) / n_answers)


@given(st.integers(1, 10**6), st.integers(1, 50))
def test_the_first_below_is_the_first(answer, start):
    assert first_below(lambda n: 0.0 if n >= answer else 1.0, 0.5, start=start) == max(answer, start)


def test_what_never_falls_has_no_first():
    assert first_below(lambda n: 1.0, 0.5) is None


def test_printed_dimension_covers_general_metrics_up_to_two_features_only():
    found = [vc_dimensions(p) for p in range(1, 6)]
    assert [dims["printed"] >= dims["general"] for dims in found] == [True, True, False, False, False]
    assert all(dims["printed"] > dims["diagonal"] for dims in found)


def test_unlabelled_pairs_are_just_enough():
    epsilon = least_excess_of_unlabelled(1770, 9)
    assert (10 * np.log(1 / epsilon) + np.log(2 / 0.05)) / epsilon**2 == pytest.approx(1770)
    assert least_excess_of_unlabelled(1, 9) == 1.0
    assert least_excess_of_unlabelled(30, 9) > epsilon


def test_calling_every_pair_the_same_breaks_theorem_1():
    """By simulation: K = 2, p = 1, ε = .02, 4,000 answers; δ would be 4e-9."""
    n_answers, different, epsilon = 4000, 0.5, 0.02
    wrong = np.random.default_rng(0).binomial(n_answers, different, size=400_000) / n_answers
    share = np.mean(different > wrong + epsilon)  # e > s + ε for s = ê
    exact = np.exp(log_failure_of_nothing(n_answers, different, epsilon))
    assert share == pytest.approx(exact, rel=0.1)
    assert exact > 0.005
    assert np.exp(log_delta(n_answers, epsilon, vc_dimensions(1)["printed"])) < 1e-8


@pytest.mark.parametrize(("dimension", "different"), [(2, 0.5), (45, 5 / 6), (630, 0.8)])
def test_from_the_first_counterexample_on_it_gets_worse(dimension, different):
    first = first_counterexample(dimension, different, 0.05)

    def margin(n):
        return log_delta(n, 0.05, dimension) - log_failure_of_nothing(n, different, 0.05)

    assert margin(first) < 0
    assert all(np.diff([margin(first * factor) for factor in (1, 2, 4)]) < 0)
    assert margin(first // 2) > 0


def test_the_tail_of_corollary_1_is_the_printed_product():
    n, K, size, r = 8, 2, 1.0, 1.0
    alpha = n / K
    bracket = size**n * np.exp(-2 * size * n) - alpha**n * np.exp(-2 * alpha * n)
    printed = n * K ** (2 * n) * np.log(K) * np.exp(-n * r**2) * bracket
    assert log_tail(n, K, size, r) == pytest.approx(np.log(printed))
    assert log_tail(n, K, alpha, r) == -np.inf


@pytest.mark.parametrize(("n_clusters", "members"), [(2, 1), (3, 2), (5, 2), (9, 3), (10, 3)])
def test_few_members_are_enough_for_the_condition_of_corollary_1(n_clusters, members):
    assert enough_members(n_clusters) == members


def test_bayes_error_is_the_share_of_points_nearer_to_the_other_centre():
    rng = np.random.default_rng(0)
    for separation in (1.0, 2.0, 3.0):
        along = rng.normal(0.0, np.sqrt(0.5), size=400_000)  # density ∝ exp(−x²), σ = 1
        assert bayes_error(separation) == pytest.approx(np.mean(along > separation / 2), abs=3e-3)


def test_theorem_3_depends_on_the_unit_of_length():
    """With r and σ in another unit, the problem is the same and the bound is not."""
    one, small = (float(two_step_bound(300, 5, 3.0, sigma=unit)) for unit in (1.0, 1e-6))
    assert one > 49
    assert small < 0.06
    assert first_negative(5, 3.0, sigma=1e-12) < first_negative(5, 3.0)


@pytest.mark.parametrize("separation", [0.25, 0.5, 1.0, 1.5])
@pytest.mark.parametrize("n_clusters", [2, 5, 10])
def test_the_first_negative_bound_is_the_first(n_clusters, separation):
    first = first_negative(n_clusters, separation)
    bounds = two_step_bound(np.arange(n_clusters**2 + 1, first + 500), n_clusters, separation)
    assert (np.flatnonzero(bounds < 0)[0] + n_clusters**2 + 1) == first
    assert (bounds[first - n_clusters**2 - 1 :] < 0).all()


def test_theorem_3_asks_for_more_than_all_information():
    n_points = first_impossible(10, 0.5)
    assert n_points == 91
    bound = two_step_bound(10 * n_points - 1, 10, 0.5)
    assert bound < -n_points * np.log(10)  # log of the number of label vectors
    assert first_impossible(2, 1.0) is None  # e^(−1)(K − 1) is below log K
