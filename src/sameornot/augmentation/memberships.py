"""Fuzzy memberships from answers alone (§3.1), by ADMM (§4; Boyd et al. 2011).

    minimise over H   sum over answered pairs (y_ij − h_i·h_j)²  +  λ sum_ik min(|h_ik|, |h_ik − 1|)

with the rows of H on the simplex, K columns. The second term is the multi-directional separation penalty.
Points that are known to be the same share one row, so a row stands for a group of the closure. Where all
groups were compared and there are at most K, one-hot rows reach 0, the global minimum, and nothing is solved.
Otherwise ADMM: one copy of H carries the fit, one the penalty, and their consensus the simplex. The problem
is not convex: the best of a few starts is kept.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from sameornot._types import Answer
from sameornot.constraints import Constraints

SEPARATION_GRID = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Memberships:
    """One row of memberships (H) for each group of points that answers are about."""

    groups: list[np.ndarray]
    rows: np.ndarray


@dataclass(frozen=True)
class Links:
    """Answered pairs of rows: `left`, `right`, the concordance that was answered (y), and how often."""

    left: np.ndarray
    right: np.ndarray
    target: np.ndarray
    count: np.ndarray


def augment(
    constraints: Constraints,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    separation: float | str = 0.5,
) -> Memberships:
    """Memberships in the K clusters that explain the answers; `separation` is λ, or "cv" to choose it."""
    groups = constraints.groups()
    if len(constraints.neighbourhoods()) == len(groups) <= n_clusters:
        return Memberships(groups, np.eye(len(groups), n_clusters))
    if separation == "cv":
        separation = choose_separation(constraints, n_clusters, rng)
    links = links_between(groups, constraints)
    start = closure_start(groups, constraints, n_clusters)
    return Memberships(groups, fit_memberships(links, start, float(separation), rng))


def links_between(groups: list[np.ndarray], constraints: Constraints) -> Links:
    """The answers as weighted links between groups; a "same" links a group with itself."""
    row_of = {int(point): row for row, members in enumerate(groups) for point in members}
    same, different = constraints.must_link, constraints.cannot_link
    ends = np.array([row_of[int(point)] for point in np.concatenate([same, different]).ravel()])
    target = np.repeat([1, 0], [len(same), len(different)])
    keyed = np.column_stack([np.sort(ends.reshape(-1, 2), axis=1), target])
    rows, count = np.unique(keyed, axis=0, return_counts=True)
    return Links(rows[:, 0], rows[:, 1], rows[:, 2].astype(float), count.astype(float))


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
    links: Links, start: np.ndarray, separation: float, rng: np.random.Generator, *, n_starts: int = 4
) -> np.ndarray:
    """The best of ADMM from `start` and from random rows, each also rounded to one-hot rows."""
    n_rows, n_clusters = start.shape
    starts = [start, *(rng.dirichlet(np.ones(n_clusters), size=n_rows) for _ in range(n_starts - 1))]
    solutions = [admm(links, rows, separation) for rows in starts]
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
    errors = [sum(_held_out_error(fold, n_clusters, value, rng) for fold in folds) for value in grid]
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


def _held_out_error(fold: Fold, n_clusters: int, separation: float, rng: np.random.Generator) -> float:
    memberships = augment(fold.kept, n_clusters, rng, separation=separation)
    row_of = {int(point): row for row, members in enumerate(memberships.groups) for point in members}
    uniform = np.full((1, n_clusters), 1.0 / n_clusters)  # the last row: points that no answer is about
    rows = np.vstack([memberships.rows, uniform])
    ends = np.array([row_of.get(point, -1) for point in fold.pairs.ravel().tolist()], dtype=np.intp)
    left, right = ends.reshape(-1, 2).T
    concordance = np.einsum("ek,ek->e", rows[left], rows[right])
    return float(np.sum((fold.same - concordance) ** 2))
