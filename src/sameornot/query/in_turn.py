"""In turn: points in random order, as one labels without a method for it; the passive baseline of sweeps.

What is known has no say in which point is next, only in which neighbourhood it is asked against first: the
one with the nearest centroid.
"""

import numpy as np

from sameornot.query.explore import to_centroids
from sameornot.query.problem import Problem, Questions
from sameornot.query.sweep import sweep


def in_turn(problem: Problem, rng: np.random.Generator) -> Questions:
    """Place the next point of the random order."""
    candidates = problem.candidates()
    if len(candidates) == 0:
        return
    point = int(problem.order[np.isin(problem.order, candidates)][0])
    yield from sweep(problem, point, -to_centroids(problem, np.array([point]))[0])
