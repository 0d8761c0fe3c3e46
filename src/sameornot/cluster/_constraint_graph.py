"""The closure of the answers as arrays: the group of each row, and a graph of the groups that differ.

Counting by (group, cluster) instead of by pair makes a sweep cost O(|groups| · K).
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from sameornot.constraints import Constraints

# Rows with a higher weight count together for at most this share of all rows.
MAX_ANSWERED_SHARE = 0.3

# Rows of a group of this size get half of the extra weight. One or two untypical rows would otherwise draw
# their centre away from the bulk.
HALF_WEIGHT_SIZE = 3.0


@dataclass(frozen=True)
class ConstraintGraph:
    """The group of each row (−1: none), and which groups differ (`cannot_link`, an adjacency matrix)."""

    group: np.ndarray
    size: np.ndarray
    cannot_link: sparse.csr_array
    row_weight: np.ndarray

    def neighbours(self, group: int) -> np.ndarray:
        """The groups that differ from one; a row of a sparse array would take several times as long."""
        start, end = self.cannot_link.indptr[group : group + 2]
        return np.asarray(self.cannot_link.indices[start:end])


def constraint_graph(constraints: Constraints, answered_row_weight: float = 1.0) -> ConstraintGraph:
    """The closure as arrays, with the weight of each row in the centre of its cluster."""
    groups = constraints.groups()
    group = np.full(constraints.n_points, -1)
    for g, members in enumerate(groups):
        group[members] = g
    pairs = group[constraints.cannot_link]
    edges = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
    shape = (len(groups), len(groups))
    cannot_link = sparse.csr_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=shape)
    size = np.array([len(members) for members in groups], dtype=float)
    return ConstraintGraph(group, size, cannot_link, row_weights(group, size, answered_row_weight))


def row_weights(group: np.ndarray, size: np.ndarray, answered_row_weight: float) -> np.ndarray:
    """Weight of each row in its centre: higher for rows of a group, the more the larger the group."""
    in_group = group >= 0
    highest = MAX_ANSWERED_SHARE * len(group) / max(int(in_group.sum()), 1)
    extra = max(0.0, min(answered_row_weight, highest) - 1.0)
    weights = np.ones(len(group))
    weights[in_group] += extra * (size / (size + HALF_WEIGHT_SIZE))[group[in_group]]
    return weights
