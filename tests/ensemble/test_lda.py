"""LDA is the Gaussian classifier with its covariance written out, whichever way it is solved."""

import numpy as np
import pytest
from scipy.special import softmax

from sameornot.ensemble.config import LDAConfig
from sameornot.ensemble.lda import EM, exclude, fit_lda, leave_one_out, semi_supervised_lda
from sameornot.ensemble.training import TrainingSet
from sameornot.ensemble.whitening import whiten, whitening_matrix

PRIOR_ROWS = 4.0
FLOOR = LDAConfig().whitening_floor


def problem(n_rows, n_features, n_groups=3, seed=0):
    """Rows, and soft weights of which some rows have none."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n_rows, n_features)) @ rng.normal(size=(n_features, n_features))
    weights = rng.dirichlet(np.ones(n_groups), size=n_rows)
    weights[::4] = 0.0
    return rows / rows.std(), weights


def written_out(rows, weights):
    """Centres and C, by loops over groups and rows."""
    n_features = rows.shape[1]
    mass = weights.sum(axis=0)
    centers = np.array([np.average(rows, axis=0, weights=w) for w in weights.T])
    scatter = np.zeros((n_features, n_features))
    for center, column in zip(centers, weights.T, strict=True):
        for row, weight in zip(rows, column, strict=True):
            scatter += weight * np.outer(row - center, row - center)
    variance = (PRIOR_ROWS + np.diag(scatter)) / (PRIOR_ROWS + mass.sum())
    return centers, (scatter + n_features * np.diag(variance)) / (mass.sum() + n_features)


SHAPES = [(30, 4), (12, 12), (10, 25), (6, 60)]  # the last two have more features than rows


@pytest.mark.parametrize(("n_rows", "n_features"), SHAPES)
@pytest.mark.parametrize("n_groups", [1, 2, 4])
def test_memberships_equal_the_gaussian_formula_with_an_explicit_inverse(n_rows, n_features, n_groups):
    rows, weights = problem(n_rows, n_features, n_groups)
    centers, covariance = written_out(rows, weights)
    inverse = np.linalg.inv(covariance)
    found = fit_lda(rows, weights, PRIOR_ROWS)
    squares = np.array([[(x - c) @ inverse @ (x - c) for c in centers] for x in rows])
    np.testing.assert_allclose(found.centers, centers, atol=1e-7)
    np.testing.assert_allclose(found.directions, inverse @ centers.T, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.memberships, softmax(-squares / 2, axis=1), atol=1e-6)


@pytest.mark.parametrize(("n_rows", "n_features"), SHAPES)
def test_distances_along_the_axes_are_those_of_the_covariance_between_centres(n_rows, n_features):
    rows, weights = problem(n_rows, n_features, seed=1)
    centers, covariance = written_out(rows, weights)
    found = fit_lda(rows, weights, PRIOR_ROWS)
    assert found.axes.shape[1] <= 2
    for a in range(3):
        for b in range(3):
            apart = centers[a] - centers[b]
            along = ((found.centers[a] - found.centers[b]) @ found.axes) ** 2
            assert along.sum() == pytest.approx(
                apart @ np.linalg.solve(covariance, apart), rel=1e-4, abs=1e-7
            )


@pytest.mark.parametrize("m", [0, 1, 2])
def test_a_row_left_out_is_predicted_by_the_centre_of_the_others(m):
    rows, weights = problem(30, 4)
    own = np.flatnonzero(weights[:, 0] == 0.0)  # rows without a group: each is made one of group m
    weights[own, m] = 1.0
    found = fit_lda(rows, weights, PRIOR_ROWS)
    expected = []
    for row in own:
        others = np.delete(np.arange(30), row)
        centers = found.centers.copy()
        centers[m] = np.average(rows[others], axis=0, weights=weights[others, m])
        expected.append(softmax(-(((rows[row] - centers) @ found.axes) ** 2).sum(axis=1) / 2))
    left_out = leave_one_out(rows[own], np.full(len(own), m), found, weights.sum(axis=0))
    np.testing.assert_allclose(left_out, np.array(expected), atol=1e-7)


def test_em_finds_the_rows_of_far_blobs_and_doubts_a_wrong_answer():
    truth = np.repeat([0, 1], 20)
    rows = np.random.default_rng(0).normal(size=(40, 3)) + 8.0 * truth[:, None]
    groups = [np.array([0, 1, 2, 39]), np.array([20, 21, 22])]  # row 39 is of the other blob
    start = np.full((40, 2), 0.5)
    training = TrainingSet.without_exclusions(groups, 40)
    found = semi_supervised_lda(rows, training, start, EM(0.5, 5, PRIOR_ROWS))
    np.testing.assert_array_equal(found.memberships.argmax(axis=1), truth)
    np.testing.assert_allclose(found.memberships.sum(axis=1), 1)


def test_excluded_groups_get_nothing_unless_all_are_excluded():
    memberships = np.array([[0.2, 0.3, 0.5], [0.2, 0.3, 0.5], [0.0, 0.0, 1.0], [0.1, 0.2, 0.7]])
    excluded = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 1], [1, 1, 1]], dtype=bool)
    expected = [[0.4, 0.6, 0], [0.2, 0.3, 0.5], [0.5, 0.5, 0], [0.1, 0.2, 0.7]]
    np.testing.assert_allclose(exclude(memberships, excluded), expected, atol=1e-8)


def test_whitened_rows_are_uncorrelated_with_nearly_equal_variances():
    rng = np.random.default_rng(0)
    rows = 5 + rng.normal(size=(500, 4)) @ (np.eye(4) + 0.1 * rng.normal(size=(4, 4)))
    covariance = np.cov(whiten(rows, FLOOR).T, bias=True)
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-10)
    assert (np.diag(covariance) > 0.9).all()
    assert (np.diag(covariance) < 1.0).all()


def test_a_constant_column_changes_no_distance_between_whitened_rows_but_by_the_floor():
    rows, _ = problem(50, 3)
    constant = whiten(np.column_stack([rows, np.full(50, 7.0)]), FLOOR)
    variance = np.linalg.eigvalsh(np.cov(rows.T, bias=True))[::-1]
    expected = variance / (variance + FLOOR * variance.sum() / 4)
    np.testing.assert_allclose(constant.var(axis=0), [*expected, 0.0], atol=1e-10)


@pytest.mark.parametrize("shape", [(50, 4), (5, 12), (10, 3)])
def test_the_whitening_matrix_whitens(shape):
    rows, _ = problem(*shape)
    found = (rows - rows.mean(axis=0)) @ whitening_matrix(rows, FLOOR)
    np.testing.assert_allclose(found @ found.T, whiten(rows, FLOOR) @ whiten(rows, FLOOR).T, atol=1e-8)


def test_equal_rows_are_whitened_to_zero():
    assert not whitening_matrix(np.ones((6, 3)), FLOOR).any()
    assert not whiten(np.ones((6, 3)), FLOOR).any()
