"""Fuzzy memberships from answers alone (§3.1), by ADMM (§4; Boyd et al. 2011).

    minimise over H   sum over answered pairs (y_ij − h_i·h_j)²  +  λ sum_ik min(|h_ik|, |h_ik − 1|)

with the rows of H on the simplex, K columns. The second term is the multi-directional separation penalty.
Where all groups of the closure were compared and there are at most K, one-hot rows reach 0, the global
minimum for any λ, and nothing is solved. Otherwise ADMM: one copy of H carries the fit, one the penalty, and
their consensus the simplex. The problem is not convex: the best of a few starts is kept.

As printed, every answered point has its own row and λ is summed over points. By default points that are known
to be the same share one row (`shared`), so a row stands for a group of the closure, and λ counts once for it.
While the answers are consistent with K clusters, one-hot rows that respect all of them reach 0 too. They are
not unique: λ = 0 leaves a group that was not compared with all others uniform over the clusters that are left
to it, and λ > 0 puts it into one of them.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from sameornot._types import Answer
from sameornot.augmentation.links import Links, linked_pairs, links_between
from sameornot.constraints import Constraints

SEPARATION_GRID = (0.0, 0.25, 0.5, 0.75, 1.0)

# Weight of the disagreement between the copies. With 1, ADMM on points that each have a row stops up to 1.4 %
# above the minimum where answers contradict each other (42 small problems); with 8, at most .003 %.
RHO_OF_POINTS = 8.0


@dataclass(frozen=True)
class Memberships:
    """One row of memberships (H) for each group of points, or for each point, that answers are about."""

    groups: list[np.ndarray]
    rows: np.ndarray


def augment(
    constraints: Constraints,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    separation: float | str = 0.5,
    shared: bool = True,
    closure: bool = False,
) -> Memberships:
    """Memberships in the K clusters that explain the answers.

    `separation` is λ, or "cv" to choose it. With `closure`, the pairs that the answers imply are fitted too.
    """
    groups = constraints.groups()
    start = closure_start(groups, constraints, n_clusters)
    if len(constraints.neighbourhoods()) == len(groups) <= n_clusters:
        return Memberships(groups, start) if shared else each_alone(groups, start)
    if not shared:
        return own_memberships(constraints, start, separation, rng, closure=closure)
    if separation == "cv":
        separation = choose_separation(constraints, n_clusters, rng, closure=closure)
    links = links_between(groups, linked_pairs(constraints, closure))
    return Memberships(groups, fit_memberships(links, start, float(separation), rng))


def own_memberships(
    constraints: Constraints,
    start: np.ndarray,
    separation: float | str,
    rng: np.random.Generator,
    *,
    closure: bool,
) -> Memberships:
    """Memberships of each point by itself; `start` are those of the groups.

    Where one-hot rows respect all answers, λ is inert, and "cv" takes 0.
    """
    groups = constraints.groups()
    coloured = colour(groups, start, constraints, rng)
    if separation == "cv" and coloured is None:
        separation = choose_separation(constraints, start.shape[1], rng, shared=False, closure=closure)
    separation = 0.0 if separation == "cv" else float(separation)
    first = each_alone(groups, start if coloured is None or separation == 0.0 else coloured)
    links = links_between(first.groups, linked_pairs(constraints, closure))
    return Memberships(first.groups, fit_memberships(links, first.rows, separation, rng, rho=RHO_OF_POINTS))


def each_alone(groups: list[np.ndarray], rows: np.ndarray) -> Memberships:
    """Every point by itself, with the memberships of its group."""
    points = [np.array([point]) for members in groups for point in members]
    return Memberships(points, np.repeat(rows, [len(members) for members in groups], axis=0))


def colour(
    groups: list[np.ndarray], start: np.ndarray, constraints: Constraints, rng: np.random.Generator
) -> np.ndarray | None:
    """One-hot memberships of the groups that respect all answers; None where the greedy search finds none.

    Each group goes into a random one of the clusters that are left to it.
    """
    apart = constraints.known_apart(groups)[[int(members[0]) for members in groups]]
    cluster = np.where(start.max(axis=1) == 1.0, start.argmax(axis=1), -1)
    for group in np.flatnonzero(cluster < 0):
        free = np.setdiff1d(np.flatnonzero(start[group]), cluster[apart[group]])
        if not len(free):
            return None
        cluster[group] = rng.choice(free)
    is_proper = not (apart & (cluster[:, None] == cluster)).any()
    return np.eye(start.shape[1])[cluster] if is_proper else None


def closure_start(groups: list[np.ndarray], constraints: Constraints, n_clusters: int) -> np.ndarray:
    """Neighbourhoods one-hot, every other group uniform over the clusters that it may still belong to."""
    neighbourhoods = constraints.neighbourhoods(at_most=n_clusters)
    column_of = {int(members[0]): k for k, members in enumerate(neighbourhoods)}
    rows = np.ones((len(groups), n_clusters))
    for row, members in enumerate(groups):
        first = int(members[0])
        if first in column_of:
            rows[row] = np.eye(n_clusters)[column_of[first]]
        else:
            ruled_out = [
                k for other, k in column_of.items() if constraints.relation(first, other) is Answer.DIFFERENT
            ]
            rows[row, ruled_out] = 0.0
    rows[rows.sum(axis=1) == 0] = 1.0  # more groups than K: as all are ruled out, none is
    return rows / rows.sum(axis=1, keepdims=True)


def objective(links: Links, rows: np.ndarray, separation: float) -> float:
    """Misfit to the answers plus λ times the separation penalty."""
    concordance = np.einsum("ek,ek->e", rows[links.left], rows[links.right])
    penalty = np.minimum(np.abs(rows), np.abs(rows - 1.0)).sum()
    return float(links.count @ (links.target - concordance) ** 2 + separation * penalty)


def fit_memberships(
    links: Links,
    start: np.ndarray,
    separation: float,
    rng: np.random.Generator,
    *,
    n_starts: int = 4,
    rho: float = 1.0,
) -> np.ndarray:
    """The best of ADMM from `start` and from random rows, each also rounded to one-hot rows."""
    n_rows, n_clusters = start.shape
    starts = [start, *(rng.dirichlet(np.ones(n_clusters), size=n_rows) for _ in range(n_starts - 1))]
    solutions: list[np.ndarray] = []
    for rows in starts:
        solutions.append(admm(links, rows, separation, rho=rho))
        if round(objective(links, solutions[-1], separation), 9) == 0.0:
            return solutions[-1]  # a global minimum
    solutions += [np.eye(n_clusters)[rows.argmax(axis=1)] for rows in solutions]
    return min(solutions, key=lambda rows: round(objective(links, rows, separation), 9))


def admm(
    links: Links,
    start: np.ndarray,
    separation: float,
    *,
    rho: float = 1.0,
    max_iter: int = 300,
    tol: float = 1e-5,
) -> np.ndarray:
    """Update fit, penalty and simplex in turn until their copies of the memberships agree."""
    consensus = best = start
    lowest = objective(links, start, separation)
    if lowest == 0.0:
        return best
    weight, pull = (
        _adjacency(links, values, len(start)) for values in (links.count, links.count * links.target)
    )
    fit_dual = np.zeros_like(start)
    penalty_dual = np.zeros_like(start)
    for _ in range(max_iter):
        fitted = _fit_rows(weight, pull, consensus, consensus - fit_dual, rho)
        separated = prox_separation(consensus - penalty_dual, separation / rho)
        previous, consensus = consensus, project_simplex((fitted + fit_dual + separated + penalty_dual) / 2)
        fit_dual += fitted - consensus
        penalty_dual += separated - consensus
        if (value := objective(links, consensus, separation)) < lowest:
            lowest, best = value, consensus
        if max(np.abs(fitted - consensus).max(), np.abs(consensus - previous).max()) < tol:
            break
    return best


def _adjacency(links: Links, values: np.ndarray, n_rows: int) -> sparse.csr_array:
    ends = (np.r_[links.left, links.right], np.r_[links.right, links.left])
    return sparse.csr_array((np.tile(values, 2), ends), shape=(n_rows, n_rows))


def _fit_rows(
    weight: sparse.csr_array, pull: sparse.csr_array, others: np.ndarray, anchor: np.ndarray, rho: float
) -> np.ndarray:
    """Each row's ridge fit to its answers, with the rows at the other end fixed at `others`."""
    n_rows, n_clusters = others.shape
    outer = (others[:, :, None] * others[:, None, :]).reshape(n_rows, -1)
    gram = (weight @ outer).reshape(n_rows, n_clusters, n_clusters)
    left_side = 2.0 * gram + rho * np.eye(n_clusters)
    right_side = 2.0 * (pull @ others) + rho * anchor
    return np.linalg.solve(left_side, right_side[:, :, None])[:, :, 0]


def prox_separation(memberships: np.ndarray, threshold: float) -> np.ndarray:
    """Soft-threshold each entry towards the nearer of 0 and 1."""
    anchor = np.where(memberships <= 0.5, 0.0, 1.0)
    offset = memberships - anchor
    return anchor + np.sign(offset) * np.maximum(np.abs(offset) - threshold, 0.0)


def project_simplex(rows: np.ndarray) -> np.ndarray:
    """The nearest point of the simplex to each row, by sorting (Held, Wolfe and Crowder 1974)."""
    n_columns = rows.shape[1]
    descending = -np.sort(-rows, axis=1)
    excess = (np.cumsum(descending, axis=1) - 1.0) / np.arange(1, n_columns + 1)
    support = (descending > excess).sum(axis=1)
    return np.maximum(rows - excess[np.arange(len(rows)), support - 1][:, None], 0.0)


def choose_separation(
    constraints: Constraints,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    grid: tuple[float, ...] = SEPARATION_GRID,
    n_folds: int = 5,
    shared: bool = True,
    closure: bool = False,
) -> float:
    """The λ whose memberships predict held-out answers best (cross-validation)."""
    pairs = np.concatenate([constraints.must_link, constraints.cannot_link])
    same = np.arange(len(pairs)) < len(constraints.must_link)
    number = rng.permutation(len(pairs)) % n_folds
    folds = []
    for k in range(n_folds):
        held_out = number == k
        kept = _closure(constraints.n_points, pairs[~held_out], same[~held_out])
        folds.append(Fold(kept, pairs[held_out], same[held_out]))

    def held_out_error(fold: Fold, separation: float) -> float:
        memberships = augment(
            fold.kept, n_clusters, rng, separation=separation, shared=shared, closure=closure
        )
        return prediction_error(fold, memberships, n_clusters)

    errors = [sum(held_out_error(fold, value) for fold in folds) for value in grid]
    return grid[int(np.argmin(errors))]


class Fold(NamedTuple):
    """Answers to learn from, and the pairs of the held-out ones with whether each is "same"."""

    kept: Constraints
    pairs: np.ndarray
    same: np.ndarray


def _closure(n_points: int, pairs: np.ndarray, same: np.ndarray) -> Constraints:
    closure = Constraints(n_points)
    for pair, is_same in zip(pairs.tolist(), same, strict=True):
        closure.add(pair, Answer.SAME if is_same else Answer.DIFFERENT)
    return closure


def prediction_error(fold: Fold, memberships: Memberships, n_clusters: int) -> float:
    """Squared error of the concordances of held-out pairs."""
    row_of = {int(point): row for row, members in enumerate(memberships.groups) for point in members}
    uniform = np.full((1, n_clusters), 1.0 / n_clusters)  # the last row: points that no answer is about
    rows = np.vstack([memberships.rows, uniform])
    ends = np.array([row_of.get(point, -1) for point in fold.pairs.ravel().tolist()], dtype=np.intp)
    left, right = ends.reshape(-1, 2).T
    concordance = np.einsum("ek,ek->e", rows[left], rows[right])
    return float(np.sum((fold.same - concordance) ** 2))
