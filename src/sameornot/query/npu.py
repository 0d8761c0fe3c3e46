"""Normalised point-based uncertainty (NPU; Xiong, Azimi and Fern 2014): uncertainty a question.

    score_i = H(r_i) / sum_k k · r_i(k),     r_i(1) ≥ r_i(2) ≥ …

The k-th likeliest neighbourhood is found by the k-th question, so the expected cost needs sorted
probabilities.
"""

import numpy as np
from scipy.special import entr

from sameornot.query.mee import current_memberships, pick_best
from sameornot.query.problem import Problem, Questions
from sameornot.query.sweep import sweep


def npu(problem: Problem, rng: np.random.Generator) -> Questions:
    """Place the point with the most uncertainty a question."""
    candidates = problem.candidates()
    if len(candidates) == 0:
        return
    memberships = current_memberships(problem, rng)
    point = pick_best(candidates, normalised_uncertainty(memberships[candidates]), rng)
    problem.odds[point] = memberships[point]
    yield from sweep(problem, point, memberships[point])


def normalised_uncertainty(memberships: np.ndarray) -> np.ndarray:
    """Entropy of each row over the expected number of questions until its neighbourhood is found."""
    likeliest_first = -np.sort(-memberships, axis=1)
    cost = likeliest_first @ np.arange(1.0, memberships.shape[1] + 1)
    return np.asarray(entr(memberships).sum(axis=1) / cost)
