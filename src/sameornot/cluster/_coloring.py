"""Graph colouring of "different": a cluster for each unit that none of its neighbours has.

    find  l_u in 0 … K − 1   with  l_u ≠ l_v  for each pair (u, v) that differs

Units with fewer than K neighbours can wait: whatever the others do, a cluster is left for them. The rest
falls apart into connected components. Each is searched depth first, the most constrained unit next (in the
manner of dom/wdeg; Boussemart et al. 2004), with backtracking. So an assignment is found whenever there is
one; where there is none, `Infeasible` holds rows that prove it. Costs are the matter of
`_copkmeans_assignment.py`.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from sameornot.cluster._constraint_graph import ConstraintGraph

# Dead ends after which a search that need not succeed is given up: a solution is known already, or it is only
# about a shorter proof.
MAX_DEAD_ENDS = 200


class Infeasible(ValueError):
    """Constraints that K clusters cannot satisfy; `rows` holds one row of each group involved.

    Examples
    --------
    >>> from sameornot import COPKMeans, Infeasible
    >>> try:
    ...     COPKMeans(n_clusters=2).fit([[0.0], [1.0], [2.0]], cannot_link=[(0, 1), (1, 2), (0, 2)])
    ... except Infeasible as error:
    ...     print(sorted(error.rows))
    [0, 1, 2]
    """

    def __init__(self, rows: list[int], n_clusters: int) -> None:
        self.rows, self.n_clusters = rows, n_clusters
        named = ", ".join(map(str, rows))
        reason = (
            f"rows {named} all differ from each other, which makes {len(rows)} groups"
            if len(rows) == n_clusters + 1  # no smaller set proves it, so each differs from each
            else f"no assignment keeps apart all that differ among rows {named} and what is the same as they"
        )
        super().__init__(f"n_clusters={n_clusters} but {reason}: take back a wrong pair or raise n_clusters")


def color_groups(graph: ConstraintGraph, clique: np.ndarray, n_clusters: int) -> np.ndarray:
    """Clusters of groups that satisfy all constraints, group `clique[m]` in cluster m; or `Infeasible`."""
    cannot_link = graph.cannot_link
    everyone = np.arange(cannot_link.shape[0])
    if len(clique) > n_clusters:
        raise Infeasible(_first_rows(graph, clique), n_clusters)
    colors = color(cannot_link, everyone, n_clusters)
    if colors is None:
        raise Infeasible(_first_rows(graph, irreducible(cannot_link, everyone, n_clusters)), n_clusters)
    taken = colors[clique]
    order = np.r_[taken, np.setdiff1d(np.arange(n_clusters), taken)]
    return np.asarray(np.argsort(order)[colors])


def _first_rows(graph: ConstraintGraph, groups: np.ndarray) -> list[int]:
    return sorted(int(np.argmax(graph.group == g)) for g in groups)


def color(
    cannot_link: sparse.csr_array, units: np.ndarray, n_clusters: int, max_dead_ends: float = math.inf
) -> np.ndarray | None:
    """A cluster for each of some units (−1: others) that satisfies all constraints among them, or None."""
    labels = np.full(cannot_link.shape[0], -1)
    peeled, core = peel(cannot_link, units, n_clusters)
    for component in components(cannot_link, core)[1]:
        no_costs = np.zeros((len(component.units), n_clusters))
        found = search(no_costs, component.neighbours, 0, max_dead_ends)
        if found is None:
            return None
        labels[component.units] = found
    for unit in reversed(peeled):
        taken = labels[_neighbours(cannot_link, unit)]
        labels[unit] = np.setdiff1d(np.arange(n_clusters), taken)[0]
    return labels


def peel(cannot_link: sparse.csr_array, units: np.ndarray, n_clusters: int) -> tuple[list[int], np.ndarray]:
    """Split off units with fewer than K neighbours left: once the core is coloured, so are they."""
    inside = np.zeros(cannot_link.shape[0], dtype=bool)
    inside[units] = True
    degree = np.asarray(cannot_link @ inside.astype(float)).astype(int)
    peeled = np.flatnonzero(inside & (degree < n_clusters)).tolist()
    inside[peeled] = False
    for unit in peeled:  # grows during the loop
        others = _neighbours(cannot_link, unit)
        degree[others] -= 1
        loose = others[inside[others] & (degree[others] < n_clusters)]
        inside[loose] = False
        peeled.extend(loose.tolist())
    return peeled, np.flatnonzero(inside)


def _neighbours(cannot_link: sparse.csr_array, unit: int) -> np.ndarray:
    return np.asarray(cannot_link.indices[cannot_link.indptr[unit] : cannot_link.indptr[unit + 1]])


def irreducible(cannot_link: sparse.csr_array, units: np.ndarray, n_clusters: int) -> np.ndarray:
    """Of units for which K clusters are too few, a subset for which they are still too few.

    None can be left out of it, unless the search that would show it met more than `MAX_DEAD_ENDS`.
    """
    needed = peel(cannot_link, units, n_clusters)[1]
    for unit in needed:
        rest = needed[needed != unit]
        if len(rest) < len(needed) and _is_infeasible(cannot_link, rest, n_clusters):
            needed = peel(cannot_link, rest, n_clusters)[1]
    return np.asarray(needed)


def _is_infeasible(cannot_link: sparse.csr_array, units: np.ndarray, n_clusters: int) -> bool:
    """Whether a short search proves that K clusters are too few for these units."""
    try:
        return color(cannot_link, units, n_clusters, MAX_DEAD_ENDS) is None
    except SearchLimitReached:
        return False


# --- the search -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Component:
    """Units that differ from each other, directly or in a chain."""

    units: np.ndarray
    cannot_link: sparse.csr_array

    @cached_property
    def neighbours(self) -> list[np.ndarray]:
        """For each unit, the positions of those that differ from it."""
        return np.split(self.cannot_link.indices, self.cannot_link.indptr[1:-1])


def components(cannot_link: sparse.csr_array, units: np.ndarray) -> tuple[np.ndarray, list[Component]]:
    """The number of the component of each unit (−1: none), and the components of the graph of some units."""
    number = np.full(cannot_link.shape[0], -1)
    if len(units):
        number[units] = connected_components(cannot_link[units][:, units], directed=False)[1]
    members = np.split(np.argsort(number, kind="stable"), np.cumsum(np.bincount(number + 1))[:-1])[1:]
    return number, [Component(units, cannot_link[units][:, units]) for units in members]


class SearchLimitReached(Exception):
    """A search met more dead ends than it was allowed to."""


def search(
    costs: np.ndarray, neighbours: list[np.ndarray], n_fixed: int, max_dead_ends: float = math.inf
) -> np.ndarray | None:
    """A cluster for each unit that no neighbour has, or None if there is no such assignment.

    Depth first: the next unit has the fewest clusters left in relation to its weight (its neighbours, and how
    often it had no cluster left); among equals it is the one whose second choice costs most more than its
    first. Cheap clusters are tried first. A cluster of infinite cost is ruled out. Clusters from `n_fixed` on
    are interchangeable, so of those that are still empty only one is tried.
    """
    ruled_out = np.isinf(costs).astype(int)  # the number of reasons against each cluster
    labels = np.full(len(costs), -1)
    weight = np.array([1.0 + len(others) for others in neighbours])
    stack: list[tuple[int, Iterator[int]]] = [_branch(costs, ruled_out, labels, weight, n_fixed)]
    while stack:
        unit, options = stack[-1]
        others = neighbours[unit]
        if labels[unit] >= 0:  # back from a dead end
            ruled_out[others, labels[unit]] -= 1
            labels[unit] = -1
        cluster = next(options, None)
        if cluster is None:
            stack.pop()
            continue
        ruled_out[others, cluster] += 1
        labels[unit] = cluster
        stuck = others[(labels[others] < 0) & ruled_out[others].all(axis=1)]
        if len(stuck):
            weight[stuck] += 1.0
            max_dead_ends -= 1
            if max_dead_ends < 0:
                raise SearchLimitReached
        elif len(stack) == len(costs):
            return labels
        else:
            stack.append(_branch(costs, ruled_out, labels, weight, n_fixed))
    return None


def _branch(
    costs: np.ndarray, ruled_out: np.ndarray, labels: np.ndarray, weight: np.ndarray, n_fixed: int
) -> tuple[int, Iterator[int]]:
    """The unit to assign next, and the clusters to try for it in turn."""
    waiting = np.flatnonzero(labels < 0)
    ease = (ruled_out[waiting] == 0).sum(axis=1) / weight[waiting]
    hardest = waiting[ease == ease.min()]
    open_costs = np.where(ruled_out[hardest] == 0, costs[hardest], np.inf)
    pick = int(np.argmax(_regret(open_costs))) if len(hardest) > 1 else 0
    n_open = np.isfinite(open_costs[pick]).sum()
    ranked = np.argsort(open_costs[pick], kind="stable")[:n_open].tolist()
    used = set(labels.tolist())
    empty = [cluster for cluster in ranked if cluster >= n_fixed and cluster not in used]
    return int(hardest[pick]), iter([cluster for cluster in ranked if cluster not in empty[1:]])


def _regret(costs: np.ndarray) -> np.ndarray:
    """What the second choice costs more than the first, for each row."""
    if costs.shape[1] == 1:
        return np.zeros(len(costs))
    best = np.partition(costs, 1, axis=1)
    return np.asarray(best[:, 1] - best[:, 0])
