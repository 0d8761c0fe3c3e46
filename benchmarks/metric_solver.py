"""Solvers of the exact diagonal problem: why L-BFGS-B, and not the multiplicative step or a convex solver.

    maximise  F(a) = sum over different pairs of w sqrt(sum_m a_m d_m²)    s.t.  c·a ≤ 1, a ≥ 0

L-BFGS-B is `sameornot.metric.diagonal.exact_weights` with its own stopping rule. The multiplicative step
a_m ← a_m (g_m / c_m)², rescaled to c·a = 1, runs until its relative duality gap is 1e-6, at most 20,000 steps
or 20 s. The convex solver is cvxpy with CLARABEL, where it ends within a minute (– where it does not). Every
gap is computed in the same way: (max(g/c) − g·a) / F(a), a proof of how far from the optimum the weights are
at most. Noise is the hard case: all features are alike, and the optimum is flat.
"""

import statistics
import time
from typing import NamedTuple

import cvxpy as cp
import numpy as np

from machine import one_core, report, seconds, table
from sameornot import AugmentedClustering, Constraints, Problem
from sameornot.cluster.metric_learning import fit_pairs, settings_of
from sameornot.datasets import make_opposite, make_sphere
from sameornot.metric.diagonal import duality_gap, exact_weights, separation_and_gradient
from sameornot.metric.learn import PRIOR_COUNT, feature_scale, within_cost

N_CLUSTERS = 5
TARGET = 1e-6
MAX_STEPS, MAX_SECONDS = 20_000, 20.0
REPEATS = 5
# Entries of d² up to which cvxpy ends within a minute on one core.
CVXPY_LIMIT = 1_300_000


class WeightProblem(NamedTuple):
    """Squared differences d² of the different pairs, their weights (w), and the budget (c)."""

    squares: np.ndarray
    pair_weight: np.ndarray
    cost: np.ndarray


def main() -> None:
    with one_core():
        rows = [[name, str(placed), *compare(pose(X, y, placed))] for name, X, y, placed in cases()]
    header = ["data", "placed", "pairs × features", "L-BFGS-B (s)", "its gap"]
    header += ["multiplicative (s)", "its steps", "its gap", "multiplicative / L-BFGS-B"]
    header += ["cvxpy (s)", "its gap", "cvxpy / L-BFGS-B"]
    about = __doc__.partition("\n\n")[2].rstrip()
    text = f"{about}\n\n{table(header, rows)}"
    report("metric_solver", "Solvers of the exact diagonal metric", text, "cvxpy", "clarabel")


def cases() -> list[tuple[str, np.ndarray, np.ndarray, int]]:
    rng = np.random.default_rng(0)
    labels = rng.integers(N_CLUSTERS, size=300)
    opposite = make_opposite(mixing=True, random_state=0)
    sphere = make_sphere(n_samples=300, random_state=0)
    return [
        *(("opposite", *opposite, placed) for placed in (20, 60, 130, 300)),
        *(("sphere", *sphere, placed) for placed in (130, 300)),
        *(("noise", rng.standard_normal((300, p)), labels, placed) for p, placed in ((35, 130), (500, 130))),
    ]


def pose(X: np.ndarray, y: np.ndarray, n_placed: int) -> WeightProblem:
    """The problem that the session would solve with so many random points placed."""
    rng = np.random.default_rng(0)
    partial = np.full(len(y), -1)
    known = rng.permutation(len(y))[:n_placed]
    partial[known] = y[known]
    constraints = Constraints.from_pairs(len(y), labels=partial)
    scale = feature_scale(X)
    pairs = fit_pairs(Problem(X, constraints, N_CLUSTERS, scale), settings_of(AugmentedClustering()), rng)
    scaled = X / scale
    squares = pairs.different.differences(scaled) ** 2
    return WeightProblem(squares, pairs.different.weight, within_cost(scaled, pairs, PRIOR_COUNT))


def compare(problem: WeightProblem) -> list[str]:
    ours = statistics.median(seconds(lambda: exact_weights(*problem)) for _ in range(REPEATS))
    our_gap = relative_gap(exact_weights(*problem).weights, problem)
    start = time.perf_counter()
    weights, n_steps = multiplicative_weights(problem)
    taken = time.perf_counter() - start
    reached = relative_gap(weights, problem)
    cells = [" × ".join(str(n) for n in problem.squares.shape), f"{ours:.4f}", f"{our_gap:.0e}"]
    cells += [f"{taken:.4f}", str(n_steps), f"{reached:.0e}"]
    cells += [f"{taken / ours:.1f}" if reached <= TARGET else f"over {taken / ours:.0f}"]
    return cells + compare_convex(problem, ours)


def compare_convex(problem: WeightProblem, ours: float) -> list[str]:
    if problem.squares.size > CVXPY_LIMIT:
        return ["–", "–", "–"]
    start = time.perf_counter()
    weights = convex_weights(problem)
    taken = time.perf_counter() - start
    return [f"{taken:.2f}", f"{relative_gap(weights, problem):.0e}", f"{taken / ours:.0f}"]


def multiplicative_weights(problem: WeightProblem) -> tuple[np.ndarray, int]:
    """Majorise and minimise, from equal shares of the budget, until the certificate is good enough."""
    squares, pair_weight, cost = problem
    weights = 1.0 / (cost * len(cost))
    stop = time.perf_counter() + MAX_SECONDS
    for step in range(MAX_STEPS):
        value, gradient = separation_and_gradient(weights, squares, pair_weight)
        gap = (gradient / cost).max() - gradient @ weights
        if gap <= TARGET * value or time.perf_counter() > stop:
            return weights, step
        weights = weights * (gradient / cost) ** 2
        weights /= cost @ weights
    return weights, MAX_STEPS


def convex_weights(problem: WeightProblem) -> np.ndarray:
    squares, pair_weight, cost = problem
    shares = cp.Variable(len(cost), nonneg=True)  # of the budget: all of one size
    distance = cp.sqrt((squares / cost) @ shares)
    cp.Problem(cp.Maximize(pair_weight @ distance), [cp.sum(shares) <= 1]).solve(solver=cp.CLARABEL)
    found = np.maximum(shares.value, 0.0)
    return found / (found.sum() * cost)


def relative_gap(weights: np.ndarray, problem: WeightProblem) -> float:
    value, _ = separation_and_gradient(weights, problem.squares, problem.pair_weight)
    return duality_gap(weights, *problem) / value


if __name__ == "__main__":
    main()
