"""K-means with hard constraints (Wagstaff et al. 2001): no "same" is ever split, no "different" joined.

    minimise  sum_i ||x_i − centre(l_i)||²     with  l_i = l_j for "same",  l_i ≠ l_j for "different"

A group of the closure moves as a whole, so it is one unit: its mean, weighted by its size. Giving units to
centres is then a colouring of the graph of "different" with costs. Most units are free in it and are placed
all at once; the others part by part, by the search of `_coloring.py`. A problem that has a solution therefore
never fails; one that has none raises `Infeasible`, with a set of rows that proves it.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import sparse

from sameornot._validation import check_count
from sameornot.cluster._coloring import PATIENCE, Infeasible, OutOfPatience, Part, color_groups, search, split
from sameornot.cluster._pckmeans import Bindings, PCKMeansResult, bind, centroids, first_centers, reseed_empty
from sameornot.cluster.clustering import Clustering, squared_distances
from sameornot.cluster.method import Method
from sameornot.constraints import Constraints
from sameornot.metric.learn import identity_metric

# Units of a part of the graph that is placed anew in every sweep: a search takes time with their square.
PART = 400


@dataclass(frozen=True)
class COPKMeansSettings(Method):
    """How to cluster breaking no constraint that K clusters can keep (`clusterer="copkmeans"` of a session).

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
        """COPKMeans with every feature of the same weight; answers that K clusters cannot keep are relaxed.

        They do not end a session: it may not know K, and counts neighbourhoods, which can be too few.
        """
        metric = identity_metric(scale)
        space = metric.transform(X)

        def fit(known: Constraints) -> PCKMeansResult:
            return copkmeans(space, known, n_clusters, rng, n_init=self.n_init, max_iter=self.max_iter)

        try:
            result = fit(constraints)
        except Infeasible:
            result = fit(relax(constraints, n_clusters))
        return Clustering(result.labels, result.centers, metric, result.n_iter)


def relax(constraints: Constraints, n_clusters: int) -> Constraints:
    """The closure without each "different" between groups that are not among the neighbourhoods.

    Unless a group differs from all K neighbourhoods, the rest can be kept: each group goes to one that it may
    be part of.
    """
    placed = np.zeros(constraints.n_points, dtype=bool)
    for members in constraints.neighbourhoods(at_most=n_clusters):
        placed[members] = True
    cannot_link = constraints.cannot_link
    return Constraints.from_pairs(
        constraints.n_points,
        must_link=constraints.must_link,
        cannot_link=cannot_link[placed[cannot_link].any(axis=1)],
    )


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
    hoods = constraints.neighbourhoods(at_most=n_clusters + 1)  # one too many is refused
    anchors = bindings.group[[members[0] for members in hoods]]
    colors = color_groups(bindings, anchors, n_clusters)
    units = unite(X, bindings)
    board = lay_out(bindings.apart, anchors, n_clusters, len(units.means))
    starts = first_centers(X, hoods, n_clusters, n_init, rng)
    results = [_sweep_until_still(units, board, colors, start, max_iter) for start in starts]
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
    n_free = int((of_row < 0).sum())
    of_row[of_row < 0] = n_groups + np.arange(n_free)
    size = np.r_[bindings.size, np.ones(n_free)]
    member = sparse.csr_array((np.ones(len(X)), (of_row, np.arange(len(X)))), shape=(len(size), len(X)))
    means = member @ X / size[:, None]
    group = np.r_[np.arange(n_groups), np.full(n_free, -1)]
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
        reseed_empty(labels, costs, units.bindings)
        centers = centroids(units.means, labels, centers, units.size)
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

    Neighbourhoods differ from each other, so they are in clusters of their own (the `n_named` first) whatever
    the others do; the graph of what is left falls apart into `parts`, and `part` is that of each group.
    """

    ruled_out: np.ndarray
    pairs: np.ndarray
    part: np.ndarray
    parts: list[Part]
    n_named: int


def lay_out(apart: sparse.csr_array, anchors: np.ndarray, n_clusters: int, n_units: int) -> Board:
    """Fix neighbourhood m (group `anchors[m]`) in cluster m, and split up what is left of the graph."""
    ruled_out = np.zeros((n_units, n_clusters), dtype=bool)
    ruled_out[: apart.shape[0], : len(anchors)] = apart[:, anchors].toarray() > 0
    ruled_out[anchors] = True
    ruled_out[anchors, np.arange(len(anchors))] = False
    left, right = apart.tocoo().coords
    open_pair = (left < right) & ~np.isin(left, anchors) & ~np.isin(right, anchors)
    pairs = np.column_stack([left, right])[open_pair]
    part, parts = split(apart, np.unique(pairs))
    return Board(ruled_out, pairs, part, parts, len(anchors))


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
        prices = open_costs[part.units]
        trials = [before[part.units]]
        if len(part.units) <= at_most:
            trials += place_anew(prices, part, board.n_named)
        settled = [settle(prices, part, trial) for trial in trials]
        labels[part.units] = min(settled, key=lambda trial: _total(prices, trial))
    return labels


def place_anew(costs: np.ndarray, part: Part, n_named: int) -> list[np.ndarray]:
    """Labels of a part that a short search finds, if it does."""
    try:
        found = search(costs, part.neighbours, n_named, PATIENCE)
    except OutOfPatience:
        return []
    return [] if found is None else [found]


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


def _total(costs: np.ndarray, labels: np.ndarray) -> float:
    return float(costs[np.arange(len(labels)), labels].sum())
