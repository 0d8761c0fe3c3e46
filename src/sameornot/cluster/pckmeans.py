"""Pairwise constrained K-means (PCKMeans; Basu, Banerjee and Mooney 2004).

    minimise  sum_i w_i ||x_i − centre(l_i)||²  +  weight · (violated "same" + violated "different" pairs)

w_i is 1 in the paper. A row that answers are about is a certain member of its group, while the others are
guesses, so with `answered_row_weight` it may count for several in its centre.

Constraints are those of the closure (`_constraint_graph.py`). Rows of a group move one at a time, free rows
all at once. Every move lowers the objective, so the sweeps converge.
"""

from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np

from sameornot._validation import check_count, check_flag, check_number, check_option
from sameornot.cluster._centers import centroids, first_centers, first_labels, refill_empty
from sameornot.cluster._constraint_graph import ConstraintGraph, constraint_graph
from sameornot.cluster.base import Problem, State
from sameornot.cluster.clustering import CenterClusterer, CenterClustering, rows_at, squared_distances
from sameornot.constraints import Constraints
from sameornot.metric.learn import Metric, identity_metric

# What a price of 1 can be: the total variance of the rows under the metric, or one squared unit of it.
WEIGHT_UNITS = ("variance", "metric")


class PCKMeans(CenterClusterer):
    """Pairwise constrained K-means (Basu et al. 2004): K-means that pays for each violated constraint.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters; None takes the number that the pairs tell apart.
    weight : float
        Price of a violated constraint.
    weight_unit : {"variance", "metric"}
        What `weight` is measured in: the total variance of the rows, or one squared unit of `X` (of its
        standardised features), as published.
    answered_row_weight : float
        For how many rows one that the pairs are about counts in its centre; 1 is the published PCKMeans.
    keep_answers : bool
        Whether a session puts answered rows into their groups in the end; otherwise they stay where PCKMeans
        left them, as published.
    standardize : bool
        Divide each feature by its standard deviation first.
    n_init : int
        Starts, where the constraints leave centres to chance; the best is kept.
    max_iter : int
        Most sweeps of a start.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray, one a row
    cluster_centers_ : ndarray, one row a cluster
        In the units of `X`.
    metric_ : Metric
        Every feature that varies has the same weight; the rows have unit total variance.
    feature_weights_ : ndarray
    objective_ : float
        In squared units of `X`, or of its standardised features.
    n_iter_ : int
        Sweeps until no row moved.
    history_ : list of float
        The objective after each sweep; it never rises.

    References
    ----------
    Basu, S., Banerjee, A., and Mooney, R. J. (2004). Active semi-supervision for pairwise constrained
    clustering. *SIAM International Conference on Data Mining*.

    Examples
    --------
    >>> from sameornot import PCKMeans
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> model = PCKMeans(n_clusters=2, weight=8.0, random_state=0)
    >>> labels = model.fit_predict(X, must_link=[(0, 3)], cannot_link=[(0, 1), (1, 3), (0, 2)])
    >>> bool(labels[0] == labels[3] != labels[1] == labels[2])
    True
    """

    def __init__(
        self,
        n_clusters: int | None = 8,
        *,
        weight: float = 1.0,
        weight_unit: str = "variance",
        answered_row_weight: float = 1.0,
        keep_answers: bool = True,
        standardize: bool = True,
        n_init: int = 5,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.weight = weight
        self.weight_unit = weight_unit
        self.answered_row_weight = answered_row_weight
        self.keep_answers = keep_answers
        self.standardize = standardize
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        check_prices(self)
        return self

    def cluster(self, problem: Problem, state: State) -> CenterClustering:
        """PCKMeans with the same weight for every feature."""
        return cluster_under(identity_metric(problem.scale), problem, self, problem.step_rng())

    def conclude(self, problem: Problem, state: State) -> CenterClustering:
        """The same with the randomness of the result."""
        return cluster_under(identity_metric(problem.scale), problem, self, problem.result_rng())

    def transform(self, X: Any) -> np.ndarray:
        """Distance of each row to each centre, in units of `X` or of its standardised features."""
        return super().transform(X) * self._unit

    def _store(self, clustering: CenterClustering, problem: Problem) -> Self:
        super()._store(clustering, problem)
        highest = clustering.metric.weights.max()
        self._unit = 1.0 / np.sqrt(highest) if highest > 0 else 1.0
        self.cluster_centers_ = rows_at(clustering.centers, clustering.metric, problem.X)
        self.history_ = [self._unit**2 * value for value in clustering.history]
        self.objective_ = self.history_[-1]
        return self


class SweepParameters(Protocol):
    """What sweeps take from an estimator."""

    weight: float
    answered_row_weight: float
    n_init: int
    max_iter: int


def check_sweeps(parameters: SweepParameters) -> None:
    """Raise a ValueError that names the first of them that cannot be used."""
    check_number("weight", parameters.weight)
    check_number("answered_row_weight", parameters.answered_row_weight, at_least=1.0)
    check_count("n_init", parameters.n_init)
    check_count("max_iter", parameters.max_iter)


class PriceParameters(SweepParameters, Protocol):
    """What else `cluster_under` takes from an estimator."""

    weight_unit: str
    keep_answers: bool


def check_prices(parameters: PriceParameters) -> None:
    """Raise a ValueError that names the first of them that cannot be used."""
    check_sweeps(parameters)
    check_option("weight_unit", parameters.weight_unit, WEIGHT_UNITS)
    check_flag("keep_answers", parameters.keep_answers)


def cluster_under(
    metric: Metric, problem: Problem, parameters: PriceParameters, rng: np.random.Generator
) -> CenterClustering:
    """PCKMeans under a metric; with `weight_unit` "variance" it is scaled to unit total variance first."""
    variance = float(metric.transform(problem.X).var(axis=0).sum())
    if variance > 0 and parameters.weight_unit == "variance":
        metric = replace(metric, weights=metric.weights / variance)
    found = pckmeans(
        metric.transform(problem.X),
        problem.answers,
        problem.n_groups,
        rng,
        weight=parameters.weight,
        answered_row_weight=parameters.answered_row_weight,
        n_init=parameters.n_init,
        max_iter=parameters.max_iter,
    )
    return replace(found.under(metric, problem.X), keeps_answers=parameters.keep_answers)


@dataclass(frozen=True)
class SweepResult:
    """Labels, centres, and the objective after each sweep (never rising)."""

    labels: np.ndarray
    centers: np.ndarray
    history: list[float]

    @property
    def n_iter(self) -> int:
        """Sweeps until no row moved."""
        return len(self.history) - 1

    def under(self, metric: Metric, X: np.ndarray) -> CenterClustering:
        """The clustering of rows that `metric` has transformed."""
        found = CenterClustering(self.labels, self.centers, metric, self.n_iter, history=self.history)
        return replace(found, fitted_width=found.width(X))


def pckmeans(
    X: np.ndarray,
    constraints: Constraints,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    weight: float = 1.0,
    answered_row_weight: float = 1.0,
    n_init: int = 5,
    max_iter: int = 100,
) -> SweepResult:
    """Cluster the rows, the m-th neighbourhood in cluster m unless that costs more than splitting it.

    `weight` is in squared units of the rows.
    """
    neighbourhoods = constraints.neighbourhoods(at_most=n_clusters)
    graph = constraint_graph(constraints, answered_row_weight)
    sweeps = Sweeps(X, graph, weight, max_iter)
    starts = first_centers(X, neighbourhoods, n_clusters, n_init, rng)
    results = [sweeps.run(centers, neighbourhoods) for centers in starts]
    return min(results, key=lambda result: result.history[-1])


@dataclass(frozen=True)
class Sweeps:
    """What all starts have in common: the rows, the constraints, and their price."""

    X: np.ndarray
    graph: ConstraintGraph
    weight: float
    max_iter: int

    def run(self, centers: np.ndarray, neighbourhoods: list[np.ndarray]) -> SweepResult:
        """Move rows and centres in turn, until no row moves."""
        X, graph, row_weight = self.X, self.graph, self.graph.row_weight
        distances = row_weight[:, None] * squared_distances(X, centers)
        labels = first_labels(distances, graph, neighbourhoods)
        history = [objective(distances, labels, graph, self.weight)]
        for sweep in range(self.max_iter):
            moved = move_rows(labels, distances, graph, self.weight)
            moved |= refill_empty(labels, distances, graph)
            centers = centroids(X, labels, centers, row_weight)
            distances = row_weight[:, None] * squared_distances(X, centers)
            history.append(objective(distances, labels, graph, self.weight))
            if not moved and sweep > 0:  # the first sweep moves the centres off their seeds
                break
        return SweepResult(labels, centers, history)


def objective(distances: np.ndarray, labels: np.ndarray, graph: ConstraintGraph, weight: float) -> float:
    """Distances to the own centres plus the price of violated constraints, each pair once."""
    counts = cluster_counts(labels, graph, distances.shape[1])
    kept_same = (counts**2).sum(axis=1)
    violated_same = (graph.size**2 - kept_same).sum() / 2
    violated_different = np.sum(counts * (graph.cannot_link @ counts)) / 2
    own = distances[np.arange(len(labels)), labels].sum()
    return float(own + weight * (violated_same + violated_different))


def cluster_counts(labels: np.ndarray, graph: ConstraintGraph, n_clusters: int) -> np.ndarray:
    """How many rows of each group are in each cluster."""
    rows = graph.group >= 0
    counts = np.zeros((len(graph.size), n_clusters))
    np.add.at(counts, (graph.group[rows], labels[rows]), 1.0)
    return counts


def move_rows(labels: np.ndarray, distances: np.ndarray, graph: ConstraintGraph, weight: float) -> bool:
    """Move each row where it costs least, in place; tells whether any moved."""
    free = graph.group < 0
    best = distances[free].argmin(axis=1)
    moved = bool((best != labels[free]).any())
    labels[free] = best
    counts = cluster_counts(labels, graph, distances.shape[1])
    for row in _candidates(labels, distances, graph, counts, weight):
        group, here = graph.group[row], labels[row]
        joined = counts[graph.neighbours(group)].sum(axis=0)
        cost = distances[row] + weight * _violations(counts, graph, group[None], here[None], joined)[0]
        there = cost.argmin()
        if cost[there] < cost[here]:
            labels[row] = there
            counts[group, here] -= 1
            counts[group, there] += 1
            moved = True
    return moved


def _candidates(
    labels: np.ndarray, distances: np.ndarray, graph: ConstraintGraph, counts: np.ndarray, weight: float
) -> np.ndarray:
    """Rows of groups that would move if no other row did."""
    rows = np.flatnonzero(graph.group >= 0)
    groups = graph.group[rows]
    joined = (graph.cannot_link @ counts)[groups]
    costs = distances[rows] + weight * _violations(counts, graph, groups, labels[rows], joined)
    return np.asarray(rows[costs.min(axis=1) < costs[np.arange(len(rows)), labels[rows]]])


def _violations(
    counts: np.ndarray, graph: ConstraintGraph, group: np.ndarray, here: np.ndarray, joined: np.ndarray
) -> np.ndarray:
    """Constraints that a row of `group`, now in cluster `here`, would violate in each cluster."""
    same = counts[group]
    same[np.arange(len(group)), here] -= 1
    return np.asarray((graph.size[group] - 1)[:, None] - same + joined)
