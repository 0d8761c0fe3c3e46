"""Sweeps of MPCKMeans (`mpckmeans.py`): rows, means and metrics move in turn, until nothing moves."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from sameornot.cluster._centers import centroids, fill_centers, first_labels, refill_empty
from sameornot.cluster._mpckmeans_metric import learn_metrics
from sameornot.cluster._mpckmeans_objective import (
    ClusterSums,
    Objective,
    Solution,
    Spaces,
    all_penalties,
    cluster_sums,
    distances,
    evaluate,
    own_penalties,
    penalties,
    transform_rows,
)
from sameornot.metric.learn import Metric

# A sweep that moves nothing and gains less than this share of the objective is the last one.
TOLERANCE = 1e-8


def start(
    objective: Objective, neighbourhoods: list[np.ndarray], metric: Metric, rng: np.random.Generator
) -> Solution:
    """Means of the neighbourhoods and far rows for centres, one and the same metric for all."""
    root = np.sqrt(metric.weights)
    seeds = np.array([objective.Z[members].mean(axis=0) for members in neighbourhoods])
    seeds = seeds.reshape(len(neighbourhoods), len(root))
    means = fill_centers(objective.Z * root, seeds * root, objective.n_clusters, rng) / root
    spaces = transform_rows(objective, [metric] * objective.n_metrics)
    labels = first_labels(distances(objective, spaces, means), objective.graph, neighbourhoods)
    return evaluate(objective, spaces, labels, means)


def sweep_until_converged(
    objective: Objective, solution: Solution, max_iter: int, rng: np.random.Generator
) -> tuple[Solution, list[float]]:
    history = [solution.value]
    for _ in range(max_iter):
        following = sweep(objective, solution, rng)
        if following.value > solution.value:  # by rounding, or to fill an empty cluster
            break
        gain = solution.value - following.value
        is_same = (following.labels == solution.labels).all()
        solution = following
        history.append(solution.value)
        if is_same and gain <= TOLERANCE * max(1.0, abs(history[0])):
            break
    return solution, history


def sweep(objective: Objective, solution: Solution, rng: np.random.Generator) -> Solution:
    """Move rows, then means, then metrics; the farthest pair moves too, so new metrics may cost more."""
    labels = solution.labels.copy()
    squares = distances(objective, solution.spaces, solution.means)
    _move_rows(objective, solution.spaces, labels, squares, rng)
    refill_empty(labels, squares, objective.graph)
    means = centroids(objective.Z, labels, solution.means, np.ones(len(labels)))
    kept = evaluate(objective, solution.spaces, labels, means)
    spaces = transform_rows(objective, learn_metrics(objective, kept))
    learned = evaluate(objective, spaces, labels, means)
    return min(kept, learned, key=lambda trial: trial.value)


def _move_rows(
    objective: Objective, spaces: Spaces, labels: np.ndarray, squares: np.ndarray, rng: np.random.Generator
) -> None:
    """Each row to where it costs least, in place: free rows at once, others one by one, then by group."""
    costs = squares - spaces.log_dets[objective.metric_of]
    free = objective.graph.group < 0
    labels[free] = costs[free].argmin(axis=1)
    sums = cluster_sums(objective, spaces, labels)
    moves = Moves(objective, spaces, costs, sums)
    moves.move(labels, objective.single_rows, rng)
    moves.move(labels, _groups_by_cluster(objective, labels), rng)


def _groups_by_cluster(objective: Objective, labels: np.ndarray) -> sparse.csr_array:
    """Which constrained rows are of one group and in one cluster, where those are two or more."""
    cell = objective.group * objective.n_clusters + labels[objective.constrained]
    size = np.bincount(cell)
    order = np.argsort(cell, kind="stable")
    rows = order[size[cell[order]] > 1]
    starts = np.append(0, size[size > 1].cumsum())
    return sparse.csr_array((np.ones(len(rows)), rows, starts), shape=(len(starts) - 1, len(cell)))


@dataclass(frozen=True)
class Moves:
    """Moves of constrained rows between clusters, given the costs of all rows in them; `sums` follow."""

    objective: Objective
    spaces: Spaces
    costs: np.ndarray
    sums: ClusterSums

    def move(self, labels: np.ndarray, member: sparse.csr_array, rng: np.random.Generator) -> None:
        """Each block (a row of `member`) to where it costs least, in random order, in place."""
        objective, sums = self.objective, self.sums
        rows = objective.constrained
        blocks = self.spaces.constrained.merge(member)
        before = labels[rows[member.indices[member.indptr[:-1]]]]
        fit = member @ self.costs[rows] - own_penalties(objective, blocks, before)
        costs = fit + all_penalties(objective, self.spaces, blocks, sums)
        movable = np.flatnonzero(costs.min(axis=1) < costs[np.arange(len(before)), before])
        for at in rng.permutation(movable):
            block, group, here = blocks.select(at[None]), blocks.group[at], before[at]
            others = sums.pooled(objective.graph.neighbours(group))
            cost = fit[at] + penalties(objective, self.spaces, block, sums.of_groups(group[None]), others)[0]
            there = cost.argmin()
            if cost[there] < cost[here]:
                labels[rows[member.indices[member.indptr[at] : member.indptr[at + 1]]]] = there
                sums.move(block, here, there)
