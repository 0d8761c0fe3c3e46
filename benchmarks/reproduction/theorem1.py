"""Theorem 1 by simulation: error of the pair classifier against the number of answers.

    h_A(x_i, x_j) = "far" if ||x_i − x_j||_A > 1, else "near"

An error is a pair of one cluster that is far, or of two that is near. Random pairs are answered, and A is
learned from them as printed, with and without augmentation. The limit 1 has a meaning only at the scale that
the constraint of (3) gives A. A second classifier has the limit with the fewest errors on the answers. The
error is taken over pairs of fresh rows, each in one pair. Beside it stand ê (the share of wrong answers) and
the incompatibilities ê_u (over all pairs of the table, weighted by certainty) and e_u (over the fresh pairs).

The paper's ê is the mean of (2y − 1) h with h = +1 for far pairs: twice the share of errors, minus 1. Its e
is the probability of h ≠ 2y − 1, with the same h that of being right. Here both are shares of errors.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reproduction.experiment import Data
from reproduction.rows import Row
from sameornot import AugmentedClustering, Constraints, Metric, Problem, State
from sameornot.augmentation import augment
from sameornot.datasets import make_gaussian, make_opposite

N_FRESH = 4000  # rows, half as many pairs
# Formulas (2) and (3) as printed, at the scale of (3), with λ fixed and S and D the answered pairs.
PRINTED: dict[str, Any] = {
    "separation": 0.5,
    "closure": False,
    "penalty": None,
}
WAYS = {"with augmentation": True, "without augmentation": False}
METHODS = {way: AugmentedClustering.as_printed(augmentation=used, **PRINTED) for way, used in WAYS.items()}
GENERAL = {
    f"general A {way}": AugmentedClustering.as_printed(full=True, augmentation=used, **PRINTED)
    for way, used in WAYS.items()
}
ROUNDING = 1e-9


@dataclass(frozen=True)
class Setting:
    """Data of the paper: `make(n, seed)` draws n rows of which the first `n_points` are the table.

    A general A is slow to learn; `general` are the numbers of answers at which it is.
    """

    title: str
    n_points: int
    n_clusters: int
    n_features: int
    make: Callable[[int, int], Data]
    answers: tuple[int, ...]
    general: tuple[int, ...] = ()

    def methods(self, count: int) -> dict[str, AugmentedClustering]:
        """What learns a metric from so many answers."""
        return METHODS | (GENERAL if count in self.general else {})


MANY = (60, 120, 300, 600, 1200, 2400, 5000)
SETTINGS = {
    "gaussian": Setting(
        "§6.1: n = 60, p = 6 + 3, K = 6",
        60,
        6,
        9,
        lambda n, seed: make_gaussian(n_samples=n, random_state=seed),
        (20, 40, 80, 160, 320, 640, 1280),
        general=(80, 1280),
    ),
    "opposite": Setting(
        "Table 1 without mixing: n = 300, p = 5 + 30, K = 5",
        300,
        5,
        35,
        lambda n, seed: make_opposite(n_samples=n, random_state=seed),
        MANY,
        general=(300, 5000),
    ),
    "opposite mixed": Setting(
        "Table 1: n = 300, p = 5 + 30, K = 5, mixed",
        300,
        5,
        35,
        lambda n, seed: make_opposite(n_samples=n, mixing=True, random_state=seed),
        MANY,
    ),
}


@dataclass(frozen=True)
class Pairs:
    """Pairs of the rows of a table, and whether the two are the same."""

    left: np.ndarray
    right: np.ndarray
    same: np.ndarray

    def first(self, count: int) -> "Pairs":
        """The first pairs."""
        return Pairs(self.left[:count], self.right[:count], self.same[:count])

    def distances(self, X: np.ndarray, metric: Metric) -> np.ndarray:
        """Their distances under a metric."""
        rows = metric.transform(X)
        return np.asarray(np.linalg.norm(rows[self.left] - rows[self.right], axis=1))

    def shuffled(self, rng: np.random.Generator) -> "Pairs":
        """The same in random order."""
        order = rng.permutation(len(self.left))
        return Pairs(self.left[order], self.right[order], self.same[order])

    def constraints(self, n_points: int) -> Constraints:
        """What they tell."""
        pairs = np.column_stack([self.left, self.right])
        return Constraints.from_pairs(n_points, must_link=pairs[self.same], cannot_link=pairs[~self.same])


def all_pairs(y: np.ndarray) -> Pairs:
    """Every pair of a table once."""
    left, right = np.triu_indices(len(y), k=1)
    return Pairs(left, right, y[left] == y[right])


def disjoint_pairs(y: np.ndarray) -> Pairs:
    """Independent pairs: each row is in one of them."""
    left = np.arange(0, len(y) - 1, 2)
    return Pairs(left, left + 1, y[left] == y[left + 1])


def error(distances: np.ndarray, same: np.ndarray, limit: float) -> float:
    """Share of pairs that are far and the same, or near and different."""
    return float(((distances > limit) == same).mean())


def best_limit(distances: np.ndarray, same: np.ndarray) -> float:
    """The limit with the fewest errors, halfway between two distances; of several, the one in the middle."""
    order = np.argsort(distances, kind="stable")
    ordered, is_same = distances[order], same[order]
    wrong = is_same.sum() + np.concatenate([[0], np.cumsum(np.where(is_same, -1, 1))])
    limits = np.concatenate([[0.0], (ordered[1:] + ordered[:-1]) / 2.0, [2.0 * ordered[-1]]])
    fewest = np.flatnonzero(wrong == wrong.min())
    return float(limits[fewest[len(fewest) // 2]])


def certainties(memberships: np.ndarray, pairs: Pairs) -> np.ndarray:
    """w_ij of pairs by the memberships H, positive for likely the same (S~), negative for different (D~)."""
    n_clusters = memberships.shape[1]
    concordance = np.einsum("ek,ek->e", memberships[pairs.left], memberships[pairs.right])
    above = concordance - 1.0 / n_clusters
    weight = np.where(above > 0, n_clusters / (n_clusters - 1), n_clusters) * above
    return np.where(np.abs(weight) > ROUNDING, weight, 0.0)


def incompatibility(distances: np.ndarray, weight: np.ndarray) -> float:
    """Mean over pairs of w d² where they are likely the same, −w d where different (see `certainties`)."""
    return float(np.where(weight > 0, weight * distances**2, weight * distances).mean())


@dataclass(frozen=True)
class Tables:
    """The rows that are asked about and fresh ones, with the pairs of both."""

    table: np.ndarray
    fresh: np.ndarray
    every_pair: Pairs
    fresh_pair: Pairs

    def measure(self, metric: Metric, answered: Pairs, weight: np.ndarray) -> Row:
        """Errors and incompatibilities of a metric; `weight` are the certainties of every pair."""
        told = answered.distances(self.table, metric)
        fresh = self.fresh_pair.distances(self.fresh, metric)
        best = best_limit(told, answered.same)
        truth = np.where(self.fresh_pair.same, 1.0, -1.0)
        return {
            "empirical": error(told, answered.same, 1.0),
            "error": error(fresh, self.fresh_pair.same, 1.0),
            "best_empirical": error(told, answered.same, best),
            "best_error": error(fresh, self.fresh_pair.same, best),
            "incompatibility": incompatibility(self.every_pair.distances(self.table, metric), weight),
            "fresh_incompatibility": incompatibility(fresh, truth),
        }


def theorem1_rows(
    run: str, seed: int, _: Path | None, *, n_fresh: int = N_FRESH, counts: tuple[int, ...] | None = None
) -> list[Row]:
    """Errors for one table of a setting, after each number of answers, for each metric.

    Mixing changes no distance under a general A, so that is learned on the unmixed rows alone.
    """
    setting = SETTINGS[run]
    n_points = setting.n_points
    X, y = setting.make(n_points + n_fresh, seed)
    tables = Tables(X[:n_points], X[n_points:], all_pairs(y[:n_points]), disjoint_pairs(y[n_points:]))
    asked = tables.every_pair.shuffled(np.random.default_rng([seed, 1]))
    different = float((~tables.fresh_pair.same).mean())
    rows: list[Row] = []
    for count in counts or setting.answers:
        answered = asked.first(count)
        problem = problem_of(tables.table, answered, setting.n_clusters, seed)
        weight = certainties(memberships_of(problem), tables.every_pair)
        for method, clusterer in setting.methods(count).items():
            metric = clusterer.checkpoint(problem, State())
            if metric is not None:
                found = tables.measure(metric, answered, weight)
                place = {"run": run, "seed": seed, "method": method, "answers": count}
                rows.append({**place, "different": different, **found})
    return rows


def problem_of(X: np.ndarray, answered: Pairs, n_clusters: int, seed: int) -> Problem:
    """What a metric is learned from; a diagonal one does not depend on the scale of features."""
    return Problem(X, answered.constraints(len(X)), n_clusters, np.ones(X.shape[1]), seed)


def memberships_of(problem: Problem) -> np.ndarray:
    """H as the clusterer infers it for this problem, uniform for rows that no answer is about."""
    n_clusters = problem.n_groups
    memberships = np.full((len(problem.X), n_clusters), 1.0 / n_clusters)
    found = augment(problem.answers, n_clusters, problem.step_rng(), shared=False)
    for members, row in zip(found.groups, found.rows, strict=True):
        memberships[members] = row
    return memberships
