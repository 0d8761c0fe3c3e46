"""The graph of constrained spectral clustering: affinities of near rows, changed by answers.

    w_ij = exp(−||x_i − x_j||² / s_i s_j)          for near rows; s_i is the distance of the farthest of them
    F = (1 − a)² (I − aS)⁻¹ Z (I − aS)⁻¹           what answers imply for all pairs
    w_ij ← 1 − (1 − f_ij)(1 − w_ij) if f_ij ≥ 0, else (1 + f_ij) w_ij

Z is 1 for pairs known to be the same and −1 for pairs known to differ; S = D^(−½) W D^(−½). F is the
exhaustive constraint propagation of Lu and Ip (2010), W has the local scaling of Zelnik-Manor and Perona
(2004).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from sameornot.cluster._constraint_graph import ConstraintGraph

# All pairs of rows are held in memory, a few times over.
MAX_ROWS = 5000

# Up to so many rows, a dense solver is as fast as one that uses that few rows are near each other.
MAX_DENSE_ROWS = 1000

# Least local scale, as a share of the mean: that of a row that coincides with its neighbours would be 0.
MIN_SCALE = 1e-3

# Affinity of a row to all others together, near or not: it keeps the graph connected.
BACKGROUND = 1e-3


@dataclass(frozen=True)
class NeighbourGraph:
    """The rows of a graph, their nearest rows, and their local scales."""

    rows: np.ndarray
    distance: np.ndarray = field(repr=False)
    index: np.ndarray = field(repr=False)
    scale: np.ndarray
    tree: NearestNeighbors = field(repr=False)

    def find(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The nearest rows of the graph, and squared distances in units of both local scales."""
        return self._in_local_scales(*self.tree.kneighbors(rows))

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """What `find` gives for the rows of the graph."""
        return self._in_local_scales(self.distance, self.index)

    def _in_local_scales(self, distance: np.ndarray, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        scale = np.maximum(distance[:, -1:], MIN_SCALE * self.scale.mean())
        return index, distance**2 / (scale * self.scale[index])


def neighbour_graph(rows: np.ndarray, n_neighbors: int, *, max_rows: int = MAX_ROWS) -> NeighbourGraph:
    """The graph of some rows; a row is its own first neighbour."""
    if len(rows) > max_rows:
        raise ValueError(
            f"X has {len(rows)} rows but spectral clustering compares all pairs: "
            f"at most {max_rows} rows are possible"
        )
    # Unlike the brute force that wide tables would get, a tree finds a row at distance 0 from itself.
    tree = NearestNeighbors(n_neighbors=min(n_neighbors + 1, len(rows)), algorithm="kd_tree").fit(rows)
    distance, index = tree.kneighbors(rows)
    farthest = distance[:, -1]
    mean = farthest.mean()
    scale = np.maximum(farthest, MIN_SCALE * mean) if mean > 0 else np.ones(len(rows))
    return NeighbourGraph(rows, distance, index, scale, tree)


def affinity(graph: NeighbourGraph) -> np.ndarray:
    """W (n × n): 1 for a row and itself, next to 0 for rows of which neither is near the other."""
    n_rows = len(graph.rows)
    index, exponent = graph.edges()
    starts = np.arange(n_rows + 1) * index.shape[1]
    shape = (n_rows, n_rows)
    near = sparse.csr_array((np.exp(-exponent).ravel(), index.ravel(), starts), shape=shape)
    weights = near.maximum(near.T).toarray()
    np.fill_diagonal(weights, 1.0)
    return np.asarray(np.maximum(weights, BACKGROUND / n_rows, out=weights))


def normalise(weights: np.ndarray) -> np.ndarray:
    """S = D^(−½) W D^(−½); every row has an affinity of 1 to itself, so no degree is 0."""
    root = np.sqrt(weights.sum(axis=1))
    return np.asarray(weights / root / root[:, None])


def constrain(weights: np.ndarray, constraints: ConstraintGraph, propagation: float) -> np.ndarray:
    """W after the answers: known pairs at 1 or 0, pairs near to them raised or lowered."""
    rows = np.flatnonzero(constraints.group >= 0)
    if len(rows) == 0:
        return weights
    relation = np.eye(len(constraints.size)) - constraints.cannot_link.toarray()
    known = relation[np.ix_(constraints.group[rows], constraints.group[rows])]
    implied = propagate(weights, constraints, relation, propagation)
    weights = np.where(implied >= 0, 1.0 - (1.0 - implied) * (1.0 - weights), (1.0 + implied) * weights)
    among = np.ix_(rows, rows)
    weights[among] = np.where(known == 0, weights[among], known > 0)
    return weights


def propagate(
    weights: np.ndarray, constraints: ConstraintGraph, relation: np.ndarray, propagation: float
) -> np.ndarray:
    """F, scaled to entries of at most 1; Z = M R Mᵀ has a column a group, so only those are propagated."""
    member = (constraints.group[:, None] == np.arange(len(relation))).astype(float)
    solve = solve_dense if len(weights) <= MAX_DENSE_ROWS else solve_sparse
    propagated = solve(weights, member, propagation)
    implied = propagated @ relation @ propagated.T
    return np.asarray(implied / np.abs(implied).max())


def solve_dense(weights: np.ndarray, right: np.ndarray, propagation: float) -> np.ndarray:
    """(I − aS)⁻¹ times some columns."""
    return np.linalg.solve(np.eye(len(weights)) - propagation * normalise(weights), right)


def solve_sparse(weights: np.ndarray, right: np.ndarray, propagation: float) -> np.ndarray:
    """The same by conjugate gradients: W is a constant, and something more for the few pairs of near rows."""
    root = np.sqrt(weights.sum(axis=1))[:, None]
    background = weights.min()
    near = sparse.csr_array(weights - background)

    def apply(columns: np.ndarray) -> np.ndarray:
        scaled = columns / root
        return np.asarray(columns - propagation * (near @ scaled + background * scaled.sum(axis=0)) / root)

    return conjugate_gradients(apply, right)


def conjugate_gradients(
    apply: Callable[[np.ndarray], np.ndarray], right: np.ndarray, tolerance: float = 1e-12
) -> np.ndarray:
    """The solution of a positive definite system for some right sides, none of them 0."""
    solution, residual, direction = np.zeros_like(right), right.copy(), right.copy()
    square = (residual**2).sum(axis=0)
    goal = tolerance**2 * square
    while (square > goal).any():
        image = apply(direction)
        length = square / (direction * image).sum(axis=0)
        solution += length * direction
        residual -= length * image
        before, square = square, (residual**2).sum(axis=0)
        direction = residual + square / before * direction
    return solution
