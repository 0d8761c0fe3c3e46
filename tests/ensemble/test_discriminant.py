"""The discriminant is the Gaussian one with its covariance written out, whichever way it is solved."""

import numpy as np
import pytest
from scipy.special import softmax

from sameornot.ensemble.discriminant import (
    PRIOR_ROWS,
    classify,
    discriminant,
    left_out,
    rule_out,
    whiten,
    whitening,
)


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
    found = classify(rows, weights)
    squares = np.array([[(x - c) @ inverse @ (x - c) for c in centers] for x in rows])
    np.testing.assert_allclose(found.centers, centers, atol=1e-7)
    np.testing.assert_allclose(found.directions, inverse @ centers.T, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.memberships, softmax(-squares / 2, axis=1), atol=1e-6)


@pytest.mark.parametrize(("n_rows", "n_features"), SHAPES)
def test_distances_along_the_axes_are_those_of_the_covariance_between_centres(n_rows, n_features):
    rows, weights = problem(n_rows, n_features, seed=1)
    centers, covariance = written_out(rows, weights)
    found = classify(rows, weights)
    assert found.axes.shape[1] <= 2
    for a in range(3):
        for b in range(3):
            apart = centers[a] - centers[b]
            along = ((found.centers[a] - found.centers[b]) @ found.axes) ** 2
            assert along.sum() == pytest.approx(
                apart @ np.linalg.solve(covariance, apart), rel=1e-4, abs=1e-7
            )


@pytest.mark.parametrize("m", [0, 1, 2])
def test_a_row_left_out_is_judged_by_the_centre_of_the_others(m):
    rows, weights = problem(30, 4)
    own = np.flatnonzero(weights[:, 0] == 0.0)  # rows without a group: each is made one of group m
    weights[own, m] = 1.0
    found = classify(rows, weights)
    expected = []
    for row in own:
        others = np.delete(np.arange(30), row)
        centers = found.centers.copy()
        centers[m] = np.average(rows[others], axis=0, weights=weights[others, m])
        expected.append(softmax(-(((rows[row] - centers) @ found.axes) ** 2).sum(axis=1) / 2))
    np.testing.assert_allclose(
        left_out(rows[own], found, m, weights[:, m].sum()), np.array(expected), atol=1e-7
    )


def test_training_places_the_rows_of_far_blobs_and_doubts_a_wrong_answer():
    truth = np.repeat([0, 1], 20)
    rows = np.random.default_rng(0).normal(size=(40, 3)) + 8.0 * truth[:, None]
    groups = [np.array([0, 1, 2, 39]), np.array([20, 21, 22])]  # row 39 is of the other blob
    start = np.full((40, 2), 0.5)
    found = discriminant(rows, groups, start, np.zeros((40, 2), dtype=bool), trust=0.5, n_rounds=5)
    np.testing.assert_array_equal(found.memberships.argmax(axis=1), truth)
    np.testing.assert_allclose(found.memberships.sum(axis=1), 1)


def test_what_is_ruled_out_gets_nothing_unless_that_is_all():
    memberships = np.array([[0.2, 0.3, 0.5], [0.2, 0.3, 0.5], [0.0, 0.0, 1.0], [0.1, 0.2, 0.7]])
    ruled_out = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 1], [1, 1, 1]], dtype=bool)
    expected = [[0.4, 0.6, 0], [0.2, 0.3, 0.5], [0.5, 0.5, 0], [0.1, 0.2, 0.7]]
    np.testing.assert_allclose(rule_out(memberships, ruled_out), expected, atol=1e-8)


def test_whitened_rows_vary_alike_along_axes_that_do_not_go_together():
    rng = np.random.default_rng(0)
    rows = 5 + rng.normal(size=(500, 4)) @ (np.eye(4) + 0.1 * rng.normal(size=(4, 4)))
    covariance = np.cov(whiten(rows).T, bias=True)
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-10)
    assert (np.diag(covariance) > 0.9).all()
    assert (np.diag(covariance) < 1.0).all()


def test_a_constant_column_changes_no_distance_between_whitened_rows_but_by_the_floor():
    rows, _ = problem(50, 3)
    constant = whiten(np.column_stack([rows, np.full(50, 7.0)]))
    variance = np.linalg.eigvalsh(np.cov(rows.T, bias=True))[::-1]
    expected = variance / (variance + 0.02 * variance.sum() / 4)
    np.testing.assert_allclose(constant.var(axis=0), [*expected, 0.0], atol=1e-10)


@pytest.mark.parametrize("shape", [(50, 4), (5, 12), (10, 3)])
def test_rows_are_whitened_by_a_product_too(shape):
    rows, _ = problem(*shape)
    found = (rows - rows.mean(axis=0)) @ whitening(rows)
    np.testing.assert_allclose(found @ found.T, whiten(rows) @ whiten(rows).T, atol=1e-8)


def test_rows_that_are_all_the_same_are_whitened_to_nothing():
    assert not whitening(np.ones((6, 3))).any()
    assert not whiten(np.ones((6, 3))).any()
