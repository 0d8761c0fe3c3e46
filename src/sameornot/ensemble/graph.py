"""Groups spread over a graph of nearest neighbours (Zhou et al. 2004).

    F = (I − α S)⁻¹ Y,    S = D^−½ W D^−½,    w_ij = exp(−d_ij² / (s_i s_j))

w is kept between i and its nearest neighbours only, s_i is the distance of the last of them; column m of Y
shares one unit among the rows of group m. The system is sparse and well conditioned: a few dozen rounds of
conjugate gradients solve it for all groups at once.
"""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import ThreadpoolController

N_NEIGHBOURS = 10
REACH = 0.95  # α: how much of what a row has it passes on
MAX_ROUNDS = 200
TOLERANCE = 1e-4
THREADS = ThreadpoolController()


def neighbour_graph(rows: np.ndarray, n_neighbours: int = N_NEIGHBOURS) -> sp.csr_array:
    """The normalised similarities (S) between rows and their nearest neighbours."""
    n_rows = len(rows)
    k = min(n_neighbours, n_rows - 1)
    if k == 0:
        return sp.csr_array((n_rows, n_rows))
    own, nearest = find_nearest(rows - rows.mean(axis=0), k)
    width = np.sqrt(own.max(axis=1))
    scale = width[:, None] * width[nearest]
    # Rows that are the same are as near as can be, whatever the width; a lone row keeps a thread to others.
    weight = np.exp(-np.divide(own, scale, out=np.where(own > 0, np.inf, 0.0), where=scale > 0))
    weight = np.maximum(weight, 1e-12)
    graph = sp.csr_array(
        (weight.ravel(), (np.repeat(np.arange(n_rows), k), nearest.ravel())), (n_rows, n_rows)
    )
    graph = graph.maximum(graph.T)
    half = sp.diags_array(1.0 / np.sqrt(graph.sum(axis=1)))
    return sp.csr_array(half @ graph @ half)


def find_nearest(rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Squared distances of the k nearest other rows of each row, and which they are."""
    if rows.shape[1] == 0:
        rows = np.zeros((len(rows), 1))
    search = NearestNeighbors(n_neighbors=k, algorithm="brute", metric="sqeuclidean").fit(rows)
    # Of rows that are equally far, which one is found first must not depend on the number of cores.
    with THREADS.limit(limits=1, user_api="openmp"):
        squares, nearest = search.kneighbors()
    return np.maximum(squares, 0.0), nearest


def spread(graph: sp.csr_array, groups: Sequence[np.ndarray]) -> np.ndarray:
    """Share of each group in what reaches each row from others (n × L); all alike where nothing does."""
    sources = np.zeros((graph.shape[0], len(groups)))
    for m, members in enumerate(groups):
        sources[members, m] = 1.0 / len(members)
    reached = np.maximum(solve(graph, sources) - sources, 0.0) + 1e-12
    return np.asarray(reached / reached.sum(axis=1, keepdims=True))


def solve(graph: sp.csr_array, sources: np.ndarray) -> np.ndarray:
    """(I − α S)⁻¹ times each column of `sources`, by conjugate gradients."""
    found = np.zeros_like(sources)
    residual = sources.copy()
    direction = residual.copy()
    size = (residual**2).sum(axis=0)
    enough = TOLERANCE**2 * size
    for _ in range(MAX_ROUNDS):
        image = direction - REACH * (graph @ direction)
        step = size / np.maximum((direction * image).sum(axis=0), 1e-300)
        found += step * direction
        residual -= step * image
        before, size = size, (residual**2).sum(axis=0)
        if (size <= enough).all():
            break
        direction = residual + size / np.maximum(before, 1e-300) * direction
    return found


def closeness(graph: sp.csr_array, reach: float = REACH) -> np.ndarray:
    """How well each row reaches each other one (n × n), 1 for itself."""
    inverse = np.linalg.inv(np.eye(graph.shape[0]) - reach * graph.toarray())
    own = np.sqrt(np.diag(inverse))
    return np.asarray(inverse / own[:, None] / own)


def representatives(
    close: np.ndarray, known: np.ndarray, n_wanted: int, among: np.ndarray | None = None
) -> list[int]:
    """Rows (`among` some) that stand for as many rows as can be that no `known` row nor another stands for.

    Greedy facility location: each adds most to the sum over rows of how close the closest of them is.
    """
    reached = close[:, known].max(axis=1, initial=0.0)
    free = np.ones(len(close), dtype=bool)
    if among is not None:
        free = np.zeros(len(close), dtype=bool)
        free[among] = True
    free[known] = False
    chosen: list[int] = []
    for _ in range(min(n_wanted, int(free.sum()))):
        gain = np.maximum(close - reached[:, None], 0.0).sum(axis=0)
        gain[~free] = -1.0
        best = int(gain.argmax())
        chosen.append(best)
        free[best] = False
        reached = np.maximum(reached, close[:, best])
    return chosen
