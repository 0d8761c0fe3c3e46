"""The objective of MPCKMeans (its formula is in `mpckmeans.py`), and what rows add to it in each cluster.

    sum_ij d(z_i, z_j)  =  n_j · sum_i z_iᵀ A z_i − 2 (sum_i A z_i)ᵀ (sum_j z_j) + n_i · sum_j z_jᵀ A z_j

i are rows that move as one, or a single one (`Blocks`), and j those of a group in a cluster (`ClusterSums`).
Constraints are those of the closure, summed by (group, cluster) instead of by pair: the number, sum and
squares of rows give the sum of distances between all of them at once, exactly.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from scipy import sparse

from sameornot.cluster._constraint_graph import ConstraintGraph
from sameornot.cluster._local_clustering import log_det
from sameornot.cluster.clustering import squared_distances
from sameornot.metric.learn import Metric

# Rows whose sums are in memory at a time.
CHUNK = 512


@dataclass(frozen=True)
class Objective:
    """What is given: rows of unit variance (Z), the closure, and the form of the metric."""

    Z: np.ndarray
    graph: ConstraintGraph
    n_clusters: int
    full: bool
    per_cluster: bool
    weight: float

    @cached_property
    def constrained(self) -> np.ndarray:
        """The rows that constraints are about."""
        return np.flatnonzero(self.graph.group >= 0)

    @cached_property
    def group(self) -> np.ndarray:
        """The group of each constrained row."""
        return self.graph.group[self.constrained]

    @cached_property
    def single_rows(self) -> sparse.csr_array:
        """The constrained rows as blocks of one row."""
        return sparse.csr_array(sparse.eye_array(len(self.constrained)))

    @property
    def cannot_link(self) -> sparse.csr_array:
        """Which groups differ."""
        return self.graph.cannot_link

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
class Solution:
    """Clusters under metrics, and the value of the objective."""

    labels: np.ndarray
    means: np.ndarray
    spaces: "Spaces"
    value: float


# --- rows under metrics ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Blocks:
    """Constrained rows that move as one: their group, how many, and their sums of z, of A z and of zᵀ A z."""

    group: np.ndarray
    count: np.ndarray
    total: np.ndarray
    stretched: np.ndarray
    norms: np.ndarray

    def select(self, which: np.ndarray | slice) -> "Blocks":
        """Some of them."""
        sums = (self.count[which], self.total[which], self.stretched[which], self.norms[which])
        return Blocks(self.group[which], *sums)

    def merge(self, member: sparse.csr_array) -> "Blocks":
        """Fewer and larger ones: each row of `member` names blocks of one group that become one."""
        first = member.indices[member.indptr[:-1]]
        sums = (_sums(member, part) for part in (self.count, self.total, self.stretched, self.norms))
        return Blocks(self.group[first], *sums)


def _sums(member: sparse.csr_array, part: np.ndarray) -> np.ndarray:
    """Sums of the entries that each row of `member` names, whatever their shape."""
    flat = part.reshape(len(part), prod(part.shape[1:]))
    return np.asarray((member @ flat).reshape(member.shape[0], *part.shape[1:]))


@dataclass(frozen=True)
class Spaces:
    """The rows under given metrics.

    `rows` holds all of them, once for each metric, and `constrained` the constrained ones as blocks of one
    row. `farthest` is the difference of the farthest pair of rows, and `diameters` its squared length.
    """

    metrics: list[Metric]
    log_dets: np.ndarray
    rows: list[np.ndarray]
    constrained: Blocks
    farthest: np.ndarray
    diameters: np.ndarray


def transform_rows(objective: Objective, metrics: list[Metric]) -> Spaces:
    """The rows under metrics."""
    Z = objective.Z
    spaces = [metric.transform(Z) for metric in metrics]
    constrained = [space[objective.constrained] for space in spaces]
    pairs = [farthest_pair(space) if objective.cannot_link.nnz else (0, 0) for space in spaces]
    blocks = Blocks(
        objective.group,
        np.ones(len(objective.constrained)),
        Z[objective.constrained],
        np.stack(
            [_times_root(metric, part) for metric, part in zip(metrics, constrained, strict=True)], axis=1
        ),
        np.stack([(part**2).sum(axis=1) for part in constrained], axis=1),
    )
    return Spaces(
        metrics,
        np.array([log_det(metric) for metric in metrics]),
        spaces,
        blocks,
        np.array([Z[i] - Z[j] for i, j in pairs]),
        np.array([((space[i] - space[j]) ** 2).sum() for space, (i, j) in zip(spaces, pairs, strict=True)]),
    )


def _times_root(metric: Metric, space: np.ndarray) -> np.ndarray:
    """A z for rows that are already in the space of A."""
    weighted = space * np.sqrt(metric.weights)
    return weighted if metric.rotation is None else weighted @ metric.rotation.T


def farthest_pair(space: np.ndarray) -> tuple[int, int]:
    """Two rows whose distance is the largest.

    Rows are visited from the outside in. The search ends when no two remaining rows can be farther apart than
    the best pair: they are at most twice the distance of the next one from the mean.
    """
    radius = np.sqrt(((space - space.mean(axis=0)) ** 2).sum(axis=1))
    order = np.argsort(-radius, kind="stable")
    best, pair = -1.0, (0, 0)
    for start in range(0, len(order), CHUNK):
        if best >= (2.0 * radius[order[start]]) ** 2:
            break
        rest, chunk = order[start:], order[start : start + CHUNK]
        squares = squared_distances(space[rest], space[chunk])
        i, j = np.unravel_index(squares.argmax(), squares.shape)
        if squares[i, j] > best:
            best, pair = float(squares[i, j]), (int(rest[i]), int(chunk[j]))
    return pair


# --- sums by group and cluster --------------------------------------------------------------------------


@dataclass(frozen=True)
class ClusterSums:
    """Of the rows of each group in each cluster: how many, their sum, their zᵀ A z under each metric."""

    count: np.ndarray
    total: np.ndarray
    square: np.ndarray

    def of_groups(self, groups: np.ndarray) -> "ClusterSums":
        """One entry for each of some groups."""
        return self._map(lambda part: part[groups])

    def pooled(self, groups: np.ndarray) -> "ClusterSums":
        """A single entry for some groups together."""
        return self._map(lambda part: part[groups].sum(axis=0, keepdims=True))

    def of_neighbours(self, cannot_link: sparse.csr_array) -> "ClusterSums":
        """For each group, all those that differ from it together."""
        return self._map(lambda part: _sums(cannot_link, part))

    def _map(self, change: Callable[[np.ndarray], np.ndarray]) -> "ClusterSums":
        return ClusterSums(change(self.count), change(self.total), change(self.square))

    def move(self, block: Blocks, here: int, there: int) -> None:
        """Take a block from one cluster to another, in place."""
        (group,) = block.group
        for cluster, sign in ((here, -1.0), (there, 1.0)):
            self.count[group, cluster] += sign * block.count[0]
            self.total[group, cluster] += sign * block.total[0]
            self.square[group, :, cluster] += sign * block.norms[0]


def cluster_sums(objective: Objective, spaces: Spaces, labels: np.ndarray) -> ClusterSums:
    """Sum the constrained rows by group and cluster."""
    n_rows, cells = len(objective.constrained), (len(objective.graph.size), objective.n_clusters)
    cell = objective.group * objective.n_clusters + labels[objective.constrained]
    shape = (cells[0] * cells[1], n_rows)
    member = sparse.csr_array((np.ones(n_rows), (cell, np.arange(n_rows))), shape=shape)
    square = (member @ spaces.constrained.norms).reshape(*cells, len(spaces.metrics))
    return ClusterSums(
        np.bincount(cell, minlength=shape[0]).reshape(cells).astype(float),
        (member @ objective.Z[objective.constrained]).reshape(*cells, objective.Z.shape[1]),
        np.ascontiguousarray(square.transpose(0, 2, 1)),
    )


# --- costs ----------------------------------------------------------------------------------------------


def distances(objective: Objective, spaces: Spaces, means: np.ndarray) -> np.ndarray:
    """Squared distance of each row to each mean under the metric of its cluster."""
    squares = np.empty((len(objective.Z), objective.n_clusters))
    for h, metric in enumerate(spaces.metrics):
        mine = objective.metric_of == h
        squares[:, mine] = squared_distances(spaces.rows[h], metric.transform(means[mine]))
    return squares


def _distance_sums(blocks: Blocks, sums: ClusterSums) -> np.ndarray:
    """Sum of squared distances to the rows in each cluster: by block, metric, cluster."""
    cross = blocks.stretched @ sums.total.transpose(0, 2, 1)
    square = blocks.count[:, None, None] * sums.square
    return np.asarray(blocks.norms[:, :, None] * sums.count[:, None, :] - 2.0 * cross + square)


def penalties(
    objective: Objective, spaces: Spaces, blocks: Blocks, same: ClusterSums, different: ClusterSums
) -> np.ndarray:
    """What blocks would pay in each cluster for constraints with rows that stay where they are.

    `same` are the sums of the blocks' own groups, `different` those of all groups that differ from them.
    """
    clusters, metric_of = np.arange(objective.n_clusters), objective.metric_of
    to_same = _distance_sums(blocks, same)
    under_own = to_same[:, metric_of, clusters]
    separated = (to_same.sum(axis=2)[:, metric_of] + under_own.sum(axis=1)[:, None]) / 2 - under_own
    n_joined = blocks.count[:, None] * different.count
    to_different = _distance_sums(blocks, different)[:, metric_of, clusters]
    joined = spaces.diameters[metric_of] * n_joined - to_different
    return np.asarray(objective.weight * (separated + joined))


def all_penalties(objective: Objective, spaces: Spaces, blocks: Blocks, sums: ClusterSums) -> np.ndarray:
    """`penalties` of any number of blocks."""
    others = sums.of_neighbours(objective.cannot_link)
    costs = np.empty((len(blocks.group), objective.n_clusters))
    for start in range(0, len(costs), CHUNK):
        chunk = slice(start, start + CHUNK)
        part = blocks.select(chunk)
        same, different = sums.of_groups(part.group), others.of_groups(part.group)
        costs[chunk] = penalties(objective, spaces, part, same, different)
    return costs


def own_penalties(objective: Objective, blocks: Blocks, here: np.ndarray) -> np.ndarray:
    """What `penalties` charges blocks that the sums have `here` for leaving themselves: they move as one."""
    inner = 2.0 * (
        blocks.count[:, None] * blocks.norms - (blocks.stretched @ blocks.total[:, :, None])[:, :, 0]
    )
    under = inner[:, objective.metric_of]
    each = np.arange(len(here))
    charged = (under + under[each, here][:, None]) / 2
    charged[each, here] = 0.0
    return np.asarray(objective.weight * charged)


def evaluate(objective: Objective, spaces: Spaces, labels: np.ndarray, means: np.ndarray) -> Solution:
    """The solution with its value; each pair is paid for by both of its rows, so half by each."""
    own = distances(objective, spaces, means)[np.arange(len(labels)), labels]
    fit = float((own - spaces.log_dets[objective.metric_of][labels]).sum())
    here = labels[objective.constrained]
    sums = cluster_sums(objective, spaces, labels)
    costs = all_penalties(objective, spaces, spaces.constrained, sums)
    paid = float(costs[np.arange(len(costs)), here].sum()) / 2
    traces = np.array([metric.weights.sum() for metric in spaces.metrics])
    prior = objective.prior_rows * float((traces - spaces.log_dets).sum())
    return Solution(labels, means, spaces, fit + paid + prior)
