"""Label spreading on a graph of nearest neighbours (Zhou et al. 2004), and facility location on its kernel.

    F = (I − α S)⁻¹ Y,    S = D^−½ W D^−½,    w_ij = exp(−d_ij² / (s_i s_j))

w is kept between i and its nearest neighbours only; s_i is the distance to the last of them (self-tuning
widths: Zelnik-Manor and Perona 2004). Column m of Y shares one unit among the rows of group m. The system is
sparse and well conditioned: a few dozen iterations of conjugate gradients solve it for all groups at once.
"""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack

from sameornot.ensemble.config import GraphConfig
from sameornot.ensemble.neighbours import find_nearest

# Rows of a kernel that are summed at a time: they stay in the processor's cache.
BLOCK_CELLS = 2**17
# Groups whose labels spread at a time, for the same reason.
BLOCK_COLUMNS = 32


def neighbour_graph(rows: np.ndarray, n_neighbors: int) -> sp.csr_array:
    """The normalised similarities (S) between rows and their nearest neighbours."""
    n_rows = len(rows)
    k = min(n_neighbors, n_rows - 1)
    if k == 0:
        return sp.csr_array((n_rows, n_rows))
    squares, nearest = find_nearest(rows - rows.mean(axis=0), k)
    width = np.sqrt(squares.max(axis=1))
    scale = width[:, None] * width[nearest]
    # Equal rows are as near as can be, whatever the width; an isolated row keeps a weak edge.
    weight = np.exp(-np.divide(squares, scale, out=np.where(squares > 0, np.inf, 0.0), where=scale > 0))
    weight = np.maximum(weight, 1e-12)
    graph = sp.csr_array((weight.ravel(), nearest.ravel(), np.arange(0, n_rows * k + 1, k)), (n_rows, n_rows))
    graph = graph.maximum(graph.T.tocsr())
    half = 1.0 / np.sqrt(graph.sum(axis=1))
    graph.data *= np.repeat(half, np.diff(graph.indptr)) * half[graph.indices]
    return graph


def label_spreading(graph: sp.csr_array, groups: Sequence[np.ndarray], config: GraphConfig) -> np.ndarray:
    """Share of each group in the label mass that reaches each row from others (n × L); uniform if none."""
    sources = np.zeros((graph.shape[0], len(groups)))
    for m, members in enumerate(groups):
        sources[members, m] = 1.0 / len(members)
    reached = np.maximum(solve(graph, sources, config) - sources, 0.0) + 1e-12
    return np.asarray(reached / reached.sum(axis=1, keepdims=True))


def solve(graph: sp.csr_array, sources: np.ndarray, config: GraphConfig) -> np.ndarray:
    """(I − α S)⁻¹ times each column of `sources`, by conjugate gradients."""
    passed_on = -config.alpha * graph
    starts = range(0, sources.shape[1], BLOCK_COLUMNS)
    blocks = [np.ascontiguousarray(sources[:, start : start + BLOCK_COLUMNS]) for start in starts]
    return np.hstack([solve_block(passed_on, block, config) for block in blocks])


def solve_block(passed_on: sp.csr_array, sources: np.ndarray, config: GraphConfig) -> np.ndarray:
    """The same for a few columns; `passed_on` is −α S."""
    solution, residual = np.zeros_like(sources), sources.copy()
    direction, scratch = residual.copy(), np.empty_like(sources)
    size = np.einsum("ij,ij->j", residual, residual)
    enough = config.tol**2 * size
    for _ in range(config.max_iter):
        image = passed_on @ direction
        image += direction
        step = size / np.maximum(np.einsum("ij,ij->j", direction, image), 1e-300)
        solution += np.multiply(direction, step, out=scratch)
        residual -= np.multiply(image, step, out=scratch)
        before, size = size, np.einsum("ij,ij->j", residual, residual)
        if (size <= enough).all():
            break
        direction *= size / np.maximum(before, 1e-300)
        direction += residual
    return solution


def laplacian_kernel(graph: sp.csr_array, alpha: float) -> np.ndarray:
    """The regularised Laplacian kernel (I − α S)⁻¹ (n × n), scaled to 1 on the diagonal."""
    # The matrix is positive definite: the largest eigenvalue of S is 1.
    lower, _ = lapack.dpotrf(np.eye(graph.shape[0]) - alpha * graph.toarray(), lower=1, overwrite_a=1)
    inverse, _ = lapack.dpotri(lower, lower=1, overwrite_c=1)
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    own = np.sqrt(np.diag(inverse))
    inverse /= own[:, None]
    inverse /= own
    return np.asarray(inverse)


def facility_location(
    kernel: np.ndarray, known: np.ndarray, n_wanted: int, among: np.ndarray | None = None
) -> list[int]:
    """Rows (`among` some) that represent as many rows as possible that no `known` row represents.

    Greedy (Nemhauser et al. 1978): each adds most to the sum over rows of the similarity to the nearest. What
    the others add falls only where the rows that it represents were represented less before.
    """
    free = np.setdiff1d(np.arange(len(kernel)) if among is None else among, known)
    n_wanted = min(n_wanted, len(free))
    if n_wanted <= 0:
        return []
    represented = kernel[:, known].max(axis=1, initial=0.0)
    adds = np.full(len(kernel), -np.inf)
    adds[free] = sum_above(kernel, represented)[free]
    chosen: list[int] = []
    while True:
        best = int(adds.argmax())
        chosen.append(best)
        if len(chosen) == n_wanted:
            return chosen
        adds[best] = -np.inf
        before, represented = represented, np.maximum(represented, kernel[:, best])
        gained = np.flatnonzero(represented > before)
        rows = kernel[gained]
        adds -= sum_above(rows, before[gained]) - sum_above(rows, represented[gained])


def sum_above(kernel: np.ndarray, represented: np.ndarray) -> np.ndarray:
    """Sum over rows of the similarity above what represents each row, one for each column."""
    total = np.zeros(kernel.shape[1])
    n_block = max(1, BLOCK_CELLS // max(1, kernel.shape[1]))
    for start in range(0, len(kernel), n_block):
        block = kernel[start : start + n_block] - represented[start : start + n_block, None]
        total += np.maximum(block, 0.0, out=block).sum(axis=0)
    return total
