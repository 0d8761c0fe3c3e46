"""Metric pairwise constrained K-means (Bilenko, Basu and Mooney 2004): clusters and metric in turn.

    minimise  sum_i (d(x_i, centre) − log det A)
              + weight · sum (d under the one's A + d under the other's) / 2    over "same" pairs set apart
              + weight · sum (d(x', x'') − d(x_i, x_j))                         over "different" pairs joined
              + rows · (tr A − log det A)                                       for each metric

d is the squared distance under the metric A of the cluster; there is one metric, or one a cluster. (x', x'')
is the farthest pair of rows under A. The last line is not in the paper, which mends a singular spread by a
share of its trace: here a metric is learned as if `rows` more had been seen, as wide in every feature as all
of the data. That is one row for weights of features, and as many as features for a full matrix.

Centre, metric and the places of free rows have closed forms. Rows that constraints bind move one at a time,
and then those of a group together: alone, each would pay for leaving all the others. What would raise the
objective is not done. Prices are in `_mpckmeans_objective.py`, the best metrics in `_mpckmeans_metric.py`,
and what becomes of several metrics in `_local_clustering.py`.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from sameornot._validation import check_count, check_number, check_option
from sameornot.cluster._local_clustering import LocalClustering, average
from sameornot.cluster._mpckmeans_metric import learn_metrics
from sameornot.cluster._mpckmeans_objective import (
    Problem,
    State,
    Tally,
    View,
    all_penalties,
    count_up,
    distances,
    evaluate,
    look,
    own_penalties,
    penalties,
)
from sameornot.cluster._pckmeans import bind, centroids, fill_centers, first_labels, reseed_empty
from sameornot.cluster.clustering import Clustering
from sameornot.cluster.method import Method
from sameornot.constraints import Constraints
from sameornot.metric.learn import Metric, feature_scale

KINDS = ("diagonal", "full")

# A sweep that moves nothing and gains less than this share of the objective is the last one.
TOLERANCE = 1e-8


@dataclass(frozen=True)
class MPCKMeansSettings(Method):
    """How to learn a metric and clusters in turn (`clusterer="mpckmeans"` of a session).

    Parameters
    ----------
    metric : {"diagonal", "full"}
        Weights of features, or a full matrix.
    per_cluster : bool
        Whether each cluster has a metric of its own.
    weight : float
        Price of a broken constraint, as a multiple of the distance that it is about.
    n_init, max_iter : int
        Starts where centres are left to chance, and most sweeps of a start.
    """

    metric: str = "diagonal"
    per_cluster: bool = False
    weight: float = 1.0
    n_init: int = 5
    max_iter: int = 100

    def check(self) -> Self:
        """Raise a ValueError that names the first setting that cannot be used."""
        check_option("metric", self.metric, KINDS)
        check_number("weight", self.weight)
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
        """MPCKMeans that starts with every feature of the same weight."""
        return self.fit(X, constraints, n_clusters, scale, rng).clustering

    def fit(
        self,
        X: np.ndarray,
        constraints: Constraints,
        n_clusters: int,
        scale: np.ndarray,
        rng: np.random.Generator,
    ) -> "MPCKMeansResult":
        """The same with all that is known of it."""
        return mpckmeans(
            X,
            constraints,
            n_clusters,
            rng,
            scale=scale,
            metric=self.metric,
            per_cluster=self.per_cluster,
            weight=self.weight,
            n_init=self.n_init,
            max_iter=self.max_iter,
        )


@dataclass(frozen=True)
class MPCKMeansResult:
    """Labels, means (as rows of X), one metric or one a cluster, and the objective after each sweep."""

    labels: np.ndarray
    means: np.ndarray
    metrics: list[Metric]
    history: list[float]

    @property
    def n_iter(self) -> int:
        """Sweeps until nothing moved."""
        return len(self.history) - 1

    @property
    def clustering(self) -> Clustering:
        """Centres in the space of the metric, or of the average of the metrics."""
        if len(self.metrics) == 1:
            (metric,) = self.metrics
            return Clustering(self.labels, metric.transform(self.means), metric, self.n_iter)
        metric = average(self.metrics, np.bincount(self.labels, minlength=len(self.means)))
        centers = metric.transform(self.means)
        return LocalClustering(self.labels, centers, metric, self.n_iter, self.means, self.metrics)


def mpckmeans(
    X: np.ndarray,
    constraints: Constraints,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    scale: np.ndarray | None = None,
    metric: str = "diagonal",
    per_cluster: bool = False,
    weight: float = 1.0,
    n_init: int = 5,
    max_iter: int = 100,
) -> MPCKMeansResult:
    """Cluster the rows and learn the metric, starting from the plain one of rows divided by `scale`.

    Neighbourhood m is in cluster m, except for rows of it that were cheaper to keep elsewhere.
    """
    spread = feature_scale(X)
    varies = np.isfinite(spread)
    Z = (X - X.mean(axis=0))[:, varies] / spread[varies]
    first = np.ones(Z.shape[1]) if scale is None else (spread[varies] / scale[varies]) ** 2
    problem = Problem(Z, bind(constraints), n_clusters, metric == "full", per_cluster, weight)
    hoods = constraints.neighbourhoods(at_most=n_clusters)
    n_starts = n_init if len(hoods) < n_clusters else 1
    starts = (_start(problem, hoods, Metric(np.ones(len(first)), first), rng) for _ in range(n_starts))
    results = [_sweep_until_still(problem, start, max_iter, rng) for start in starts]
    best, history = min(results, key=lambda result: result[1][-1])
    order = name_clusters(best.labels, hoods, n_clusters)
    means = np.tile(X.mean(axis=0), (n_clusters, 1))
    means[:, varies] += best.means[order] * spread[varies]
    metrics = [_widen(learned, spread) for learned in best.view.metrics]
    if per_cluster:
        metrics = [metrics[k] for k in order]
    return MPCKMeansResult(np.argsort(order)[best.labels], means, metrics, history)


def name_clusters(labels: np.ndarray, hoods: list[np.ndarray], n_clusters: int) -> np.ndarray:
    """Which cluster to call 0, 1, …, so that as many rows as can be are in that of their neighbourhood.

    Rows move one at a time, and a neighbourhood may end where another one began.
    """
    held = np.zeros((n_clusters, n_clusters))
    for m, members in enumerate(hoods):
        held[m] = np.bincount(labels[members], minlength=n_clusters)
    return np.asarray(linear_sum_assignment(held, maximize=True)[1])


def _widen(metric: Metric, spread: np.ndarray) -> Metric:
    """A metric of the features that vary as one of all features."""
    varies = np.isfinite(spread)
    if metric.rotation is None:
        weights = np.zeros(len(spread))
        weights[varies] = metric.weights
        return Metric(spread, weights)
    rotation = np.zeros((len(spread), len(metric.weights)))
    rotation[varies] = metric.rotation
    return Metric(spread, metric.weights, rotation)


# --- sweeps ---------------------------------------------------------------------------------------------


def _start(problem: Problem, hoods: list[np.ndarray], metric: Metric, rng: np.random.Generator) -> State:
    """Means of the neighbourhoods and far rows for centres, one and the same metric for all."""
    root = np.sqrt(metric.weights)
    seeds = np.array([problem.Z[members].mean(axis=0) for members in hoods]).reshape(len(hoods), len(root))
    means = fill_centers(problem.Z * root, seeds * root, problem.n_clusters, rng) / root
    view = look(problem, [metric] * problem.n_metrics)
    labels = first_labels(distances(problem, view, means), problem.bindings, hoods)
    return evaluate(problem, view, labels, means)


def _sweep_until_still(
    problem: Problem, state: State, max_iter: int, rng: np.random.Generator
) -> tuple[State, list[float]]:
    history = [state.objective]
    for _ in range(max_iter):
        following = sweep(problem, state, rng)
        if following.objective > state.objective:  # by rounding, or to fill an empty cluster
            break
        gain = state.objective - following.objective
        still = (following.labels == state.labels).all() and gain <= TOLERANCE * max(1.0, abs(history[0]))
        state = following
        history.append(state.objective)
        if still:
            break
    return state, history


def sweep(problem: Problem, state: State, rng: np.random.Generator) -> State:
    """Move rows, then means, then metrics; the farthest pair moves too, so new metrics may cost more."""
    labels = state.labels.copy()
    squares = distances(problem, state.view, state.means)
    _move_rows(problem, state.view, labels, squares, rng)
    reseed_empty(labels, squares, problem.bindings)
    means = centroids(problem.Z, labels, state.means, np.ones(len(labels)))
    kept = evaluate(problem, state.view, labels, means)
    learned = evaluate(problem, look(problem, learn_metrics(problem, kept)), labels, means)
    return min(kept, learned, key=lambda trial: trial.objective)


def _move_rows(
    problem: Problem, view: View, labels: np.ndarray, squares: np.ndarray, rng: np.random.Generator
) -> None:
    """Each row to where it costs least, in place: free ones all at once, bound ones alone, then together."""
    costs = squares - view.log_dets[problem.metric_of]
    free = problem.bindings.group < 0
    labels[free] = costs[free].argmin(axis=1)
    tally = count_up(problem, view, labels)
    _move_lots(problem, view, labels, costs, tally, problem.each, rng)
    _move_lots(problem, view, labels, costs, tally, _groups_by_cluster(problem, labels), rng)


def _groups_by_cluster(problem: Problem, labels: np.ndarray) -> sparse.csr_array:
    """Which bound rows are of one group and in one cluster, where those are two or more."""
    cell = problem.group * problem.n_clusters + labels[problem.bound]
    size = np.bincount(cell)
    order = np.argsort(cell, kind="stable")
    rows = order[size[cell[order]] > 1]
    starts = np.append(0, size[size > 1].cumsum())
    return sparse.csr_array((np.ones(len(rows)), rows, starts), shape=(len(starts) - 1, len(cell)))


def _move_lots(
    problem: Problem,
    view: View,
    labels: np.ndarray,
    costs: np.ndarray,
    tally: Tally,
    member: sparse.csr_array,
    rng: np.random.Generator,
) -> None:
    """Each lot (a row of `member`) to where it costs least, in random order; labels and tally follow."""
    bound = problem.bound
    lots = view.rows.join(member)
    before = labels[bound[member.indices[member.indptr[:-1]]]]
    fit = member @ costs[bound] - own_penalties(problem, lots, before)
    prices = fit + all_penalties(problem, view, lots, tally)
    eager = np.flatnonzero(prices.min(axis=1) < prices[np.arange(len(before)), before])
    for lot in rng.permutation(eager):
        one, g, here = lots.of(lot[None]), lots.group[lot], before[lot]
        others = tally.over(problem.bindings.beside(g))
        price = fit[lot] + penalties(problem, view, one, tally.of(g[None]), others)[0]
        there = price.argmin()
        if price[there] < price[here]:
            labels[bound[member.indices[member.indptr[lot] : member.indptr[lot + 1]]]] = there
            tally.move(lots, lot, here, there)
