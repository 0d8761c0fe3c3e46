"""Normalised point-based uncertainty (NPU; Xiong, Azimi and Fern 2014): uncertainty per question.

    score_i = H(r_i) / sum_k k · r_i(k),     r_i(1) ≥ r_i(2) ≥ …

The k-th likeliest neighbourhood is found by the k-th question, so the expected cost needs sorted
probabilities.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import entr

from sameornot._validation import check_count
from sameornot.query.base import View, pick_best
from sameornot.query.forest import N_TREES, current_memberships
from sameornot.query.sweep import Pick, PointStrategy


@dataclass(frozen=True)
class NPU(PointStrategy):
    """Place the point with the highest entropy per expected question.

    Parameters
    ----------
    n_trees : int
        Trees of the forest that estimates neighbourhood memberships.
    """

    n_trees: int = N_TREES

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        check_count("n_trees", self.n_trees)
        return self

    def pick(self, view: View, candidates: np.ndarray, rng: np.random.Generator) -> Pick:
        """The point with the most uncertainty per question."""
        memberships = current_memberships(view, rng, self.n_trees)
        point = pick_best(candidates, normalised_uncertainty(memberships[candidates]), rng)
        return Pick(point, memberships[point], memberships[point])


def normalised_uncertainty(memberships: np.ndarray) -> np.ndarray:
    """Entropy of each row over the expected number of questions until its neighbourhood is found."""
    likeliest_first = -np.sort(-memberships, axis=1)
    cost = likeliest_first @ np.arange(1.0, memberships.shape[1] + 1)
    return np.asarray(entr(memberships).sum(axis=1) / cost)
