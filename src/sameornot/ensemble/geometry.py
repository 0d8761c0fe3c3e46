"""What can be said of the rows before any answer: how they lie to each other, and which are close."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from sameornot.ensemble.graph import neighbour_graph

# A feature has long tails where its deviation is so many times its robust one, which is so many median
# deviations; there a value counts as far beyond so many robust deviations.
LONG_TAILED = 1.15
FAR = 2.0
MAD_OF_NORMAL = 1.4826


@dataclass(frozen=True)
class Layout:
    """The rows as learners see them: far values drawn in, along axes of equal spread, as a graph."""

    rows: np.ndarray
    whitened: np.ndarray
    graph: sp.csr_array


@dataclass(frozen=True)
class Surroundings(Layout):
    """How the rows lie, and how close each is to each other one (n × n)."""

    close: np.ndarray

    def of(self, some: np.ndarray) -> "Surroundings":
        """The same of some of the rows only."""
        rows = self.rows[some]
        return Surroundings(rows, self.whitened[some], neighbour_graph(rows), self.close[np.ix_(some, some)])


def draw_in(rows: np.ndarray) -> np.ndarray:
    """Rows whose far values are drawn in where tails are long, x → c tanh(x / c) about the median.

    Times, sizes and counts have long tails, in which one row can be farther from its own group than the
    groups are from each other. Units are robust; each feature varies as much as it did. Features without
    them stay as they are: to bend those costs what a straight line through mixed features could have told.
    """
    centred = rows - np.median(rows, axis=0)
    spread = rows.std(axis=0)
    width = MAD_OF_NORMAL * np.median(np.abs(centred), axis=0)
    width = np.where(width > 0, width, spread)  # most values are the same: 0 and 1, say
    drawn = FAR * np.tanh(centred / np.where(width > 0, width, 1.0) / FAR)
    drawn -= drawn.mean(axis=0)
    left = drawn.std(axis=0)
    drawn *= np.where(left > 0, spread / np.where(left > 0, left, 1.0), 0.0)
    return np.where(spread > LONG_TAILED * width, drawn, rows - rows.mean(axis=0))
