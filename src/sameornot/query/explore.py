"""Distances to the neighbourhoods, and farthest-first traversal (Explore; Basu, Banerjee and Mooney 2004).

    next = argmax_i min over placed j of d(x_i, x_j)

Farthest-first traversal meets every group of well separated ones within a few points. Distances are those of
the current metric. `explore_consolidate.py`, `min_max.py` and `random_points.py` build on these.
"""

import numpy as np
from sklearn.metrics import pairwise_distances_argmin_min

from sameornot.cluster.clustering import squared_distances
from sameornot.query.base import View, pick_best


def farthest(view: View, candidates: np.ndarray, rng: np.random.Generator) -> int:
    """The candidate whose nearest placed point is farthest."""
    return pick_best(candidates, to_nearest_members(view, candidates).min(axis=1), rng)


def to_nearest_members(view: View, points: np.ndarray) -> np.ndarray:
    """Squared distance of each point to the nearest member of each neighbourhood."""
    space = view.space - view.space.mean(axis=0)  # far from the origin, squares cancel to nothing
    nearest = [
        pairwise_distances_argmin_min(space[points], space[members], metric="sqeuclidean")[1]
        for members in view.neighbourhoods
    ]
    return np.column_stack(nearest)


def to_centroids(view: View, point: int) -> np.ndarray:
    """Squared distance of a point to the centroid of each neighbourhood."""
    centroids = np.array([view.space[members].mean(axis=0) for members in view.neighbourhoods])
    return np.asarray(squared_distances(view.space[[point]], centroids)[0])
