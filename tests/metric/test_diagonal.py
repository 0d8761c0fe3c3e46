"""The weights of features are those of a general convex solver."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import check_grad

from sameornot.metric.diagonal import duality_gap, exact_weights, separable_weights, separation_and_gradient


def random_problem(seed, n_pairs, n_features, *, duplicated=False, free=()):
    """Squared differences of pairs, weights of pairs, cost of features; `free` features cost nothing."""
    rng = np.random.default_rng(seed)
    differences = rng.normal(size=(n_pairs, n_features)) * rng.uniform(0.3, 3.0, size=n_features)
    if duplicated:
        differences[:, 1] = differences[:, 0]
    cost = rng.uniform(0.2, 3.0, size=n_features)
    if duplicated:
        cost[1] = cost[0]
    cost[list(free)] = 0.0
    return differences**2, rng.uniform(0.05, 1.0, size=n_pairs), cost


PROBLEMS = {
    "few features": random_problem(0, 40, 4),
    "many features": random_problem(1, 60, 30),
    "fewer pairs than features": random_problem(2, 6, 20),
    "one pair": random_problem(3, 1, 5),
    "one feature": random_problem(4, 10, 1),
    "one of both": random_problem(5, 1, 1),
    "duplicated features": random_problem(6, 30, 6, duplicated=True),
    "features that cost nothing": random_problem(7, 30, 6, free=[0, 4]),
    "large units": (random_problem(8, 30, 6)[0] * 1e6, *random_problem(8, 30, 6)[1:]),
    "unequal units": (random_problem(9, 30, 3)[0] * [1e-6, 1, 1e6], np.ones(30), np.array([1e-6, 1, 1e6])),
}


@pytest.fixture(params=PROBLEMS)
def problem(request):
    return PROBLEMS[request.param]


def separation(weights, squares, pair_weight):
    """F as §3.1 has it."""
    return sum(w * np.sqrt(np.sum(weights * row)) for w, row in zip(pair_weight, squares, strict=True))


def solve_convex(squares, pair_weight, cost):
    """The optimum of F under the budget; features that cost nothing are left out, as F has no bound there.

    Only the units are changed, those of weights to c_m a_m and those of distances to the largest one: the
    solver fails where numbers are far from 1.
    """
    usable = cost > 0
    squares = squares[:, usable] / cost[usable]
    unit = squares.max()
    share = cp.Variable(usable.sum(), nonneg=True)
    distances = cp.sqrt((squares / unit) @ share)
    convex = cp.Problem(cp.Maximize(pair_weight @ distances), [cp.sum(share) <= 1])
    return np.sqrt(unit) * convex.solve(solver="CLARABEL")


def majorise_minimise(squares, pair_weight, cost, n_steps=3000):
    """The multiplicative iteration of METHOD §2: by Jensen it never goes down, and it has no step size."""
    usable = cost > 0
    squares, cost = squares[:, usable], cost[usable]
    weights = 1 / (len(cost) * cost)
    for _ in range(n_steps):
        pull = (pair_weight / np.sqrt(squares @ weights)) @ squares
        weights = weights * (pull / cost) ** 2
        weights /= cost @ weights
    return pair_weight @ np.sqrt(squares @ weights)


def test_exact_weights_reach_the_optimum_of_a_convex_solver(problem):
    squares, pair_weight, cost = problem
    found = exact_weights(squares, pair_weight, cost).weights
    assert (found >= 0).all()
    assert (found[cost == 0] == 0).all()
    assert cost @ found == pytest.approx(1)
    assert separation(found, squares, pair_weight) == pytest.approx(solve_convex(*problem), rel=1e-4)


def test_exact_weights_reach_the_limit_of_majorise_minimise(problem):
    squares, pair_weight, cost = problem
    found = exact_weights(squares, pair_weight, cost).weights
    assert separation(found, squares, pair_weight) == pytest.approx(majorise_minimise(*problem), rel=1e-5)


def test_the_gap_bounds_the_distance_to_the_optimum_and_is_small(problem):
    squares, pair_weight, cost = problem
    found = exact_weights(squares, pair_weight, cost)
    reached = separation(found.weights, squares, pair_weight)
    solver_error = 1e-6 * reached
    assert found.gap >= solve_convex(*problem) - reached - solver_error
    assert found.gap < 1e-4 * reached


def test_the_gap_is_an_upper_bound_at_any_weights():
    squares, pair_weight, cost = PROBLEMS["few features"]
    best = solve_convex(squares, pair_weight, cost)
    rng = np.random.default_rng(0)
    for _ in range(30):
        share = rng.dirichlet(np.full(len(cost), 0.5))
        gap = duality_gap(share / cost, squares, pair_weight, cost)
        assert gap >= best - separation(share / cost, squares, pair_weight) - 1e-6 * best


def test_one_pair_puts_all_weight_on_its_best_feature():
    squares, cost = np.array([[1.0, 4.0, 9.0]]), np.array([0.5, 1.0, 3.0])  # ratios 2, 4 and 3
    found = exact_weights(squares, np.ones(1), cost).weights
    np.testing.assert_allclose(found, [0, 1, 0], atol=1e-6)


def test_features_in_which_no_pair_differs_weigh_nothing():
    squares, pair_weight, cost = random_problem(0, 20, 5)
    squares[:, 2] = 0.0
    found = exact_weights(squares, pair_weight, cost).weights
    assert found[2] == 0
    kept = [0, 1, 3, 4]
    assert separation(found, squares, pair_weight) == pytest.approx(
        solve_convex(squares[:, kept], pair_weight, cost[kept]), rel=1e-4
    )


@pytest.mark.parametrize("cost", [[0.0, 0.0], [1.0, 1.0]])
def test_without_any_usable_feature_all_weights_are_zero(cost):
    squares = np.zeros((3, 2)) if cost[0] else np.ones((3, 2))
    found = exact_weights(squares, np.ones(3), np.array(cost))
    assert found.weights.tolist() == [0, 0]
    assert found.gap == 0


def test_the_gradient_is_that_of_finite_differences():
    squares, pair_weight, _ = PROBLEMS["many features"]
    rng = np.random.default_rng(0)
    for _ in range(5):
        weights = rng.uniform(0.1, 1.0, size=squares.shape[1])
        error = check_grad(
            lambda a: separation_and_gradient(a, squares, pair_weight)[0],
            lambda a: separation_and_gradient(a, squares, pair_weight)[1],
            weights,
        )
        gradient = separation_and_gradient(weights, squares, pair_weight)[1]
        assert error < 1e-5 * np.linalg.norm(gradient)


def test_the_separation_is_the_sum_of_weighted_distances():
    squares, pair_weight, cost = PROBLEMS["few features"]
    value, _ = separation_and_gradient(cost, squares, pair_weight)
    assert value == pytest.approx(separation(cost, squares, pair_weight))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_features", [1, 3, 12])
def test_separable_weights_are_the_optimum_of_a_convex_solver(seed, n_features):
    rng = np.random.default_rng(seed)
    gain, cost = rng.uniform(0.1, 2.0, size=n_features), rng.uniform(0.2, 3.0, size=n_features)
    weights = cp.Variable(n_features, nonneg=True)
    convex = cp.Problem(cp.Maximize(gain @ cp.sqrt(weights)), [cost @ weights <= 1])
    best = convex.solve(solver="CLARABEL")
    found = separable_weights(gain, cost)
    assert cost @ found == pytest.approx(1)
    assert gain @ np.sqrt(found) == pytest.approx(best, rel=1e-6)
    np.testing.assert_allclose(found, weights.value, rtol=1e-2, atol=1e-4)


def test_separable_weights_keep_every_feature_that_separates_and_costs():
    found = separable_weights(np.array([0.1, 0.0, 3.0, 1.0]), np.array([1.0, 1.0, 0.0, 2.0]))
    assert (found > 0).tolist() == [True, False, False, True]
    assert found @ [1, 1, 0, 2] == pytest.approx(1)


def test_separable_weights_are_zero_where_nothing_separates():
    assert separable_weights(np.zeros(3), np.ones(3)).tolist() == [0, 0, 0]
