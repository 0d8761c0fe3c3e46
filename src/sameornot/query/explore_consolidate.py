"""Explore, then consolidate (Basu, Banerjee and Mooney 2004): find the groups, then fill them at random.

Explore places the point that is farthest from all placed ones (`explore.py`) until all K neighbourhoods are
known; where K is not given, until such a point belongs to a known one. Consolidate places points at random.
"""

import numpy as np

from sameornot.query.explore import farthest, to_centroids
from sameornot.query.problem import Problem, Questions
from sameornot.query.sweep import sweep


def explore_consolidate(problem: Problem, rng: np.random.Generator) -> Questions:
    """Place the farthest point, later a random one; the nearest centroid is asked against first."""
    candidates = problem.candidates()
    if len(candidates) == 0:
        return
    point = farthest(problem, candidates, rng) if is_exploring(problem) else int(rng.choice(candidates))
    yield from sweep(problem, point, -to_centroids(problem, np.array([point]))[0])


def is_exploring(problem: Problem) -> bool:
    """Whether there are neighbourhoods still to be found."""
    if problem.n_clusters is None:
        return all(len(members) == 1 for members in problem.hoods)
    return len(problem.hoods) < problem.n_clusters
