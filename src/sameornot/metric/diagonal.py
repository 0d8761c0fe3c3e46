"""Weights of features: the diagonal metric (§3.1, §4; Xing et al. 2002).

    maximise  F(a) = sum over different pairs of w sqrt(sum_m a_m d_m²)    s.t.  c·a ≤ 1, a ≥ 0

c_m is the weighted sum of d_m² over the similar pairs, plus γ where feature m is penalised. Two objectives:
`exact` is F itself; `separable` has sum_m |d_m| sqrt(a_m) in place of the root of the sum (the authors' code
does that too, in another problem), with the closed form a_m ∝ (b_m / c_m)². All weights come back scaled to
c·a = 1.
"""

from dataclasses import dataclass

import numpy as np
from scipy import optimize

# Least share of the budget that a feature has during the search: if all were 0, F would have no logarithm.
MIN_SHARE = 1e-12

# Keeps the square root differentiable where two points agree in every feature that has weight.
SMOOTHING = 1e-12


@dataclass(frozen=True)
class ExactWeights:
    """Weights, and a certificate: the optimum is at most `gap` above F(weights)."""

    weights: np.ndarray
    gap: float


def separable_weights(gain: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """The maximiser of b·sqrt(a) under c·a = 1; `gain` (b) is the sum of w|d| over different pairs."""
    weights = np.divide(gain, cost, out=np.zeros_like(gain), where=cost > 0) ** 2
    total = float(cost @ weights)
    return weights / total if total > 0 else weights


def exact_weights(
    squares: np.ndarray, pair_weight: np.ndarray, cost: np.ndarray, *, tol: float = 1e-7, max_iter: int = 500
) -> ExactWeights:
    """Maximise F by L-BFGS-B; `squares` holds d² for each different pair.

    F has degree ½ in a, so −log F(a) + ½ log(c·a) does not change along a ray: its minimiser over a ≥ 0,
    scaled to c·a = 1, is the maximiser of F, and no projection on the budget is needed. The unknowns are
    the shares of the budget c_m a_m, which are all of one size.
    """
    usable = (cost > 0) & (squares.max(axis=0, initial=0.0) > 0)
    weights = np.zeros(len(cost))
    if not usable.any():
        return ExactWeights(weights, 0.0)
    per_budget = squares[:, usable] / cost[usable]

    def negative_log_ratio(share: np.ndarray) -> tuple[float, np.ndarray]:
        total = float(share.sum())
        value, gradient = separation_and_gradient(share / total, per_budget, pair_weight)
        return -np.log(value), (gradient @ share / total - gradient) / (value * total)

    start = (cost * separable_weights(pair_weight @ np.sqrt(squares), cost))[usable]
    found = optimize.minimize(
        negative_log_ratio,
        np.maximum(start, MIN_SHARE),
        jac=True,
        method="L-BFGS-B",
        bounds=[(MIN_SHARE, None)] * len(start),
        options={"maxiter": max_iter, "ftol": tol**2, "gtol": tol, "maxcor": 20},
    )
    share = np.where(found.x > MIN_SHARE, found.x, 0.0)
    weights[usable] = share / (share.sum() * cost[usable])
    return ExactWeights(weights, duality_gap(weights[usable], squares[:, usable], pair_weight, cost[usable]))


def separation_and_gradient(
    weights: np.ndarray, squares: np.ndarray, pair_weight: np.ndarray
) -> tuple[float, np.ndarray]:
    """F and its gradient."""
    distance = np.sqrt(squares @ weights + SMOOTHING)
    return float(pair_weight @ distance), 0.5 * (pair_weight / distance) @ squares


def duality_gap(weights: np.ndarray, squares: np.ndarray, pair_weight: np.ndarray, cost: np.ndarray) -> float:
    """Bound on F(optimum) − F(weights) for c·a = 1: by concavity at most max over a of g·(a − weights)."""
    _, gradient = separation_and_gradient(weights, squares, pair_weight)
    return float((gradient / cost).max() - gradient @ weights)
