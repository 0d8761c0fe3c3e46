"""Minimum expected entropy (MEE): place the point whose membership tells most about all others (§3.3, §4).

    gain_i = sum_j h(p_ij) − sum_m r_im sum_j h(r_jm),     p_ij = r_i·r_j,  j ≠ i,  h the binary entropy

The largest gain is the smallest expected entropy u^t of the paper: Q(R) minus gain_i is u^t(x_i).
"""

import numpy as np
from scipy.special import xlog1py, xlogy

from sameornot.query.forest import forest_leaves, leaf_similarity, neighbourhood_memberships
from sameornot.query.problem import Problem, Questions
from sameornot.query.sweep import sweep

# Rows of the pair matrix that are in memory at a time.
BLOCK = 1024


def mee(problem: Problem, rng: np.random.Generator) -> Questions:
    """Place the point with the largest gain."""
    candidates = problem.candidates()
    if len(candidates) == 0:
        return
    memberships = current_memberships(problem, rng)
    point = pick_best(candidates, expected_gain(memberships, candidates, problem.placed), rng)
    problem.odds[point] = memberships[point]
    yield from sweep(problem, point, memberships[point])


def current_memberships(problem: Problem, rng: np.random.Generator) -> np.ndarray:
    """Neighbourhood memberships (R) by a forest fitted to the current clustering."""
    labels = problem.clustering.labels
    leaves = problem.once("leaves", rng, lambda: forest_leaves(problem.X, labels, rng))
    similarity = leaf_similarity(leaves, problem.hoods)
    return neighbourhood_memberships(similarity, problem.hoods, problem.ruled_out)


def pick_best(candidates: np.ndarray, score: np.ndarray, rng: np.random.Generator) -> int:
    """The candidate with the highest score; one of those that differ from it by rounding alone."""
    best = score.max()
    return int(rng.choice(candidates[score >= best - 1e-9 * max(abs(best), 1.0)]))


def binary_entropy(p: np.ndarray) -> np.ndarray:
    """h(p) in nats."""
    return -(xlogy(p, p) + xlog1py(1.0 - p, -p))


def expected_gain(memberships: np.ndarray, candidates: np.ndarray, placed: np.ndarray) -> np.ndarray:
    """Entropy of all pairs that placing each candidate is expected to remove.

    Pairs with a placed point depend on its neighbourhood alone, so they are counted by neighbourhood.
    """
    open_rows = memberships[~placed]
    sizes = memberships[placed].sum(axis=0)
    after = binary_entropy(open_rows).sum(axis=0)  # of pairs (j, i) once i is known to be in m, before j ≠ i
    gain = np.empty(len(candidates))
    for start in range(0, len(candidates), BLOCK):
        rows = memberships[candidates[start : start + BLOCK]]
        own = binary_entropy(rows)
        before = binary_entropy((rows @ open_rows.T).clip(0.0, 1.0)).sum(axis=1) + own @ sizes
        before -= binary_entropy((rows**2).sum(axis=1).clip(0.0, 1.0))
        gain[start : start + BLOCK] = before - (rows * (after - own)).sum(axis=1)
    return gain
