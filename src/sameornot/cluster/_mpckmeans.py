"""Metric pairwise constrained K-means (Bilenko, Basu and Mooney 2004): clusters and metric in turn.

    minimise  sum_i (d(x_i, centre) − log det A)
              + weight · sum (d under the one's A + d under the other's) / 2    over "same" pairs set apart
              + weight · sum (d(x', x'') − d(x_i, x_j))                         over "different" pairs joined
              + rows · (tr A − log det A)                                       for each metric

d is the squared distance under the metric A of the cluster; there is one metric, or one a cluster. (x', x'')
is the farthest pair of rows under A. The last line is not in the paper, which mends a singular spread by a
share of its trace: here a metric is learned as if `rows` more had been seen, as wide in every feature as all
of the data. That is one row for weights of features, and as many as features for a full matrix.

Constraints are those of the closure, summed by (group, cluster) instead of by pair: the number, sum and
squares of the rows there give the sum of distances to all of them at once, exactly. Centre, metric and the
places of free rows have closed forms; rows that constraints bind move one at a time. What would raise the
objective is not done.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.special import softmax

from sameornot._validation import check_count, check_number, check_option
from sameornot.cluster._pckmeans import (
    Bindings,
    _centroids,
    _first_labels,
    _reseed_empty,
    bind,
    fill_centers,
)
from sameornot.cluster.clustering import Clustering, squared_distances
from sameornot.cluster.method import Method
from sameornot.constraints import Constraints
from sameornot.metric.learn import Metric, feature_scale

KINDS = ("diagonal", "full")

# Rows whose sums are in memory at a time.
BLOCK = 512

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
class LocalClustering(Clustering):
    """Clusters with a metric each; `metric` is their average, and `centers` live in its space."""

    means: np.ndarray
    metrics: list[Metric]

    def distances(self, X: np.ndarray) -> np.ndarray:
        """Each row's d − log det A for each centre, raised by the largest log det: never below d."""
        squares = [
            squared_distances(metric.transform(X), metric.transform(mean[None]))[:, 0]
            for metric, mean in zip(self.metrics, self.means, strict=True)
        ]
        log_dets = np.array([log_det(metric) for metric in self.metrics])
        return np.column_stack(squares) + (log_dets.max() - log_dets)

    def confidence(self, X: np.ndarray) -> np.ndarray:
        """Share of the likeliest cluster in a mixture of Gaussians with precision A each."""
        return np.asarray(softmax(-0.5 * self.distances(X), axis=1).max(axis=1))


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


def log_det(metric: Metric) -> float:
    """The log det A over the features that vary, which are those that weigh anything."""
    return float(np.log(metric.weights[metric.weights > 0]).sum())


def average(metrics: list[Metric], sizes: np.ndarray) -> Metric:
    """The mean of metrics of the same scale, each as often as its cluster has rows."""
    share = sizes / sizes.sum()
    scale = metrics[0].scale
    if metrics[0].rotation is None:
        return Metric(scale, np.asarray(share @ [metric.weights for metric in metrics]))
    matrices = [replace(metric, scale=np.ones(len(scale))).matrix for metric in metrics]
    weights, rotation = np.linalg.eigh(np.tensordot(share, matrices, axes=1))
    return Metric(scale, weights.clip(0.0), rotation)


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


# --- the state of a run ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """What is given: rows of unit variance (Z), the closure, and the form of the metric."""

    Z: np.ndarray
    bindings: Bindings
    n_clusters: int
    full: bool
    per_cluster: bool
    weight: float

    @cached_property
    def bound(self) -> np.ndarray:
        """The rows that constraints speak of."""
        return np.flatnonzero(self.bindings.group >= 0)

    @cached_property
    def group(self) -> np.ndarray:
        """The group of each bound row."""
        return self.bindings.group[self.bound]

    @property
    def apart(self) -> sparse.csr_array:
        """Which groups differ."""
        return self.bindings.apart

    @cached_property
    def metric_of(self) -> np.ndarray:
        """Which of the metrics is that of each cluster."""
        return np.arange(self.n_clusters) * self.per_cluster

    @property
    def prior_rows(self) -> float:
        """How many rows of unit variance each metric is learned from beside its own."""
        return float(self.Z.shape[1] if self.full else 1)


@dataclass(frozen=True)
class View:
    """The rows under given metrics.

    `spaces` hold all rows, one space a metric; `stretched` (A z) and `norms` (zᵀ A z) the bound ones;
    `farthest` is the difference of the farthest pair of rows and `widths` its squared length.
    """

    metrics: list[Metric]
    log_dets: np.ndarray
    spaces: list[np.ndarray]
    stretched: np.ndarray
    norms: np.ndarray
    farthest: np.ndarray
    widths: np.ndarray


@dataclass(frozen=True)
class Tally:
    """Of the rows of each group in each cluster: how many, their sum, their zᵀ A z under each metric."""

    count: np.ndarray
    total: np.ndarray
    square: np.ndarray

    def of(self, groups: np.ndarray) -> "Tally":
        """One entry for each of some groups."""
        return Tally(self.count[groups], self.total[groups], self.square[groups])

    def over(self, groups: np.ndarray) -> "Tally":
        """A single entry for some groups together."""
        parts = self.of(groups)
        return Tally(
            parts.count.sum(axis=0)[None], parts.total.sum(axis=0)[None], parts.square.sum(axis=0)[None]
        )

    def beside(self, apart: sparse.csr_array) -> "Tally":
        """For each group, all those that differ from it."""
        parts = (self.count, self.total, self.square)
        flat = [part.reshape(len(part), int(np.prod(part.shape[1:]))) for part in parts]
        return Tally(*((apart @ rows).reshape(part.shape) for rows, part in zip(flat, parts, strict=True)))

    def move(self, group: int, here: int, there: int, row: np.ndarray, norms: np.ndarray) -> None:
        """Take a row of a group from one cluster to another."""
        for cluster, sign in ((here, -1.0), (there, 1.0)):
            self.count[group, cluster] += sign
            self.total[group, cluster] += sign * row
            self.square[group, :, cluster] += sign * norms


@dataclass(frozen=True)
class State:
    """Clusters under metrics, and what they cost."""

    labels: np.ndarray
    means: np.ndarray
    view: View
    objective: float


def look(problem: Problem, metrics: list[Metric]) -> View:
    """The rows under metrics."""
    spaces = [metric.transform(problem.Z) for metric in metrics]
    rows = [space[problem.bound] for space in spaces]
    pairs = [farthest_pair(space) if problem.apart.nnz else (0, 0) for space in spaces]
    return View(
        metrics,
        np.array([log_det(metric) for metric in metrics]),
        spaces,
        np.stack([_back(metric, part) for metric, part in zip(metrics, rows, strict=True)], axis=1),
        np.stack([(part**2).sum(axis=1) for part in rows], axis=1),
        np.array([problem.Z[i] - problem.Z[j] for i, j in pairs]),
        np.array([((space[i] - space[j]) ** 2).sum() for space, (i, j) in zip(spaces, pairs, strict=True)]),
    )


def _back(metric: Metric, space: np.ndarray) -> np.ndarray:
    """A z for rows that are already in the space of A."""
    weighted = space * np.sqrt(metric.weights)
    return weighted if metric.rotation is None else weighted @ metric.rotation.T


def farthest_pair(space: np.ndarray) -> tuple[int, int]:
    """Two rows that are as far apart as any.

    Rows come from the outside in: once two that are left cannot be farther apart than twice the distance of
    the next from the middle, the search is over.
    """
    radius = np.sqrt(((space - space.mean(axis=0)) ** 2).sum(axis=1))
    order = np.argsort(-radius, kind="stable")
    best, pair = -1.0, (0, 0)
    for start in range(0, len(order), BLOCK):
        if best >= (2.0 * radius[order[start]]) ** 2:
            break
        rest, block = order[start:], order[start : start + BLOCK]
        squares = squared_distances(space[rest], space[block])
        i, j = np.unravel_index(squares.argmax(), squares.shape)
        if squares[i, j] > best:
            best, pair = float(squares[i, j]), (int(rest[i]), int(block[j]))
    return pair


def count_up(problem: Problem, view: View, labels: np.ndarray) -> Tally:
    """Sum the bound rows by group and cluster."""
    n_bound, cells = len(problem.bound), (len(problem.bindings.size), problem.n_clusters)
    cell = problem.group * problem.n_clusters + labels[problem.bound]
    shape = (cells[0] * cells[1], n_bound)
    member = sparse.csr_array((np.ones(n_bound), (cell, np.arange(n_bound))), shape=shape)
    square = (member @ view.norms).reshape(*cells, len(view.metrics))
    return Tally(
        np.bincount(cell, minlength=shape[0]).reshape(cells).astype(float),
        (member @ problem.Z[problem.bound]).reshape(*cells, problem.Z.shape[1]),
        np.ascontiguousarray(square.transpose(0, 2, 1)),
    )


# --- prices ---------------------------------------------------------------------------------------------


def distances(problem: Problem, view: View, means: np.ndarray) -> np.ndarray:
    """Squared distance of each row to each mean under the metric of its cluster."""
    squares = np.empty((len(problem.Z), problem.n_clusters))
    for h, metric in enumerate(view.metrics):
        mine = problem.metric_of == h
        squares[:, mine] = squared_distances(view.spaces[h], metric.transform(means[mine]))
    return squares


def _gaps(view: View, rows: np.ndarray, tally: Tally) -> np.ndarray:
    """Sum of squared distances to the tallied rows: by bound row, metric, cluster."""
    cross = view.stretched[rows] @ tally.total.transpose(0, 2, 1)
    return np.asarray(view.norms[rows][:, :, None] * tally.count[:, None, :] - 2.0 * cross + tally.square)


def penalties(problem: Problem, view: View, rows: np.ndarray, mates: Tally, others: Tally) -> np.ndarray:
    """What bound rows would pay in each cluster for constraints, given where the others are."""
    clusters, metric_of = np.arange(problem.n_clusters), problem.metric_of
    to_mates = _gaps(view, rows, mates)
    under_own = to_mates[:, metric_of, clusters]
    set_apart = (to_mates.sum(axis=2)[:, metric_of] + under_own.sum(axis=1)[:, None]) / 2 - under_own
    joined = view.widths[metric_of] * others.count - _gaps(view, rows, others)[:, metric_of, clusters]
    return np.asarray(problem.weight * (set_apart + joined))


def all_penalties(problem: Problem, view: View, tally: Tally) -> np.ndarray:
    """`penalties` of all bound rows."""
    others = tally.beside(problem.apart)
    prices = np.empty((len(problem.bound), problem.n_clusters))
    for start in range(0, len(prices), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(prices)))
        group = problem.group[rows]
        prices[rows] = penalties(problem, view, rows, tally.of(group), others.of(group))
    return prices


def evaluate(problem: Problem, view: View, labels: np.ndarray, means: np.ndarray) -> State:
    """The state with its objective; each pair is paid for by both of its rows, so half by each."""
    own = distances(problem, view, means)[np.arange(len(labels)), labels]
    fit = float((own - view.log_dets[problem.metric_of][labels]).sum())
    prices = all_penalties(problem, view, count_up(problem, view, labels))
    paid = float(prices[np.arange(len(prices)), labels[problem.bound]].sum()) / 2
    traces = np.array([metric.weights.sum() for metric in view.metrics])
    prior = problem.prior_rows * float((traces - view.log_dets).sum())
    return State(labels, means, view, fit + paid + prior)


# --- sweeps ---------------------------------------------------------------------------------------------


def _start(problem: Problem, hoods: list[np.ndarray], metric: Metric, rng: np.random.Generator) -> State:
    """Means of the neighbourhoods and far rows for centres, one and the same metric for all."""
    root = np.sqrt(metric.weights)
    seeds = np.array([problem.Z[members].mean(axis=0) for members in hoods]).reshape(len(hoods), len(root))
    means = fill_centers(problem.Z * root, seeds * root, problem.n_clusters, rng) / root
    view = look(problem, [metric] * (problem.metric_of[-1] + 1))
    labels = _first_labels(distances(problem, view, means), problem.bindings, hoods)
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
    _reseed_empty(labels, squares, problem.bindings)
    means = _centroids(problem.Z, labels, state.means, np.ones(len(labels)))
    kept = evaluate(problem, state.view, labels, means)
    learned = evaluate(problem, look(problem, learn_metrics(problem, kept)), labels, means)
    return min(kept, learned, key=lambda trial: trial.objective)


def _move_rows(
    problem: Problem, view: View, labels: np.ndarray, squares: np.ndarray, rng: np.random.Generator
) -> None:
    """Each row to where it costs least, in place: free ones all at once, bound ones in random order."""
    costs = squares - view.log_dets[problem.metric_of]
    free = problem.bindings.group < 0
    labels[free] = costs[free].argmin(axis=1)
    tally = count_up(problem, view, labels)
    bound, group, apart = problem.bound, problem.group, problem.apart
    prices = costs[bound] + all_penalties(problem, view, tally)
    eager = np.flatnonzero(prices.min(axis=1) < prices[np.arange(len(bound)), labels[bound]])
    for row in rng.permutation(eager):
        point, g, here = bound[row], group[row], labels[bound[row]]
        others = tally.over(apart.indices[apart.indptr[g] : apart.indptr[g + 1]])
        price = costs[point] + penalties(problem, view, row[None], tally.of(g[None]), others)[0]
        there = price.argmin()
        if price[there] < price[here]:
            labels[point] = there
            tally.move(g, here, there, problem.Z[point], view.norms[row])


# --- metrics --------------------------------------------------------------------------------------------


def learn_metrics(problem: Problem, state: State) -> list[Metric]:
    """The metrics that cost least for given labels, means and farthest pairs."""
    spreads = cluster_spreads(problem, state)
    sizes = np.bincount(state.labels, minlength=problem.n_clusters)
    if not problem.per_cluster:
        spreads, sizes = spreads.sum(axis=0, keepdims=True), sizes.sum(keepdims=True)
    return [best_metric(*part, problem.prior_rows) for part in zip(spreads, sizes, strict=True)]


def best_metric(spread: np.ndarray, n_rows: float, prior_rows: float) -> Metric:
    """A = (n + m) (spread + m I)⁻¹, for the diagonal or the whole of a spread.

    Joined pairs that differ more in some feature than the farthest pair does may leave a spread below none:
    it counts as none, which makes A the best of all metrics that the prior rows alone allow.
    """
    if spread.ndim == 1:
        width, rotation = spread, None
    else:
        width, rotation = np.linalg.eigh(spread)
    weights = (n_rows + prior_rows) / (width.clip(0.0) + prior_rows)
    return Metric(np.ones(len(spread)), weights, rotation)


def cluster_spreads(problem: Problem, state: State) -> np.ndarray:
    """What each cluster charges its metric for: its scatter and its half or whole of the broken pairs."""
    tally = count_up(problem, state.view, state.labels)
    others = tally.beside(problem.apart)
    residuals = problem.Z - state.means[state.labels]
    return np.array(
        [
            _gram(problem, inside, inside) + problem.weight * _broken_spread(problem, state, tally, others, c)
            for c in range(problem.n_clusters)
            for inside in [residuals[state.labels == c]]
        ]
    )


def _broken_spread(problem: Problem, state: State, tally: Tally, others: Tally, cluster: int) -> np.ndarray:
    """Sum of (z − z')(z − z')ᵀ over pairs, by how often each row and each sum of rows is in it."""
    rows, group = problem.Z[problem.bound], problem.group
    is_inside = state.labels[problem.bound] == cluster
    mates = tally.count[group, cluster]
    set_apart = np.where(is_inside, problem.bindings.size[group] - mates, mates) / 2
    joined = np.where(is_inside, others.count[group, cluster], 0.0)
    inside = tally.total[:, cluster]
    outside = tally.total.sum(axis=1) - inside
    n_joined = float(tally.count[:, cluster] @ others.count[:, cluster]) / 2
    far = state.view.farthest[problem.metric_of[cluster]][None]
    spread = (
        _gram(problem, rows * (set_apart - joined)[:, None], rows)
        - _gram(problem, inside, outside)
        + _gram(problem, inside, others.total[:, cluster])
        + n_joined * _gram(problem, far, far)
    )
    return np.asarray((spread + spread.T) / 2)


def _gram(problem: Problem, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The sum of left rightᵀ over rows, or its diagonal where the metric has no more."""
    return np.asarray(left.T @ right if problem.full else (left * right).sum(axis=0))
