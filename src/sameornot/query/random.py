"""Pairs at random among those that are not settled yet: the baseline, and the setting of Figure 2."""

import numpy as np

from sameornot._types import Pair
from sameornot.query.problem import Problem, Questions

# Draws before the open pairs are listed one by one; they run out only near the end.
N_DRAWS = 100


def random(problem: Problem, rng: np.random.Generator) -> Questions:
    """Ask one open pair, each as likely as any other."""
    n_points = len(problem.X)
    for _ in range(N_DRAWS if n_points > 1 else 0):
        left, right = (int(i) for i in rng.choice(n_points, size=2, replace=False))
        if is_open(problem, left, right):
            yield Pair(left, right)
            return
    open_pairs = [(i, j) for i in range(n_points) for j in range(i) if is_open(problem, i, j)]
    if open_pairs:
        yield Pair(*open_pairs[rng.integers(len(open_pairs))])


def is_open(problem: Problem, i: int, j: int) -> bool:
    """Whether the pair is neither settled nor put aside."""
    return problem.constraints.relation(i, j) is None and not problem.constraints.is_unsure(i, j)
