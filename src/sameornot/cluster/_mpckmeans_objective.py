"""The objective of MPCKMeans (its formula is in `_mpckmeans.py`), and what rows add to it in each cluster.

    sum_ij d(z_i, z_j)  =  n_j · sum_i z_iᵀ A z_i − 2 (sum_i A z_i)ᵀ (sum_j z_j) + n_i · sum_j z_jᵀ A z_j

i are rows that move as one, or a single one (`Lots`), and j those of a group in a cluster (a `Tally`).
Constraints are those of the closure, summed by (group, cluster) instead of by pair: the number, sum and
squares of rows give the sum of distances between all of them at once, exactly.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from scipy import sparse

from sameornot.cluster._local_clustering import log_det
from sameornot.cluster._pckmeans import Bindings
from sameornot.cluster.clustering import squared_distances
from sameornot.metric.learn import Metric

# Rows whose sums are in memory at a time.
BLOCK = 512


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

    @cached_property
    def each(self) -> sparse.csr_array:
        """The bound rows as lots of one row."""
        return sparse.csr_array(sparse.eye_array(len(self.bound)))

    @property
    def apart(self) -> sparse.csr_array:
        """Which groups differ."""
        return self.bindings.apart

    @cached_property
    def metric_of(self) -> np.ndarray:
        """Which of the metrics is that of each cluster."""
        return np.arange(self.n_clusters) * self.per_cluster

    @property
    def n_metrics(self) -> int:
        """One, or one a cluster."""
        return self.n_clusters if self.per_cluster else 1

    @property
    def prior_rows(self) -> float:
        """How many rows of unit variance each metric is learned from beside its own."""
        return float(self.Z.shape[1] if self.full else 1)


@dataclass(frozen=True)
class State:
    """Clusters under metrics, and what they cost."""

    labels: np.ndarray
    means: np.ndarray
    view: "View"
    objective: float


# --- rows under metrics ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lots:
    """Bound rows that move as one: their group, how many, and their sums of z, of A z and of zᵀ A z."""

    group: np.ndarray
    count: np.ndarray
    total: np.ndarray
    stretched: np.ndarray
    norms: np.ndarray

    def of(self, which: np.ndarray | slice) -> "Lots":
        """Some of them."""
        sums = (self.count[which], self.total[which], self.stretched[which], self.norms[which])
        return Lots(self.group[which], *sums)

    def join(self, member: sparse.csr_array) -> "Lots":
        """Fewer and larger ones: each row of `member` tells which, all of one group, make one."""
        first = member.indices[member.indptr[:-1]]
        sums = (_sums(member, part) for part in (self.count, self.total, self.stretched, self.norms))
        return Lots(self.group[first], *sums)


def _sums(member: sparse.csr_array, part: np.ndarray) -> np.ndarray:
    """Sums of the entries that each row of `member` names, whatever their shape."""
    flat = part.reshape(len(part), prod(part.shape[1:]))
    return np.asarray((member @ flat).reshape(member.shape[0], *part.shape[1:]))


@dataclass(frozen=True)
class View:
    """The rows under given metrics.

    `spaces` hold all rows, one space a metric, and `rows` the bound ones; `farthest` is the difference of the
    farthest pair of rows and `widths` its squared length.
    """

    metrics: list[Metric]
    log_dets: np.ndarray
    spaces: list[np.ndarray]
    rows: Lots
    farthest: np.ndarray
    widths: np.ndarray


def look(problem: Problem, metrics: list[Metric]) -> View:
    """The rows under metrics."""
    spaces = [metric.transform(problem.Z) for metric in metrics]
    bound = [space[problem.bound] for space in spaces]
    pairs = [farthest_pair(space) if problem.apart.nnz else (0, 0) for space in spaces]
    rows = Lots(
        problem.group,
        np.ones(len(problem.bound)),
        problem.Z[problem.bound],
        np.stack([_back(metric, part) for metric, part in zip(metrics, bound, strict=True)], axis=1),
        np.stack([(part**2).sum(axis=1) for part in bound], axis=1),
    )
    return View(
        metrics,
        np.array([log_det(metric) for metric in metrics]),
        spaces,
        rows,
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


# --- sums by group and cluster --------------------------------------------------------------------------


@dataclass(frozen=True)
class Tally:
    """Of the rows of each group in each cluster: how many, their sum, their zᵀ A z under each metric."""

    count: np.ndarray
    total: np.ndarray
    square: np.ndarray

    def of(self, groups: np.ndarray) -> "Tally":
        """One entry for each of some groups."""
        return self._map(lambda part: part[groups])

    def over(self, groups: np.ndarray) -> "Tally":
        """A single entry for some groups together."""
        return self._map(lambda part: part[groups].sum(axis=0, keepdims=True))

    def beside(self, apart: sparse.csr_array) -> "Tally":
        """For each group, all those that differ from it."""
        return self._map(lambda part: _sums(apart, part))

    def _map(self, change: Callable[[np.ndarray], np.ndarray]) -> "Tally":
        return Tally(change(self.count), change(self.total), change(self.square))

    def move(self, lots: Lots, lot: int, here: int, there: int) -> None:
        """Take one of the lots from one cluster to another."""
        group = lots.group[lot]
        for cluster, sign in ((here, -1.0), (there, 1.0)):
            self.count[group, cluster] += sign * lots.count[lot]
            self.total[group, cluster] += sign * lots.total[lot]
            self.square[group, :, cluster] += sign * lots.norms[lot]


def count_up(problem: Problem, view: View, labels: np.ndarray) -> Tally:
    """Sum the bound rows by group and cluster."""
    n_bound, cells = len(problem.bound), (len(problem.bindings.size), problem.n_clusters)
    cell = problem.group * problem.n_clusters + labels[problem.bound]
    shape = (cells[0] * cells[1], n_bound)
    member = sparse.csr_array((np.ones(n_bound), (cell, np.arange(n_bound))), shape=shape)
    square = (member @ view.rows.norms).reshape(*cells, len(view.metrics))
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


def _gaps(lots: Lots, tally: Tally) -> np.ndarray:
    """Sum of squared distances to the tallied rows: by lot, metric, cluster."""
    cross = lots.stretched @ tally.total.transpose(0, 2, 1)
    square = lots.count[:, None, None] * tally.square
    return np.asarray(lots.norms[:, :, None] * tally.count[:, None, :] - 2.0 * cross + square)


def penalties(problem: Problem, view: View, lots: Lots, mates: Tally, others: Tally) -> np.ndarray:
    """What lots would pay in each cluster for constraints with rows that stay where they are."""
    clusters, metric_of = np.arange(problem.n_clusters), problem.metric_of
    to_mates = _gaps(lots, mates)
    under_own = to_mates[:, metric_of, clusters]
    set_apart = (to_mates.sum(axis=2)[:, metric_of] + under_own.sum(axis=1)[:, None]) / 2 - under_own
    n_joined = lots.count[:, None] * others.count
    joined = view.widths[metric_of] * n_joined - _gaps(lots, others)[:, metric_of, clusters]
    return np.asarray(problem.weight * (set_apart + joined))


def all_penalties(problem: Problem, view: View, lots: Lots, tally: Tally) -> np.ndarray:
    """`penalties` of any number of lots."""
    others = tally.beside(problem.apart)
    prices = np.empty((len(lots.group), problem.n_clusters))
    for start in range(0, len(prices), BLOCK):
        block = slice(start, start + BLOCK)
        part = lots.of(block)
        prices[block] = penalties(problem, view, part, tally.of(part.group), others.of(part.group))
    return prices


def own_penalties(problem: Problem, lots: Lots, here: np.ndarray) -> np.ndarray:
    """What `penalties` charges lots that the tally has `here` for leaving themselves: they go as one."""
    inner = 2.0 * (lots.count[:, None] * lots.norms - (lots.stretched @ lots.total[:, :, None])[:, :, 0])
    under = inner[:, problem.metric_of]
    each = np.arange(len(here))
    charged = (under + under[each, here][:, None]) / 2
    charged[each, here] = 0.0
    return np.asarray(problem.weight * charged)


def evaluate(problem: Problem, view: View, labels: np.ndarray, means: np.ndarray) -> State:
    """The state with its objective; each pair is paid for by both of its rows, so half by each."""
    own = distances(problem, view, means)[np.arange(len(labels)), labels]
    fit = float((own - view.log_dets[problem.metric_of][labels]).sum())
    here = labels[problem.bound]
    prices = all_penalties(problem, view, view.rows, count_up(problem, view, labels))
    paid = float(prices[np.arange(len(prices)), here].sum()) / 2
    traces = np.array([metric.weights.sum() for metric in view.metrics])
    prior = problem.prior_rows * float((traces - view.log_dets).sum())
    return State(labels, means, view, fit + paid + prior)
