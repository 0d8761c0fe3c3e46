"""Min-max (Mallapragada, Jin and Jain 2008): place the point that is least like all placed ones.

    next = argmin_i max over placed j of s(x_i, x_j),     s(x, z) = exp(−||x − z||² / 2σ²)

The kernel falls with distance whatever its width σ, so this is the point whose nearest placed point is
farthest: the traversal of Explore (`explore.py`), which goes on here when all groups are known.
"""

import numpy as np

from sameornot.query.explore import farthest, to_nearest_members
from sameornot.query.problem import Problem, Questions
from sameornot.query.sweep import sweep


def min_max(problem: Problem, rng: np.random.Generator) -> Questions:
    """Place the farthest point; the neighbourhood with the most similar member comes first."""
    candidates = problem.candidates()
    if len(candidates) == 0:
        return
    point = farthest(problem, candidates, rng)
    yield from sweep(problem, point, -to_nearest_members(problem, np.array([point]))[0])
