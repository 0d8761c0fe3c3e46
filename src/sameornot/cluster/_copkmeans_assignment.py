"""Assignment of units to clusters at low cost, under hard constraints.

Most units conflict with no other one where they are cheapest, and are assigned all at once. Components of the
constraint graph (`_coloring.py`) where units conflict are assigned by search and local search. Neither is
optimal, but the result never costs more than the assignment before.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from sameornot.cluster._coloring import MAX_DEAD_ENDS, Component, SearchLimitReached, components, search

# Largest component that is searched again in every sweep: a search takes time with the square of its size.
MAX_SEARCHED = 400


@dataclass(frozen=True)
class Domains:
    """Where units may go: clusters that neighbourhoods rule out, and pairs of other units that differ.

    Neighbourhoods differ from each other, so they are in clusters of their own (the `n_fixed` first), and the
    graph of what is left falls apart into `components`. `component` is the number of that of each group.
    """

    ruled_out: np.ndarray
    pairs: np.ndarray
    component: np.ndarray
    components: list[Component]
    n_fixed: int


def assignment_domains(
    cannot_link: sparse.csr_array, anchors: np.ndarray, n_clusters: int, n_units: int
) -> Domains:
    """Fix neighbourhood m (group `anchors[m]`) in cluster m, and split up what is left of the graph."""
    ruled_out = np.zeros((n_units, n_clusters), dtype=bool)
    ruled_out[: cannot_link.shape[0], : len(anchors)] = cannot_link[:, anchors].toarray() > 0
    ruled_out[anchors] = True
    ruled_out[anchors, np.arange(len(anchors))] = False
    left, right = cannot_link.tocoo().coords
    is_open = (left < right) & ~np.isin(left, anchors) & ~np.isin(right, anchors)
    pairs = np.column_stack([left, right])[is_open]
    component, parts = components(cannot_link, np.unique(pairs))
    return Domains(ruled_out, pairs, component, parts, len(anchors))


def assign(
    costs: np.ndarray, domains: Domains, before: np.ndarray, *, max_searched: float = MAX_SEARCHED
) -> np.ndarray:
    """Each unit in its cheapest cluster; where that violates a constraint, its component as cheaply as found.

    The result never costs more than `before`, which satisfies all constraints: so no sweep raises the
    objective. Components of more than `max_searched` units are changed by single moves alone.
    """
    open_costs = np.where(domains.ruled_out, np.inf, costs)
    labels = open_costs.argmin(axis=1)
    conflicts = labels[domains.pairs[:, 0]] == labels[domains.pairs[:, 1]]
    for c in np.unique(domains.component[domains.pairs[conflicts, 0]]):
        component = domains.components[c]
        own_costs = open_costs[component.units]
        trials = [before[component.units]]
        if len(component.units) <= max_searched:
            trials += _searched(own_costs, component, domains.n_fixed)
        improved = [local_search(own_costs, component, trial) for trial in trials]
        labels[component.units] = min(improved, key=lambda trial: total_cost(own_costs, trial))
    return labels


def _searched(costs: np.ndarray, component: Component, n_fixed: int) -> list[np.ndarray]:
    """Labels of a component that a short search finds, if it does."""
    try:
        found = search(costs, component.neighbours, n_fixed, MAX_DEAD_ENDS)
    except SearchLimitReached:
        return []
    return [] if found is None else [found]


def local_search(costs: np.ndarray, component: Component, labels: np.ndarray) -> np.ndarray:
    """Move single units to where they cost less and differ from no one, until none can."""
    labels = labels.copy()
    everyone = np.arange(len(labels))
    while True:
        holds = np.zeros(costs.shape)
        holds[everyone, labels] = 1.0
        open_costs = np.where(component.cannot_link @ holds > 0, np.inf, costs)
        movable = np.flatnonzero(open_costs.min(axis=1) < open_costs[everyone, labels])
        if len(movable) == 0:
            return labels
        for unit in movable:  # an earlier move may block a later one
            cost = costs[unit].copy()
            cost[labels[component.neighbours[unit]]] = np.inf
            labels[unit] = cost.argmin()


def total_cost(costs: np.ndarray, labels: np.ndarray) -> float:
    """What the units cost where they are."""
    return float(costs[np.arange(len(labels)), labels].sum())
