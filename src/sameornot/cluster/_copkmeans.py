"""K-means with hard constraints (Wagstaff et al. 2001): no "same" is ever split, no "different" joined.

    minimise  sum_i ||x_i − centre(l_i)||²     with  l_i = l_j for "same",  l_i ≠ l_j for "different"

A group of the closure moves as a whole, so it is one unit: its mean, weighted by its size. Giving units to
centres is then a colouring of the graph of "different" with costs. Most units are free in it and are placed
all at once; the others are placed one after the other, the most constrained first, with backtracking where
that leads nowhere. A problem that has a solution therefore never fails; one that has none raises
`Infeasible`, with a set of rows that proves it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from sameornot._validation import check_count
from sameornot.cluster._pckmeans import (
    Bindings,
    PCKMeansResult,
    _centroids,
    _reseed_empty,
    bind,
    fill_centers,
)
from sameornot.cluster.clustering import Clustering, squared_distances
from sameornot.cluster.method import Method
from sameornot.constraints import Constraints
from sameornot.metric.learn import identity_metric

# Dead ends after which a search that need not succeed gives up: there is a way already, or it is only about
# how short an explanation is.
PATIENCE = 200

# Units of a part of the graph that is placed anew in every sweep: a search takes time with their square.
PART = 400


class Infeasible(ValueError):
    """Answers that no assignment to so few clusters can keep; `rows` holds one row of each group involved."""

    def __init__(self, rows: list[int], n_clusters: int) -> None:
        self.rows, self.n_clusters = rows, n_clusters
        named = ", ".join(map(str, rows))
        reason = (
            f"rows {named} all differ from each other, which makes {len(rows)} groups"
            if len(rows) == n_clusters + 1  # without fewer that prove it, so each differs from each
            else f"no assignment keeps apart all that differ among rows {named} and what is the same as they"
        )
        super().__init__(f"n_clusters={n_clusters} but {reason}: take back a wrong pair or raise n_clusters")


@dataclass(frozen=True)
class COPKMeansSettings(Method):
    """How to cluster with constraints that are never broken (`clusterer="copkmeans"` of a session).

    Parameters
    ----------
    n_init, max_iter : int
        Starts where centres are left to chance, and most sweeps of a start.
    """

    n_init: int = 5
    max_iter: int = 100

    def check(self) -> Self:
        """Raise a ValueError that names the first setting that cannot be used."""
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
        """COPKMeans with every feature of the same weight."""
        metric = identity_metric(scale)
        result = copkmeans(
            metric.transform(X), constraints, n_clusters, rng, n_init=self.n_init, max_iter=self.max_iter
        )
        return Clustering(result.labels, result.centers, metric, result.n_iter)


def copkmeans(
    X: np.ndarray,
    constraints: Constraints,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    n_init: int = 5,
    max_iter: int = 100,
) -> PCKMeansResult:
    """Cluster the rows, the m-th neighbourhood in cluster m; every sweep keeps all constraints."""
    bindings = bind(constraints)
    hoods = constraints.neighbourhoods(at_most=n_clusters)
    anchors = np.array([bindings.group[members[0]] for members in hoods], dtype=np.intp)
    labels = color_groups(constraints, bindings, anchors, n_clusters)
    units = unite(X, bindings)
    board = lay_out(bindings.apart, anchors, n_clusters, len(units.means))
    seeds = np.array([X[members].mean(axis=0) for members in hoods]).reshape(-1, X.shape[1])
    n_starts = n_init if len(hoods) < n_clusters else 1
    starts = (fill_centers(X, seeds, n_clusters, rng) for _ in range(n_starts))
    results = [_sweep_until_still(units, board, labels, start, max_iter) for start in starts]
    return min(results, key=lambda result: result.history[-1])


# --- units ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Units:
    """What moves as a whole: first the groups, then the free rows, each as a weighted mean."""

    of_row: np.ndarray
    means: np.ndarray
    within: float
    bindings: Bindings

    @property
    def size(self) -> np.ndarray:
        """Number of rows of each unit."""
        return self.bindings.row_weight


def unite(X: np.ndarray, bindings: Bindings) -> Units:
    """Replace each group by its mean; what its rows differ from it by is the same in any cluster."""
    n_groups = len(bindings.size)
    of_row = bindings.group.copy()
    free = np.flatnonzero(of_row < 0)
    of_row[free] = n_groups + np.arange(len(free))
    size = np.r_[bindings.size, np.ones(len(free))]
    member = sparse.csr_array((np.ones(len(X)), (of_row, np.arange(len(X)))), shape=(len(size), len(X)))
    means = member @ X / size[:, None]
    means[n_groups:] = X[free]
    group = np.r_[np.arange(n_groups), np.full(len(free), -1)]
    of_units = Bindings(group, np.ones(n_groups), bindings.apart, size)
    return Units(of_row, means, float(((X - means[of_row]) ** 2).sum()), of_units)


def _sweep_until_still(
    units: Units, board: "Board", colors: np.ndarray, centers: np.ndarray, max_iter: int
) -> PCKMeansResult:
    """Sweep from given centres; `colors` are clusters of the groups that keep all constraints."""
    size = units.size[:, None]
    costs = size * squared_distances(units.means, centers)
    labels = np.r_[colors, np.zeros(len(costs) - len(colors), dtype=np.intp)]
    following = place(costs, board, labels, at_most=np.inf)
    history = [units.within + _total(costs, following)]
    for _ in range(max_iter):
        labels = following
        _reseed_empty(labels, costs, units.bindings)
        centers = _centroids(units.means, labels, centers, units.size)
        costs = size * squared_distances(units.means, centers)
        history.append(units.within + _total(costs, labels))
        following = place(costs, board, labels)
        if (following == labels).all():
            break
    return PCKMeansResult(labels[units.of_row], centers, history)


# --- placing units --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Board:
    """Where units may go: clusters ruled out by neighbourhoods, and pairs of other units that differ.

    Neighbourhoods differ from each other, so they are in clusters of their own whatever the others do; the
    graph of what is left falls apart into `parts`, each with the neighbours of its units by place in it.
    """

    ruled_out: np.ndarray
    pairs: np.ndarray
    part: np.ndarray
    parts: list["Part"]
    n_named: int


@dataclass(frozen=True)
class Part:
    """Units that differ from each other, directly or in a chain."""

    units: np.ndarray
    apart: sparse.csr_array

    @cached_property
    def neighbours(self) -> list[np.ndarray]:
        """For each unit, the places of those that differ from it."""
        return np.split(self.apart.indices, self.apart.indptr[1:-1])


def lay_out(apart: sparse.csr_array, anchors: np.ndarray, n_clusters: int, n_units: int) -> Board:
    """Fix neighbourhood m (group `anchors[m]`) in cluster m, and split up what is left of the graph."""
    ruled_out = np.zeros((n_units, n_clusters), dtype=bool)
    ruled_out[: apart.shape[0], : len(anchors)] = apart[:, anchors].toarray() > 0
    ruled_out[anchors] = True
    ruled_out[anchors, np.arange(len(anchors))] = False
    left, right = apart.tocoo().coords
    open_pair = (left < right) & ~np.isin(left, anchors) & ~np.isin(right, anchors)
    pairs = np.column_stack([left, right])[open_pair]
    rest = _graph(pairs, apart.shape[0])
    part, parts = split(rest, np.unique(pairs))
    return Board(ruled_out, pairs, part, parts, len(anchors))


def _graph(pairs: np.ndarray, n_units: int) -> sparse.csr_array:
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    return sparse.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n_units, n_units))


def split(apart: sparse.csr_array, units: np.ndarray) -> tuple[np.ndarray, list[Part]]:
    """The connected parts of the graph among some units, and the number of the part of each unit (or −1)."""
    part = np.full(apart.shape[0], -1)
    if len(units):
        part[units] = connected_components(apart[units][:, units], directed=False)[1]
    members = np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part + 1))[:-1])[1:]
    return part, [Part(units, apart[units][:, units]) for units in members]


def place(costs: np.ndarray, board: Board, before: np.ndarray, *, at_most: float = PART) -> np.ndarray:
    """Each unit in its cheapest cluster; where that breaks a constraint, its part as cheaply as was found.

    The result never costs more than `before`, which keeps all constraints: so no sweep raises the objective.
    Parts of up to `at_most` units are placed anew, larger ones by single moves alone.
    """
    open_costs = np.where(board.ruled_out, np.inf, costs)
    labels = open_costs.argmin(axis=1)
    clashing = labels[board.pairs[:, 0]] == labels[board.pairs[:, 1]]
    for c in np.unique(board.part[board.pairs[clashing, 0]]):
        part = board.parts[c]
        trials = [before[part.units]]
        if len(part.units) <= at_most:
            trials += place_anew(open_costs[part.units], part, board.n_named)
        settled = [settle(open_costs[part.units], part, trial) for trial in trials]
        labels[part.units] = min(settled, key=lambda trial: _total(open_costs[part.units], trial))
    return labels


def place_anew(costs: np.ndarray, part: Part, n_named: int) -> list[np.ndarray]:
    """Labels of a part that a short search finds, if it does."""
    try:
        found = search(costs, part.neighbours, n_named, PATIENCE)
    except OutOfPatience:
        return []
    return [] if found is None else [found]


def _total(costs: np.ndarray, labels: np.ndarray) -> float:
    return float(costs[np.arange(len(labels)), labels].sum())


def settle(costs: np.ndarray, part: Part, labels: np.ndarray) -> np.ndarray:
    """Move single units to where they cost less and differ from no one, until none can."""
    labels = labels.copy()
    everyone = np.arange(len(labels))
    while True:
        holds = np.zeros(costs.shape)
        holds[everyone, labels] = 1.0
        prices = np.where(part.apart @ holds > 0, np.inf, costs)
        eager = np.flatnonzero(prices.min(axis=1) < prices[everyone, labels])
        if len(eager) == 0:
            return labels
        for unit in eager:  # what moved before may be in the way now
            price = costs[unit].copy()
            price[labels[part.neighbours[unit]]] = np.inf
            labels[unit] = price.argmin()


class OutOfPatience(Exception):
    """A search met more dead ends than it was allowed to."""


def search(
    costs: np.ndarray, neighbours: list[np.ndarray], n_named: int, patience: float = math.inf
) -> np.ndarray | None:
    """A cluster for each unit that no neighbour has, or None if there is no such assignment.

    Depth first: next comes the unit with the fewest clusters left for the trouble it makes (its neighbours,
    and how often it was left without any), then the one that a second choice costs most; cheap clusters are
    tried first. A cluster of infinite cost is ruled out. Clusters from `n_named` on are anyone's, so of
    those that hold nothing yet one is as good as another.
    """
    ruled_out = np.isinf(costs).astype(int)  # how many reasons there are against each cluster
    labels = np.full(len(costs), -1)
    trouble = np.array([1.0 + len(others) for others in neighbours])
    trail: list[tuple[int, Iterator[int]]] = [_branch(costs, ruled_out, labels, trouble, n_named)]
    while trail:
        unit, options = trail[-1]
        others = neighbours[unit]
        if labels[unit] >= 0:  # back from a dead end
            ruled_out[others, labels[unit]] -= 1
            labels[unit] = -1
        cluster = next(options, None)
        if cluster is None:
            trail.pop()
            continue
        ruled_out[others, cluster] += 1
        labels[unit] = cluster
        stuck = others[(labels[others] < 0) & ruled_out[others].all(axis=1)]
        if len(stuck):
            trouble[stuck] += 1.0
            patience -= 1
            if patience < 0:
                raise OutOfPatience
        elif len(trail) == len(costs):
            return labels
        else:
            trail.append(_branch(costs, ruled_out, labels, trouble, n_named))
    return None


def _branch(
    costs: np.ndarray, ruled_out: np.ndarray, labels: np.ndarray, trouble: np.ndarray, n_named: int
) -> tuple[int, Iterator[int]]:
    """The unit to place next, and the clusters to try for it in turn."""
    waiting = np.flatnonzero(labels < 0)
    ease = (ruled_out[waiting] == 0).sum(axis=1) / trouble[waiting]
    hardest = waiting[ease == ease.min()]
    prices = np.where(ruled_out[hardest] == 0, costs[hardest], np.inf)
    pick = int(np.argmax(_regret(prices))) if len(hardest) > 1 else 0
    ranked = np.argsort(prices[pick], kind="stable")[: np.isfinite(prices[pick]).sum()].tolist()
    held = set(labels.tolist())
    fresh = [cluster for cluster in ranked if cluster >= n_named and cluster not in held]
    return int(hardest[pick]), iter([cluster for cluster in ranked if cluster not in fresh[1:]])


def _regret(prices: np.ndarray) -> np.ndarray:
    """What the second choice costs more than the first; each row has one."""
    if prices.shape[1] == 1:
        return np.zeros(len(prices))
    best = np.partition(prices, 1, axis=1)
    return np.asarray(best[:, 1] - best[:, 0])


# --- whether there is a way at all ----------------------------------------------------------------------


def color_groups(
    constraints: Constraints, bindings: Bindings, anchors: np.ndarray, n_clusters: int
) -> np.ndarray:
    """Clusters of the groups that keep all constraints, group `anchors[m]` in cluster m; or `Infeasible`."""
    apart = bindings.apart
    colors = color(apart, np.arange(apart.shape[0]), n_clusters)
    if colors is None:
        hoods = constraints.neighbourhoods(at_most=n_clusters + 1)
        clique = np.array([bindings.group[members[0]] for members in hoods])
        suspects = clique if len(clique) > n_clusters else np.arange(apart.shape[0])
        groups = constraints.groups()
        rows = [int(groups[g][0]) for g in irreducible(apart, suspects, n_clusters)]
        raise Infeasible(sorted(rows), n_clusters)
    taken = colors[anchors]
    order = np.r_[taken, np.setdiff1d(np.arange(n_clusters), taken)]
    return np.asarray(np.argsort(order)[colors])


def color(
    apart: sparse.csr_array, units: np.ndarray, n_clusters: int, patience: float = math.inf
) -> np.ndarray | None:
    """A cluster for each of some units (−1: others) that keeps all constraints among them, or None."""
    labels = np.full(apart.shape[0], -1)
    peeled, core = peel(apart, units, n_clusters)
    for part in split(apart, core)[1]:
        found = search(np.zeros((len(part.units), n_clusters)), part.neighbours, 0, patience)
        if found is None:
            return None
        labels[part.units] = found
    for unit in reversed(peeled):
        taken = labels[_neighbours(apart, unit)]
        labels[unit] = np.setdiff1d(np.arange(n_clusters), taken)[0]
    return labels


def peel(apart: sparse.csr_array, units: np.ndarray, n_clusters: int) -> tuple[list[int], np.ndarray]:
    """Take off units with fewer than K neighbours left: once the core that is left is placed, so are they."""
    inside = np.zeros(apart.shape[0], dtype=bool)
    inside[units] = True
    degree = np.asarray(apart @ inside.astype(float)).astype(int)
    peeled = np.flatnonzero(inside & (degree < n_clusters)).tolist()
    inside[peeled] = False
    for unit in peeled:  # grows while it is gone through
        others = _neighbours(apart, unit)
        degree[others] -= 1
        loose = others[inside[others] & (degree[others] < n_clusters)]
        inside[loose] = False
        peeled.extend(loose.tolist())
    return peeled, np.flatnonzero(inside)


def _neighbours(apart: sparse.csr_array, unit: int) -> np.ndarray:
    return np.asarray(apart.indices[apart.indptr[unit] : apart.indptr[unit + 1]])


def irreducible(apart: sparse.csr_array, units: np.ndarray, n_clusters: int) -> np.ndarray:
    """Of units for which K clusters are too few, a part for which they are too few still.

    None can be spared from it, unless finding that out met more dead ends than `PATIENCE`.
    """
    needed = peel(apart, units, n_clusters)[1]
    for unit in needed:
        rest = needed[needed != unit]
        if len(rest) < len(needed) and _is_too_much(apart, rest, n_clusters):
            needed = peel(apart, rest, n_clusters)[1]
    return np.asarray(needed)


def _is_too_much(apart: sparse.csr_array, units: np.ndarray, n_clusters: int) -> bool:
    """Whether K clusters are known to be too few for these units."""
    try:
        return color(apart, units, n_clusters, PATIENCE) is None
    except OutOfPatience:
        return False
