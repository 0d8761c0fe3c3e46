"""Metric pairwise constrained K-means (Bilenko, Basu and Mooney 2004): clusters and metric in turn.

    minimise  sum_i (d(x_i, centre) − log det A)
              + weight · sum (d under the one's A + d under the other's) / 2   over violated "same" pairs
              + weight · sum (d(x', x'') − d(x_i, x_j))                        over violated "different" pairs
              + rows · (tr A − log det A)                                      for each metric

d is the squared distance under the metric A of the cluster; there is one metric, or one a cluster. (x', x'')
is the farthest pair of rows under A. The last line is not in the paper, which repairs a singular scatter by a
share of its trace. Here it is a prior: as if `rows` more had been seen, with the variance that all data have
in every feature. That is one row for weights of features, and as many as features for a full matrix.

Centres, metrics and the assignment of free rows have closed forms. Rows of a group move one at a time, and
then together: alone, each would pay for leaving the others. Steps that would raise the objective are not
taken: see `_mpckmeans_sweeps.py`. Costs are in `_mpckmeans_objective.py`, the metrics in
`_mpckmeans_metric.py`.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.optimize import linear_sum_assignment

from sameornot._validation import check_count, check_flag, check_number, check_option
from sameornot.cluster._constraint_graph import constraint_graph
from sameornot.cluster._local_clustering import LocalClustering, average
from sameornot.cluster._mpckmeans_objective import Objective
from sameornot.cluster._mpckmeans_sweeps import start, sweep_until_converged
from sameornot.cluster.base import Problem, State
from sameornot.cluster.clustering import CenterClusterer, CenterClustering
from sameornot.constraints import Constraints
from sameornot.metric.learn import Metric, feature_scale

KINDS = ("diagonal", "full")


class MPCKMeans(CenterClusterer):
    """Metric pairwise constrained K-means (Bilenko et al. 2004): learn clusters and their metric in turn.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters; None takes the number that the pairs tell apart.
    metric : {"diagonal", "full"}
        Weights of features, or a full matrix.
    per_cluster : bool
        Whether each cluster has a metric of its own. `predict` and `transform` then take the volume of a
        cluster into account: a row is d² − log det A from each centre, plus what makes the smallest possible
        value 0.
    weight : float
        Price of a violated constraint, as a multiple of the distance that it is about.
    keep_answers : bool
        Whether a session puts answered rows into their groups in the end; otherwise they stay where MPCKMeans
        left them, as published.
    standardize : bool
        Start with features divided by their standard deviations, not as they are.
    n_init : int
        Starts, where the constraints leave centres to chance; the best is kept.
    max_iter : int
        Most sweeps of a start.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray, one a row
    metric_ : Metric
        ``metric_.matrix`` is A; with a metric a cluster, the average of them.
    metrics_ : list of Metric
        One, or one a cluster.
    cluster_centers_ : ndarray
        One row a cluster, in the space of ``metric_.transform(X)``.
    feature_weights_ : ndarray
        Share of each feature in the metric, per standard deviation.
    objective_ : float
        For features of unit variance.
    n_iter_ : int
        Sweeps until nothing moved.
    history_ : list of float
        The objective after each sweep; it never rises.

    References
    ----------
    Bilenko, M., Basu, S., and Mooney, R. J. (2004). Integrating constraints and metric learning in
    semi-supervised clustering. *ICML*.

    Examples
    --------
    >>> from sameornot.cluster.mpckmeans import MPCKMeans
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=90, n_relevant=3, random_state=0)
    >>> partial = [label if row < 20 else -1 for row, label in enumerate(y)]
    >>> model = MPCKMeans(n_clusters=3, random_state=0).fit(X, partial)
    >>> model.predict(X[:2]).shape, int(model.feature_weights_.argmax()) in (0, 1, 2)
    ((2,), True)
    """

    def __init__(
        self,
        n_clusters: int | None = 8,
        *,
        metric: str = "diagonal",
        per_cluster: bool = False,
        weight: float = 1.0,
        keep_answers: bool = True,
        standardize: bool = True,
        n_init: int = 5,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.per_cluster = per_cluster
        self.weight = weight
        self.keep_answers = keep_answers
        self.standardize = standardize
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        check_option("metric", self.metric, KINDS)
        check_number("weight", self.weight)
        check_flag("keep_answers", self.keep_answers)
        check_count("n_init", self.n_init)
        check_count("max_iter", self.max_iter)
        return self

    def cluster(self, problem: Problem, state: State) -> CenterClustering:
        """MPCKMeans that starts with the same weight for every feature."""
        return self._fit(problem, problem.step_rng())

    def conclude(self, problem: Problem, state: State) -> CenterClustering:
        """The same with the randomness of the result."""
        return self._fit(problem, problem.result_rng())

    def _fit(self, problem: Problem, rng: np.random.Generator) -> CenterClustering:
        found = mpckmeans(
            problem.X,
            problem.answers,
            problem.n_groups,
            rng,
            scale=problem.scale,
            metric=self.metric,
            per_cluster=self.per_cluster,
            weight=self.weight,
            n_init=self.n_init,
            max_iter=self.max_iter,
        ).clustering
        return replace(found, fitted_width=found.width(problem.X), keeps_answers=self.keep_answers)

    def _store(self, clustering: CenterClustering, problem: Problem) -> Self:
        super()._store(clustering, problem)
        self.metrics_ = clustering.all_metrics()
        return self


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
    def clustering(self) -> CenterClustering:
        """Centres in the space of the metric, or of the average of the metrics."""
        if len(self.metrics) == 1:
            (metric,) = self.metrics
            centers = metric.transform(self.means)
            return CenterClustering(self.labels, centers, metric, self.n_iter, history=self.history)
        metric = average(self.metrics, np.bincount(self.labels, minlength=len(self.means)))
        return LocalClustering(
            self.labels,
            metric.transform(self.means),
            metric,
            self.n_iter,
            self.means,
            self.metrics,
            history=self.history,
        )


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
    """Cluster the rows and learn the metric, starting with the Euclidean metric of rows divided by `scale`.

    Neighbourhood m is in cluster m, except for rows of it that cost less elsewhere.
    """
    deviation = feature_scale(X)
    varies = np.isfinite(deviation)
    Z = (X - X.mean(axis=0))[:, varies] / deviation[varies]
    graph = constraint_graph(constraints)
    objective = Objective(Z, graph, n_clusters, metric == "full", per_cluster, weight)
    weights = np.ones(Z.shape[1]) if scale is None else (deviation[varies] / scale[varies]) ** 2
    first = Metric(np.ones(len(weights)), weights)
    neighbourhoods = constraints.neighbourhoods(at_most=n_clusters)
    n_starts = n_init if len(neighbourhoods) < n_clusters else 1
    starts = (start(objective, neighbourhoods, first, rng) for _ in range(n_starts))
    results = [sweep_until_converged(objective, solution, max_iter, rng) for solution in starts]
    best, history = min(results, key=lambda result: result[1][-1])
    order = match_clusters(best.labels, neighbourhoods, n_clusters)
    means = np.tile(X.mean(axis=0), (n_clusters, 1))
    means[:, varies] += best.means[order] * deviation[varies]
    metrics = [_with_all_features(learned, deviation) for learned in best.spaces.metrics]
    if per_cluster:
        metrics = [metrics[k] for k in order]
    return MPCKMeansResult(np.argsort(order)[best.labels], means, metrics, history)


def match_clusters(labels: np.ndarray, neighbourhoods: list[np.ndarray], n_clusters: int) -> np.ndarray:
    """Which cluster to call 0, 1, …, so that as many rows as possible are in that of their neighbourhood.

    Rows move one at a time, and a neighbourhood may end where another one began.
    """
    counts = np.zeros((n_clusters, n_clusters))
    for m, members in enumerate(neighbourhoods):
        counts[m] = np.bincount(labels[members], minlength=n_clusters)
    return np.asarray(linear_sum_assignment(counts, maximize=True)[1])


def _with_all_features(metric: Metric, deviation: np.ndarray) -> Metric:
    """A metric of the features that vary as one of all features."""
    varies = np.isfinite(deviation)
    if metric.rotation is None:
        weights = np.zeros(len(deviation))
        weights[varies] = metric.weights
        return Metric(deviation, weights)
    rotation = np.zeros((len(deviation), len(metric.weights)))
    rotation[varies] = metric.rotation
    return Metric(deviation, metric.weights, rotation)
