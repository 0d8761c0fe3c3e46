"""K-means with hard constraints (COP-KMeans; Wagstaff et al. 2001): no constraint is ever violated.

    minimise  sum_i ||x_i − centre(l_i)||²     with  l_i = l_j for "same",  l_i ≠ l_j for "different"

A group of the closure moves as a whole, so it is one unit: its mean, weighted by its size. Assigning units to
centres is then a graph colouring with costs (`_copkmeans_assignment.py`, `_coloring.py`). Unlike Wagstaff's
greedy assignment, it never fails where there is a solution; where there is none, it raises `Infeasible` with
rows that prove it.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from scipy import sparse

from sameornot._validation import check_count, check_labels, check_pairs
from sameornot.cluster._centers import centroids, first_centers, refill_empty
from sameornot.cluster._coloring import Infeasible, color_groups
from sameornot.cluster._constraint_graph import ConstraintGraph, constraint_graph
from sameornot.cluster._copkmeans_assignment import Domains, assign, assignment_domains, total_cost
from sameornot.cluster.base import Problem, State, check_constraints
from sameornot.cluster.clustering import CenterClusterer, CenterClustering, rows_at, squared_distances
from sameornot.cluster.pckmeans import SweepResult
from sameornot.constraints import Constraints
from sameornot.metric.learn import identity_metric


class COPKMeans(CenterClusterer):
    """K-means that violates no constraint (Wagstaff et al. 2001).

    A solution is found whenever there is one. Where there is none, `fit` raises an error that names rows that
    prove it; a session goes on without the constraints that cannot hold.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters; None takes the number that the pairs tell apart.
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
        Every feature that varies has the same weight.
    feature_weights_ : ndarray
    objective_ : float
        Sum of squared distances to the own centres.
    n_iter_ : int
        Sweeps until no row moved.
    history_ : list of float
        The objective after each sweep; it never rises.

    References
    ----------
    Wagstaff, K., Cardie, C., Rogers, S., and Schrödl, S. (2001). Constrained k-means clustering with
    background knowledge. *ICML*.

    Examples
    --------
    >>> from sameornot.cluster.copkmeans import COPKMeans
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> model = COPKMeans(n_clusters=2, random_state=0)
    >>> labels = model.fit_predict(X, must_link=[(0, 3)], cannot_link=[(0, 1), (0, 2)])
    >>> bool(labels[0] == labels[3] != labels[1] == labels[2])
    True
    >>> model.fit(X, cannot_link=[(0, 1), (1, 2), (0, 2)])
    Traceback (most recent call last):
    sameornot.cluster._coloring.Infeasible: n_clusters=2 but rows 0, 1, 2 all differ from each other, \
which makes 3 groups: take back a wrong pair or raise n_clusters
    """

    def __init__(
        self,
        n_clusters: int | None = 8,
        *,
        standardize: bool = True,
        n_init: int = 5,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.standardize = standardize
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        check_count("n_init", self.n_init)
        check_count("max_iter", self.max_iter)
        return self

    def cluster(self, problem: Problem, state: State) -> CenterClustering:
        """COPKMeans with the same weight for every feature."""
        return self._fit_feasible(problem, problem.step_rng())

    def conclude(self, problem: Problem, state: State) -> CenterClustering:
        """The same with the randomness of the result."""
        return self._fit_feasible(problem, problem.result_rng())

    def fit(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Cluster the rows.

        Parameters
        ----------
        X : array or DataFrame
        y : array, optional
            Partial labels, −1 where unknown: equal ones must link, unequal ones cannot. Where there are more
            classes than clusters, classes share clusters: then only equal labels are a constraint.
        must_link, cannot_link : rows of two row numbers, optional
        """
        return super().fit(X, y, must_link=must_link, cannot_link=cannot_link)

    def _fit_feasible(self, problem: Problem, rng: np.random.Generator) -> CenterClustering:
        """Constraints that K clusters cannot satisfy are relaxed: they must not end a session."""
        metric = identity_metric(problem.scale)
        rows = metric.transform(problem.X)
        options = {"n_init": self.n_init, "max_iter": self.max_iter}
        try:
            found = copkmeans(rows, problem.answers, problem.n_groups, rng, **options)
        except Infeasible:
            relaxed = relax(problem.answers, problem.n_groups)
            found = copkmeans(rows, relaxed, problem.n_groups, rng, **options)
        return found.under(metric, problem.X)

    def _constraints(self, n_rows: int, y: Any, must_link: Any, cannot_link: Any) -> Constraints:
        classes = [] if y is None else class_members(y, n_rows)
        if self.n_clusters is not None and len(classes) > self.n_clusters:
            same = [pair for rows in classes for pair in pairwise(rows)]
            must_link = [*same, *check_pairs("must_link", must_link, n_rows).tolist()]
            y = None
        answers = check_constraints(n_rows, y, must_link, cannot_link)
        feasible_start(answers, self.n_clusters or max(1, len(answers.neighbourhoods())))
        return answers

    def _store(self, clustering: CenterClustering, problem: Problem) -> Self:
        super()._store(clustering, problem)
        self.cluster_centers_ = rows_at(clustering.centers, clustering.metric, problem.X)
        return self


def class_members(y: Any, n_rows: int) -> list[list[int]]:
    """The rows of each known class."""
    labels = check_labels(y, n_rows)
    return [np.flatnonzero(labels == name).tolist() for name in np.unique(labels[labels != -1])]


def relax(constraints: Constraints, n_clusters: int) -> Constraints:
    """The closure without each "different" between groups that are not among the neighbourhoods.

    Unless a group differs from all K neighbourhoods, the rest can be satisfied: each group goes to one that
    it may be part of.
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


@dataclass(frozen=True)
class FeasibleStart:
    """A cluster for each group that satisfies all constraints, and the group of each neighbourhood."""

    graph: ConstraintGraph
    neighbourhoods: list[np.ndarray]
    anchors: np.ndarray
    colors: np.ndarray


def feasible_start(constraints: Constraints, n_clusters: int) -> FeasibleStart:
    """An assignment of the groups, whatever it costs; raises `Infeasible` if there is none."""
    graph = constraint_graph(constraints)
    neighbourhoods = constraints.neighbourhoods(at_most=n_clusters + 1)  # one too many is refused
    anchors = graph.group[[members[0] for members in neighbourhoods]]
    return FeasibleStart(graph, neighbourhoods, anchors, color_groups(graph, anchors, n_clusters))


def copkmeans(
    X: np.ndarray,
    constraints: Constraints,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    n_init: int = 5,
    max_iter: int = 100,
) -> SweepResult:
    """Cluster the rows, the m-th neighbourhood in cluster m; every sweep satisfies all constraints."""
    first = feasible_start(constraints, n_clusters)
    units = make_units(X, first.graph)
    domains = assignment_domains(first.graph.cannot_link, first.anchors, n_clusters, len(units.means))
    starts = first_centers(X, first.neighbourhoods, n_clusters, n_init, rng)
    results = [_sweep_until_converged(units, domains, first.colors, start, max_iter) for start in starts]
    return min(results, key=lambda result: result.history[-1])


@dataclass(frozen=True)
class Units:
    """What moves as a whole: first the groups, then the free rows, each as a weighted mean.

    `within` is the scatter of rows around the means of their units, which is the same for any assignment.
    """

    of_row: np.ndarray
    means: np.ndarray
    within: float
    graph: ConstraintGraph

    @property
    def size(self) -> np.ndarray:
        """Number of rows of each unit."""
        return self.graph.row_weight


def make_units(X: np.ndarray, graph: ConstraintGraph) -> Units:
    """Replace each group by its mean."""
    n_groups = len(graph.size)
    of_row = graph.group.copy()
    n_free = int((of_row < 0).sum())
    of_row[of_row < 0] = n_groups + np.arange(n_free)
    size = np.r_[graph.size, np.ones(n_free)]
    member = sparse.csr_array((np.ones(len(X)), (of_row, np.arange(len(X)))), shape=(len(size), len(X)))
    means = member @ X / size[:, None]
    group = np.r_[np.arange(n_groups), np.full(n_free, -1)]
    of_units = ConstraintGraph(group, np.ones(n_groups), graph.cannot_link, size)
    return Units(of_row, means, float(((X - means[of_row]) ** 2).sum()), of_units)


def _sweep_until_converged(
    units: Units, domains: Domains, colors: np.ndarray, centers: np.ndarray, max_iter: int
) -> SweepResult:
    """Sweep from given centres; `colors` are clusters of the groups that satisfy all constraints."""
    size = units.size[:, None]
    costs = size * squared_distances(units.means, centers)
    labels = np.r_[colors, np.zeros(len(costs) - len(colors), dtype=np.intp)]
    following = assign(costs, domains, labels, max_searched=np.inf)
    history = [units.within + total_cost(costs, following)]
    for _ in range(max_iter):
        labels = following
        refill_empty(labels, costs, units.graph)
        centers = centroids(units.means, labels, centers, units.size)
        costs = size * squared_distances(units.means, centers)
        history.append(units.within + total_cost(costs, labels))
        following = assign(costs, domains, labels)
        if (following == labels).all():
            break
    return SweepResult(labels[units.of_row], centers, history)
