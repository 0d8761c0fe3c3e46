"""Label spreading on a graph of nearest neighbours (Zhou et al. 2004), and facility location on its kernel.

    F = (I − α S)⁻¹ Y,    S = D^−½ W D^−½,    w_ij = exp(−d_ij² / (s_i s_j))

w is kept between i and its nearest neighbours only; s_i is the distance to the last of them (self-tuning
widths: Zelnik-Manor and Perona 2004). Column m of Y shares one unit among the rows of group m. The system is
sparse and well conditioned: a few dozen iterations of conjugate gradients solve it for all groups at once.
"""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import ThreadpoolController

from sameornot.ensemble.config import GraphConfig

THREADS = ThreadpoolController()


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
    graph = sp.csr_array(
        (weight.ravel(), (np.repeat(np.arange(n_rows), k), nearest.ravel())), (n_rows, n_rows)
    )
    graph = graph.maximum(graph.T)
    half = sp.diags_array(1.0 / np.sqrt(graph.sum(axis=1)))
    return sp.csr_array(half @ graph @ half)


def find_nearest(rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Squared distances to the k nearest other rows of each row, and their positions."""
    if rows.shape[1] == 0:
        rows = np.zeros((len(rows), 1))
    search = NearestNeighbors(n_neighbors=k, algorithm="brute", metric="sqeuclidean").fit(rows)
    # The order of equally distant rows must not depend on the number of cores.
    with THREADS.limit(limits=1, user_api="openmp"):
        squares, nearest = search.kneighbors()
    return np.maximum(squares, 0.0), nearest


def label_spreading(graph: sp.csr_array, groups: Sequence[np.ndarray], config: GraphConfig) -> np.ndarray:
    """Share of each group in the label mass that reaches each row from others (n × L); uniform if none."""
    sources = np.zeros((graph.shape[0], len(groups)))
    for m, members in enumerate(groups):
        sources[members, m] = 1.0 / len(members)
    reached = np.maximum(solve(graph, sources, config) - sources, 0.0) + 1e-12
    return np.asarray(reached / reached.sum(axis=1, keepdims=True))


def solve(graph: sp.csr_array, sources: np.ndarray, config: GraphConfig) -> np.ndarray:
    """(I − α S)⁻¹ times each column of `sources`, by conjugate gradients."""
    solution = np.zeros_like(sources)
    residual = sources.copy()
    direction = residual.copy()
    size = (residual**2).sum(axis=0)
    enough = config.tol**2 * size
    for _ in range(config.max_iter):
        image = direction - config.alpha * (graph @ direction)
        step = size / np.maximum((direction * image).sum(axis=0), 1e-300)
        solution += step * direction
        residual -= step * image
        before, size = size, (residual**2).sum(axis=0)
        if (size <= enough).all():
            break
        direction = residual + size / np.maximum(before, 1e-300) * direction
    return solution


def laplacian_kernel(graph: sp.csr_array, alpha: float) -> np.ndarray:
    """The regularised Laplacian kernel (I − α S)⁻¹ (n × n), scaled to 1 on the diagonal."""
    inverse = np.linalg.inv(np.eye(graph.shape[0]) - alpha * graph.toarray())
    own = np.sqrt(np.diag(inverse))
    return np.asarray(inverse / own[:, None] / own)


def facility_location(
    kernel: np.ndarray, known: np.ndarray, n_wanted: int, among: np.ndarray | None = None
) -> list[int]:
    """Rows (`among` some) that represent as many rows as possible that no `known` row represents.

    Greedy (Nemhauser et al. 1978): each adds most to the sum over rows of the similarity to the nearest. What
    a row adds never rises, so only rows whose last value is still the largest are valued again (lazy greedy:
    Minoux 1978).
    """
    represented = kernel[:, known].max(axis=1, initial=0.0)
    free = np.setdiff1d(np.arange(len(kernel)) if among is None else among, known)
    adds = np.full(len(kernel), -1.0)
    adds[free] = np.maximum(kernel - represented[:, None], 0.0).sum(axis=0)[free]
    chosen: list[int] = []
    is_current = np.ones(len(kernel), dtype=bool)
    while len(chosen) < min(n_wanted, len(free)):
        best = int(adds.argmax())
        if is_current[best]:
            chosen.append(best)
            represented = np.maximum(represented, kernel[:, best])
            adds[best] = -1.0
            is_current[:] = False
        else:
            adds[best] = np.maximum(kernel[:, best] - represented, 0.0).sum()
            is_current[best] = True
    return chosen
