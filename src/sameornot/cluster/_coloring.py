"""Colouring the graph of "different": a cluster for each unit that no unit differing from it has.

    find  l_u in 0 … K − 1   with  l_u ≠ l_v  for each pair (u, v) that differs

Units with fewer than K neighbours can wait: whatever the others do, a cluster is left for them. What remains
without them falls apart into parts, and each is searched depth first, the most constrained unit next, with
backtracking where that leads nowhere. So a way is found whenever there is one; where there is none,
`Infeasible` holds a set of rows that proves it. Which way costs least is the matter of `_copkmeans.py`.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from sameornot.cluster._pckmeans import Bindings

# Dead ends after which a search that need not succeed gives up: there is a way already, or it is only about
# how short an explanation is.
PATIENCE = 200


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


def color_groups(bindings: Bindings, clique: np.ndarray, n_clusters: int) -> np.ndarray:
    """Clusters of the groups that keep all constraints, group `clique[m]` in cluster m; or `Infeasible`."""
    apart = bindings.apart
    everyone = np.arange(apart.shape[0])
    if len(clique) > n_clusters:
        raise Infeasible(_first_rows(bindings, clique), n_clusters)
    colors = color(apart, everyone, n_clusters)
    if colors is None:
        raise Infeasible(_first_rows(bindings, irreducible(apart, everyone, n_clusters)), n_clusters)
    taken = colors[clique]
    order = np.r_[taken, np.setdiff1d(np.arange(n_clusters), taken)]
    return np.asarray(np.argsort(order)[colors])


def _first_rows(bindings: Bindings, groups: np.ndarray) -> list[int]:
    return sorted(int(np.argmax(bindings.group == g)) for g in groups)


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


# --- the search -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """Units that differ from each other, directly or in a chain."""

    units: np.ndarray
    apart: sparse.csr_array

    @cached_property
    def neighbours(self) -> list[np.ndarray]:
        """For each unit, the places of those that differ from it."""
        return np.split(self.apart.indices, self.apart.indptr[1:-1])


def split(apart: sparse.csr_array, units: np.ndarray) -> tuple[np.ndarray, list[Part]]:
    """The connected parts of the graph among some units, and the number of the part of each unit (or −1)."""
    part = np.full(apart.shape[0], -1)
    if len(units):
        part[units] = connected_components(apart[units][:, units], directed=False)[1]
    members = np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part + 1))[:-1])[1:]
    return part, [Part(units, apart[units][:, units]) for units in members]


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
