"""Distances to the neighbourhoods, and the traversal that finds them (Explore; Basu et al. 2004).

    next = argmax_i min over placed j of d(x_i, x_j)

Farthest-first traversal meets every group of well separated ones within a few points. Distances are those of
the current clustering's metric. `explore_consolidate.py`, `min_max.py` and `in_turn.py` build on these.
"""

import numpy as np
from sklearn.metrics import pairwise_distances_argmin_min

from sameornot.cluster.clustering import squared_distances
from sameornot.query.mee import pick_best
from sameornot.query.problem import Problem


def farthest(problem: Problem, candidates: np.ndarray, rng: np.random.Generator) -> int:
    """The candidate whose nearest placed point is farthest."""
    return pick_best(candidates, to_nearest_members(problem, candidates).min(axis=1), rng)


def to_nearest_members(problem: Problem, points: np.ndarray) -> np.ndarray:
    """Squared distance of each point to the nearest member of each neighbourhood."""
    space = problem.space - problem.space.mean(axis=0)  # far from the origin, squares cancel to nothing
    nearest = [
        pairwise_distances_argmin_min(space[points], space[members], metric="sqeuclidean")[1]
        for members in problem.hoods
    ]
    return np.column_stack(nearest)


def to_centroids(problem: Problem, points: np.ndarray) -> np.ndarray:
    """Squared distance of each point to the centroid of each neighbourhood."""
    centroids = np.array([problem.space[members].mean(axis=0) for members in problem.hoods])
    return squared_distances(problem.space[points], centroids)
