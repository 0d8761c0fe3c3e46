"""Pairwise constrained K-means (§3.2): distances to centres plus a price for each broken constraint.

    minimise  sum_i e_i ||x_i − centre(l_i)||²  +  weight · (broken "same" + broken "different" pairs)

e_i is 1 in the paper. A row that answers speak of is a sure member where the others are guesses, so with
`emphasis` it may count for several in its centre.

Constraints are those of the closure, counted by (group, cluster) instead of by pair: a sweep costs O(|N|·K).
Points move one at a time where constraints bind them and all at once where none do; every move lowers the
objective, so the sweeps end by themselves. The metric is applied before: pass transformed rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy import sparse

from sameornot._validation import check_count, check_number
from sameornot.cluster.clustering import Clustering, squared_distances
from sameornot.cluster.method import Method
from sameornot.constraints import Constraints
from sameornot.metric.learn import Metric, identity_metric

# Emphasised rows count together for at most this share of all rows, and those of a group of HALF_TRUST rows
# get half of the extra weight: one or two odd rows would draw their centre away from the bulk.
EMPHASIS_SHARE = 0.3
HALF_TRUST = 3.0


@dataclass(frozen=True)
class PCKMeansSettings(Method):
    """How to cluster with constraints that have a price (`clusterer="pckmeans"` of a session).

    Parameters
    ----------
    weight : float
        Price of a broken constraint, in units of the data's total variance under the metric.
    emphasis : float
        For how many rows one that the answers speak of counts in its centre; 1 is the published PCKMeans.
    n_init, max_iter : int
        Starts where centres are left to chance, and most sweeps of a start.
    """

    weight: float = 1.0
    emphasis: float = 1.0
    n_init: int = 5
    max_iter: int = 100

    def check(self) -> Self:
        """Raise a ValueError that names the first setting that cannot be used."""
        check_number("weight", self.weight)
        check_number("emphasis", self.emphasis, at_least=1.0)
        check_count("n_init", self.n_init)
        check_count("max_iter", self.max_iter)
        return self

    def fit_step(
        self,
        X: np.ndarray,
        constraints: Constraints,
        n_clusters: int,
        scale: np.ndarray,
        rng: np.random.Generator,
    ) -> Clustering:
        """PCKMeans with every feature of the same weight."""
        return cluster_under(X, constraints, n_clusters, identity_metric(scale), self, rng)


def cluster_under(
    X: np.ndarray,
    constraints: Constraints,
    n_clusters: int,
    metric: Metric,
    settings: "PCKMeansSettings",
    rng: np.random.Generator,
) -> Clustering:
    """PCKMeans under a metric, scaled to unit total variance so that `weight` means the same for any A."""
    variance = float(metric.transform(X).var(axis=0).sum())
    if variance > 0:
        metric = replace(metric, weights=metric.weights / variance)
    result = pckmeans(
        metric.transform(X),
        constraints,
        n_clusters,
        rng,
        weight=settings.weight,
        emphasis=settings.emphasis,
        n_init=settings.n_init,
        max_iter=settings.max_iter,
    )
    return Clustering(result.labels, result.centers, metric, result.n_iter)


@dataclass(frozen=True)
class PCKMeansResult:
    """Labels, centres, and the objective after each sweep (never rising)."""

    labels: np.ndarray
    centers: np.ndarray
    history: list[float]

    @property
    def n_iter(self) -> int:
        """Sweeps until no point moved."""
        return len(self.history) - 1


@dataclass(frozen=True)
class Bindings:
    """The closure as arrays: the group of each point (−1: free) and which groups are apart."""

    group: np.ndarray
    size: np.ndarray
    apart: sparse.csr_array
    row_weight: np.ndarray

    def beside(self, group: int) -> np.ndarray:
        """The groups that differ from one; a row of a sparse array would take several times as long."""
        start, end = self.apart.indptr[group : group + 2]
        return np.asarray(self.apart.indices[start:end])


def bind(constraints: Constraints, emphasis: float = 1.0) -> Bindings:
    """Lay out the closure for counting, and weigh the rows that it speaks of."""
    groups = constraints.groups()
    group = np.full(constraints.n_points, -1)
    for g, members in enumerate(groups):
        group[members] = g
    pairs = group[constraints.cannot_link]
    ends = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
    shape = (len(groups), len(groups))
    apart = sparse.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=shape)
    size = np.array([len(members) for members in groups], dtype=float)
    return Bindings(group, size, apart, emphasise(group, size, emphasis))


def emphasise(group: np.ndarray, size: np.ndarray, emphasis: float) -> np.ndarray:
    """Weight of each row in its centre: up to `emphasis` for bound ones, the more the larger their group."""
    bound = group >= 0
    at_most = EMPHASIS_SHARE * len(group) / max(int(bound.sum()), 1)
    extra = max(0.0, min(emphasis, at_most) - 1.0)
    row_weight = np.ones(len(group))
    row_weight[bound] += extra * (size / (size + HALF_TRUST))[group[bound]]
    return row_weight


def pckmeans(
    X: np.ndarray,
    constraints: Constraints,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    weight: float = 1.0,
    emphasis: float = 1.0,
    n_init: int = 5,
    max_iter: int = 100,
) -> PCKMeansResult:
    """Cluster the rows, the m-th neighbourhood in cluster m unless that costs more than breaking it up."""
    hoods = constraints.neighbourhoods(at_most=n_clusters)
    bindings = bind(constraints, emphasis)
    starts = first_centers(X, hoods, n_clusters, n_init, rng)
    results = [_sweep_until_still(X, bindings, hoods, start, weight, max_iter) for start in starts]
    return min(results, key=lambda result: result.history[-1])


def first_centers(
    X: np.ndarray, hoods: list[np.ndarray], n_clusters: int, n_init: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Starts: the neighbourhoods' means and, several times where they are too few, centres by chance.

    Only neighbourhoods are seeds: any other group may turn out to be part of one.
    """
    seeds = np.array([X[members].mean(axis=0) for members in hoods]).reshape(-1, X.shape[1])
    for _ in range(n_init if len(hoods) < n_clusters else 1):
        yield fill_centers(X, seeds, n_clusters, rng)


def fill_centers(X: np.ndarray, seeds: np.ndarray, n_clusters: int, rng: np.random.Generator) -> np.ndarray:
    """Add the missing centres by greedy k-means++: of a few far points, the one that helps most."""
    centers = seeds
    n_trials = 2 + int(np.log(n_clusters))  # as scikit-learn's k-means++ does
    while len(centers) < n_clusters:
        nearest = squared_distances(X, centers).min(axis=1) if len(centers) else np.full(len(X), np.inf)
        total = nearest.sum()
        chance = nearest / total if 0 < total < np.inf else None
        picks = rng.choice(len(X), size=n_trials if len(centers) else 1, p=chance)
        left = np.minimum(nearest[:, None], squared_distances(X, X[picks])).sum(axis=0)
        centers = np.vstack([centers, X[picks[left.argmin()]]])
    return centers


def _sweep_until_still(
    X: np.ndarray,
    bindings: Bindings,
    hoods: list[np.ndarray],
    centers: np.ndarray,
    weight: float,
    max_iter: int,
) -> PCKMeansResult:
    row_weight = bindings.row_weight[:, None]
    distances = row_weight * squared_distances(X, centers)
    labels = first_labels(distances, bindings, hoods)
    history = [objective(distances, labels, bindings, weight)]
    for sweep in range(max_iter):
        moved = _move_points(labels, distances, bindings, weight)
        moved |= reseed_empty(labels, distances, bindings)
        centers = centroids(X, labels, centers, bindings.row_weight)
        distances = row_weight * squared_distances(X, centers)
        history.append(objective(distances, labels, bindings, weight))
        if not moved and sweep > 0:  # the first sweep moves the centres off their seeds
            break
    return PCKMeansResult(labels, centers, history)


def first_labels(distances: np.ndarray, bindings: Bindings, hoods: list[np.ndarray]) -> np.ndarray:
    """Neighbourhood m at centre m, other groups where they are nearest on the whole, free rows each."""
    labels = distances.argmin(axis=1)
    bound = np.flatnonzero(bindings.group >= 0)
    totals = np.zeros((len(bindings.size), distances.shape[1]))
    np.add.at(totals, bindings.group[bound], distances[bound])
    labels[bound] = totals.argmin(axis=1)[bindings.group[bound]]
    for m, members in enumerate(hoods):
        labels[members] = m
    return labels


def _counts(labels: np.ndarray, bindings: Bindings, n_clusters: int) -> np.ndarray:
    """How many points of each group sit in each cluster."""
    bound = bindings.group >= 0
    counts = np.zeros((len(bindings.size), n_clusters))
    np.add.at(counts, (bindings.group[bound], labels[bound]), 1.0)
    return counts


def objective(distances: np.ndarray, labels: np.ndarray, bindings: Bindings, weight: float) -> float:
    """Distances to the own centres plus the price of broken constraints, each pair once."""
    counts = _counts(labels, bindings, distances.shape[1])
    together = (counts**2).sum(axis=1)
    broken_same = (bindings.size**2 - together).sum() / 2
    broken_different = np.sum(counts * (bindings.apart @ counts)) / 2
    own = distances[np.arange(len(labels)), labels].sum()
    return float(own + weight * (broken_same + broken_different))


def _move_points(labels: np.ndarray, distances: np.ndarray, bindings: Bindings, weight: float) -> bool:
    """Move each point where it costs least, in place; tells whether any moved."""
    free = bindings.group < 0
    best = distances[free].argmin(axis=1)
    moved = bool((best != labels[free]).any())
    labels[free] = best
    counts = _counts(labels, bindings, distances.shape[1])
    bound = np.flatnonzero(~free)
    groups = bindings.group[bound]
    joined = (bindings.apart @ counts)[groups]
    prices = distances[bound] + weight * _broken(counts, bindings, groups, labels[bound], joined)
    own = prices[np.arange(len(bound)), labels[bound]]
    for point in bound[prices.min(axis=1) < own]:
        group, here = bindings.group[point], labels[point]
        joined = counts[bindings.beside(group)].sum(axis=0)
        price = distances[point] + weight * _broken(counts, bindings, group[None], here[None], joined)[0]
        there = price.argmin()
        if price[there] < price[here]:
            labels[point] = there
            counts[group, here] -= 1
            counts[group, there] += 1
            moved = True
    return moved


def _broken(
    counts: np.ndarray, bindings: Bindings, group: np.ndarray, here: np.ndarray, joined: np.ndarray
) -> np.ndarray:
    """Constraints that a point of `group`, now in cluster `here`, would break: `joined` and set apart."""
    mates = counts[group]
    mates[np.arange(len(group)), here] -= 1
    return np.asarray((bindings.size[group] - 1)[:, None] - mates + joined)


def reseed_empty(labels: np.ndarray, distances: np.ndarray, bindings: Bindings) -> bool:
    """Give each emptied cluster the worst-fitted point that no constraint binds to others."""
    n_clusters = distances.shape[1]
    sizes = np.bincount(labels, minlength=n_clusters)
    loss = distances[np.arange(len(labels)), labels]
    loss[bindings.group >= 0] = 0.0
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
