"""The full metric is that of a semidefinite solver, and its subspace is never singular."""

import cvxpy as cp
import numpy as np
import pytest

from sameornot._types import TrainingPairs, WeightedPairs
from sameornot.metric.diagonal import exact_weights
from sameornot.metric.full import best_psd, subspace
from sameornot.metric.learn import feature_scale, learn_metric

TOLERANCE = 1e-3  # that of `best_psd`


def random_problem(seed, n_pairs, n_axes, *, shared=0.0):
    """Differences with unequal spreads and, with `shared`, one direction that they have in common."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n_pairs, n_axes)) * rng.uniform(0.3, 2.0, size=n_axes)
    z += shared * rng.normal(size=(n_pairs, 1)) * rng.normal(size=n_axes)
    return z, rng.uniform(0.05, 1.0, size=n_pairs)


PROBLEMS = {
    "three axes": random_problem(0, 20, 3),
    "four axes": random_problem(1, 40, 4, shared=1.0),
    "five axes": random_problem(2, 15, 5, shared=2.0),
    "fewer pairs than axes": random_problem(3, 3, 5),
    "one axis": random_problem(4, 8, 1),
    "one pair": random_problem(5, 1, 4),
}


@pytest.fixture(params=PROBLEMS)
def problem(request):
    return PROBLEMS[request.param]


def separation(matrix, z, pair_weight):
    return sum(w * np.sqrt(row @ matrix @ row) for w, row in zip(pair_weight, z, strict=True))


def solve_semidefinite(z, pair_weight, scatter=None):
    """The best A and its value, budget tr(A C) = 1."""
    n_axes = z.shape[1]
    scatter = np.eye(n_axes) if scatter is None else scatter
    matrix = cp.Variable((n_axes, n_axes), PSD=True)
    squares = cp.sum(cp.multiply(z @ matrix, z), axis=1)
    convex = cp.Problem(cp.Maximize(pair_weight @ cp.sqrt(squares)), [cp.trace(matrix @ scatter) == 1])
    return convex.solve(solver="CLARABEL"), matrix.value


def test_the_best_matrix_reaches_the_optimum_of_a_semidefinite_solver(problem):
    found, _ = best_psd(*problem)
    best, _ = solve_semidefinite(*problem)
    assert separation(found, *problem) == pytest.approx(best, rel=TOLERANCE)


def test_the_best_matrix_is_positive_semidefinite_of_trace_one(problem):
    found, _ = best_psd(*problem)
    np.testing.assert_allclose(found, found.T, atol=1e-12)
    assert np.linalg.eigvalsh(found)[0] >= -1e-12
    assert np.trace(found) == pytest.approx(1)


def test_the_gap_bounds_the_relative_distance_to_the_optimum(problem):
    found, gap = best_psd(*problem)
    best, _ = solve_semidefinite(*problem)
    reached = separation(found, *problem)
    assert gap >= (best - reached) / reached - 1e-6
    assert gap < TOLERANCE


@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_the_gap_is_a_bound_when_the_search_is_cut_short_too(problem, max_iter):
    found, gap = best_psd(*problem, max_iter=max_iter)
    best, _ = solve_semidefinite(*problem)
    reached = separation(found, *problem)
    assert gap >= (best - reached) / reached - 1e-6


def test_the_full_metric_separates_no_worse_than_the_diagonal_one(problem):
    z, pair_weight = problem
    diagonal = np.diag(exact_weights(z**2, pair_weight, np.ones(z.shape[1])).weights)
    full, _ = best_psd(z, pair_weight)
    assert separation(full, *problem) >= (1 - TOLERANCE) * separation(diagonal, *problem)


def test_longer_searches_never_separate_worse(problem):
    reached = [separation(best_psd(*problem, max_iter=n, tol=0.0)[0], *problem) for n in range(6)]
    assert (np.diff(reached) >= -1e-12 * reached[-1]).all()


def random_scatter(seed, n_features):
    root = np.random.default_rng(seed).normal(size=(n_features, n_features))
    return root @ root.T / n_features + 0.1 * np.eye(n_features)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n_pairs", "n_features"), [(20, 4), (3, 6), (1, 5), (10, 1)])
def test_the_subspace_has_orthonormal_columns(seed, n_pairs, n_features):
    z, pair_weight = random_problem(seed, n_pairs, n_features)
    axes = subspace(z, pair_weight, random_scatter(seed, n_features))
    assert axes.shape[0] == n_features
    assert 1 <= axes.shape[1] <= min(n_pairs, n_features)
    np.testing.assert_allclose(axes.T @ axes, np.eye(axes.shape[1]), atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_one_pair_is_separated_best_along_one_known_direction(seed):
    # sqrt(dᵀ A d) under tr(A C) = 1 is greatest for A ∝ (C⁻¹ d)(C⁻¹ d)ᵀ, by Cauchy and Schwarz
    z, pair_weight = random_problem(seed, 1, 5)
    scatter = random_scatter(seed, 5)
    direction = np.linalg.solve(scatter, z[0])
    axes = subspace(z, pair_weight, scatter)
    assert axes.shape[1] == 1
    assert abs(axes[:, 0] @ direction) == pytest.approx(np.linalg.norm(direction))


@pytest.mark.parametrize("seed", range(3))
def test_the_axes_are_eigenvectors_of_the_solvers_metric_strongest_first(seed):
    z, pair_weight = random_problem(seed, 30, 4, shared=1.0)
    scatter = random_scatter(seed, 4)
    _, metric = solve_semidefinite(z, pair_weight, scatter)
    axes = subspace(z, pair_weight, scatter)
    along = axes.T @ metric @ axes
    np.testing.assert_allclose(along, np.diag(np.diag(along)), atol=0.05 * np.trace(metric))
    assert np.trace(along) == pytest.approx(np.trace(metric), rel=0.02)
    assert (np.diff(np.diag(along)) <= 0.05 * np.trace(metric)).all()


@pytest.mark.parametrize("n_must_links", [0, 1, 2])
@pytest.mark.parametrize("n_features", [3, 40])
def test_few_answers_and_many_features_never_crash(n_must_links, n_features):
    X = np.random.default_rng(0).normal(size=(8, n_features))
    same = WeightedPairs(np.arange(n_must_links), np.arange(1, n_must_links + 1), np.ones(n_must_links))
    apart = WeightedPairs(np.array([0]), np.array([5]), np.ones(1))
    metric = learn_metric(
        X,
        TrainingPairs(same, apart, apart, n_similar=n_must_links, n_different=1),
        kind="full",
        scale=feature_scale(X),
    )
    assert np.isfinite(metric.matrix).all()
    assert np.linalg.eigvalsh(metric.matrix)[0] >= -1e-9 * np.trace(metric.matrix)
    distances = metric.transform(X)
    assert np.linalg.norm(distances[0] - distances[5]) > 0


def test_duplicated_features_never_crash():
    X = np.random.default_rng(0).normal(size=(10, 3))[:, [0, 0, 1, 2, 2]]
    same = WeightedPairs(np.array([0, 1]), np.array([1, 2]), np.full(2, 0.5))
    apart = WeightedPairs(np.array([0, 4]), np.array([5, 6]), np.full(2, 0.5))
    metric = learn_metric(
        X, TrainingPairs(same, apart, apart, n_similar=2, n_different=3), kind="full", scale=feature_scale(X)
    )
    assert metric.feature_weights[[0, 3]] == pytest.approx(metric.feature_weights[[1, 4]])
