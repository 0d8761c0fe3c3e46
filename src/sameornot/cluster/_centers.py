"""Steps of K-means that the clusterers share: first centres and labels, means, and refilled clusters."""

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from sameornot.cluster._constraint_graph import ConstraintGraph
from sameornot.cluster.clustering import squared_distances


def first_centers(
    X: np.ndarray,
    neighbourhoods: list[np.ndarray],
    n_clusters: int,
    n_init: int,
    rng: np.random.Generator,
) -> Iterator[np.ndarray]:
    """Starts: the means of the neighbourhoods and, where these are too few, `n_init` times random centres.

    Only neighbourhoods are seeds: any other group may turn out to be part of one.
    """
    seeds = np.array([X[members].mean(axis=0) for members in neighbourhoods]).reshape(-1, X.shape[1])
    for _ in range(n_init if len(neighbourhoods) < n_clusters else 1):
        yield fill_centers(X, seeds, n_clusters, rng)


def fill_centers(X: np.ndarray, seeds: np.ndarray, n_clusters: int, rng: np.random.Generator) -> np.ndarray:
    """Add the missing centres by greedy k-means++ (Arthur and Vassilvitskii 2007).

    Of a few candidates, drawn in proportion to their squared distance, the best one is taken.
    """
    centers = seeds
    n_candidates = 2 + int(np.log(n_clusters))  # as scikit-learn's k-means++ does
    while len(centers) < n_clusters:
        nearest = squared_distances(X, centers).min(axis=1) if len(centers) else np.full(len(X), np.inf)
        total = nearest.sum()
        chance = nearest / total if 0 < total < np.inf else None
        drawn = rng.choice(len(X), size=n_candidates if len(centers) else 1, p=chance)
        remaining = np.minimum(nearest[:, None], squared_distances(X, X[drawn])).sum(axis=0)
        centers = np.vstack([centers, X[drawn[remaining.argmin()]]])
    return centers


def first_labels(
    distances: np.ndarray, graph: ConstraintGraph, neighbourhoods: list[np.ndarray]
) -> np.ndarray:
    """Neighbourhood m at centre m, other groups at the centre nearest on the whole, free rows each."""
    labels = distances.argmin(axis=1)
    rows = np.flatnonzero(graph.group >= 0)
    totals = np.zeros((len(graph.size), distances.shape[1]))
    np.add.at(totals, graph.group[rows], distances[rows])
    labels[rows] = totals.argmin(axis=1)[graph.group[rows]]
    for m, members in enumerate(neighbourhoods):
        labels[members] = m
    return labels


def refill_empty(labels: np.ndarray, distances: np.ndarray, graph: ConstraintGraph) -> bool:
    """Give each empty cluster the worst-fitted free row, in place; tells whether any row moved."""
    n_clusters = distances.shape[1]
    sizes = np.bincount(labels, minlength=n_clusters)
    loss = distances[np.arange(len(labels)), labels]
    loss[graph.group >= 0] = 0.0
    moved = False
    for k in np.flatnonzero(sizes == 0):
        loss[sizes[labels] < 2] = 0.0
        worst = loss.argmax()
        if loss[worst] <= 0:
            break
        sizes[labels[worst]] -= 1
        sizes[k] += 1
        labels[worst], loss[worst], moved = k, 0.0, True
    return moved


def centroids(X: np.ndarray, labels: np.ndarray, centers: np.ndarray, row_weight: np.ndarray) -> np.ndarray:
    """Weighted mean of each cluster; an empty one keeps its centre."""
    shape = (len(centers), len(X))
    member = sparse.csr_array((row_weight, (labels, np.arange(len(X)))), shape=shape)
    sizes = np.bincount(labels, row_weight, minlength=len(centers))[:, None]
    return np.where(sizes > 0, member @ X / np.maximum(sizes, 1.0), centers)
