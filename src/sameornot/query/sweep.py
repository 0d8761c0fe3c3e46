"""Placing one point: ask it against each neighbourhood, likeliest first (Algorithm 1, steps 1a to 1c)."""

import numpy as np

from sameornot._types import Answer, Pair
from sameornot.query.problem import Problem, Questions


def sweep(problem: Problem, point: int, likelihood: np.ndarray) -> Questions:
    """Ask until "same"; a point that differs from all neighbourhoods is one of its own from then on."""
    for hood in np.argsort(-likelihood, kind="stable"):
        known = problem.representative(int(hood), point)
        if known is not None and (yield Pair(point, known)) is Answer.SAME:
            return
