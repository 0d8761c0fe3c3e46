"""Minimum expected entropy (MEE): place the point whose membership tells most about all others (§3.3, §4).

    gain_i = sum_j h(p_ij) − sum_m r_im sum_j h(r_jm),     p_ij = r_i·r_j,  j ≠ i,  h the binary entropy

The largest gain is the smallest expected entropy u^t of the paper: Q(R) minus gain_i is u^t(x_i).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import xlog1py, xlogy

from sameornot._validation import check_count
from sameornot.query.base import View, pick_best
from sameornot.query.forest import N_TREES, current_memberships
from sameornot.query.sweep import Pick, PointStrategy

# Rows of the pair matrix that are in memory at a time.
BLOCK = 1024


@dataclass(frozen=True)
class MinimumExpectedEntropy(PointStrategy):
    """The paper's strategy: place the point whose membership removes most entropy from all pairs.

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
        """The point with the largest gain."""
        memberships = current_memberships(view, rng, self.n_trees)
        point = pick_best(candidates, expected_gain(memberships, candidates, view.placed), rng)
        return Pick(point, memberships[point], memberships[point])


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
