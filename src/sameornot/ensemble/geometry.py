"""The rows as base learners see them: soft-clipped, whitened, as a neighbour graph, with a kernel.

All of it is computed once, before the first answer (`preparation.py`).
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from sameornot.ensemble.config import ClipConfig
from sameornot.ensemble.graph import neighbour_graph
from sameornot.ensemble.structure import Structure

MAD_OF_NORMAL = 1.4826  # standard deviation of a normal variable in units of its median absolute deviation


@dataclass(frozen=True)
class Views:
    """Soft-clipped rows, whitened rows, and the neighbour graph of the soft-clipped ones."""

    rows: np.ndarray
    whitened: np.ndarray
    graph: sp.csr_array

    def subset(self, chosen: np.ndarray, n_neighbors: int) -> "Views":
        """The same views of some of the rows, with a graph of their own."""
        rows = self.rows[chosen]
        return Views(rows, self.whitened[chosen], neighbour_graph(rows, n_neighbors))


@dataclass(frozen=True)
class Geometry(Views):
    """The views, and how similar rows are on the graph (n × n).

    `structure` is that of the rows where the number of groups is not given.
    """

    kernel: np.ndarray
    structure: Structure | None = None

    def subset(self, chosen: np.ndarray, n_neighbors: int) -> "Geometry":
        """The same of some of the rows; similarities stay what they are among all."""
        views = super().subset(chosen, n_neighbors)
        return Geometry(views.rows, views.whitened, views.graph, self.kernel[np.ix_(chosen, chosen)])


def soft_clip(rows: np.ndarray, config: ClipConfig) -> np.ndarray:
    """Rows whose features with long tails are clipped softly, x → c tanh(x / c) about the median.

    Durations, sizes and counts have long tails, in which one row can be farther from its own group than the
    groups are from each other. Units are robust; each feature keeps its variance. Other features stay as they
    are, because clipping bends linear combinations of features.
    """
    centred = rows - np.median(rows, axis=0)
    deviation = rows.std(axis=0)
    robust = MAD_OF_NORMAL * np.median(np.abs(centred), axis=0)
    robust = np.where(robust > 0, robust, deviation)  # most values are equal, as in a column of 0 and 1
    clipped = config.bound * np.tanh(centred / np.where(robust > 0, robust, 1.0) / config.bound)
    clipped -= clipped.mean(axis=0)
    left = clipped.std(axis=0)
    clipped *= np.where(left > 0, deviation / np.where(left > 0, left, 1.0), 0.0)
    return np.where(deviation > config.long_tail * robust, clipped, rows - rows.mean(axis=0))
