"""Kernel ridge regression against scikit-learn's, and against leaving each row out in turn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.kernel_ridge import KernelRidge

from sameornot.ensemble.config import LeastSquaresConfig
from sameornot.ensemble.least_squares import Kernel, least_squares, regress

CONFIG = LeastSquaresConfig()


def some_kernel(rows, width):
    return Kernel(width, rows.mean(axis=0), rows.var(axis=0).sum())


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from(CONFIG.widths))
def test_what_is_predicted_for_a_row_is_the_ridge_regression_of_all_others(seed, width):
    rng = np.random.default_rng(seed)
    rows, targets = rng.normal(size=(12, 3)), rng.normal(size=(12, 2))
    kernel = some_kernel(rows, width)
    similarities = kernel(rows, rows)
    found = regress(similarities, targets, CONFIG.ridge)
    plain = KernelRidge(alpha=CONFIG.ridge, kernel="precomputed")
    np.testing.assert_allclose(
        similarities @ found.coefficients, plain.fit(similarities, targets).predict(similarities), atol=1e-7
    )
    for row in range(12):
        others = np.delete(np.arange(12), row)
        plain.fit(similarities[np.ix_(others, others)], targets[others])
        np.testing.assert_allclose(
            found.left_out[row], plain.predict(similarities[[row]][:, others])[0], atol=1e-6
        )


def test_kernels_are_those_of_scikit_learn():
    from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

    rows = np.random.default_rng(0).normal(size=(9, 4))
    unit = rows.var(axis=0).sum()
    np.testing.assert_allclose(some_kernel(rows, 0.3)(rows, rows), rbf_kernel(rows, gamma=1 / (0.6 * unit)))
    centred = rows - rows.mean(axis=0)
    np.testing.assert_allclose(some_kernel(rows, np.inf)(rows, rows), linear_kernel(centred) / unit)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_a_border_that_no_line_follows_is_learned_in_any_unit(unit):
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 200), np.repeat([1.0, 3.0], 100) + 0.2 * rng.normal(size=200)
    rows = unit * np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    proba = least_squares(rows, [np.arange(15), np.arange(100, 115)], CONFIG)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (proba.argmax(axis=1) == np.repeat([0, 1], 100)).mean() > 0.95


def test_rows_without_variance_and_single_rows_say_nothing():
    proba = least_squares(np.ones((5, 2)), [np.array([0]), np.array([1])], CONFIG)
    np.testing.assert_allclose(proba[2:], 0.5)
