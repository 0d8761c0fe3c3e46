"""Theorem 3 for two clusters and any number of points: the exact loss of the two-step strategy.

With two clusters, known centres and answers that are facts, the answered pairs split the points into parts
whose labels are known relative to each other, and each part has two states:

    KL(ρ_*||ρ^T) = sum over parts of log( Π R_(i, l_i) + Π R_(i, 1 − l_i) ) − the same for one part of all

No loss is below 0, so the left side of Theorem 3 is at least −E KL(two-step), whatever the active strategy
does. Where the bound is below that, the theorem is false.
"""

from pathlib import Path

import numpy as np
from scipy.special import log_softmax

from reproduction.bounds import two_step_bound
from reproduction.enumeration import Points, draw_points, squared_distances
from reproduction.rows import Row

N_POINTS = (100, 200, 400)
SEPARATIONS = (0.5, 1.0, 2.0)


def two_step_loss(points: Points, n_questions: int, *, power: float = 2.0) -> np.ndarray:
    """KL(ρ_*||ρ^T) for T = 0 … `n_questions`; asked are the pairs with a chance of "same" nearest to ½."""
    costs = squared_distances(points.X, points.centers) ** (power / 2.0)
    log_proba = log_softmax(-costs, axis=1)
    rows = np.arange(len(points.X))
    parts = Parts(log_proba[rows, points.truth], log_proba[rows, 1 - points.truth])
    chance = np.exp(log_proba[:, 0])
    left, right = np.triu_indices(len(rows), k=1)
    asked = np.argsort(np.abs((chance[left] - 0.5) * (chance[right] - 0.5)), kind="stable")[:n_questions]
    loss = [parts.loss]
    for pair in asked:
        parts.join(int(left[pair]), int(right[pair]))
        loss.append(parts.loss)
    return np.array(loss)


class Parts:
    """Points whose relative labels are known, by union-find, with the log evidence of both their states."""

    def __init__(self, true: np.ndarray, other: np.ndarray) -> None:
        self._parent = list(range(len(true)))
        self._true, self._other = true.copy(), other.copy()
        self._certain = float(np.logaddexp(true.sum(), other.sum()))
        self._current = float(np.logaddexp(true, other).sum())

    @property
    def loss(self) -> float:
        """KL(ρ_*||ρ)."""
        return self._current - self._certain

    def join(self, left: int, right: int) -> None:
        """Take in the answer about a pair."""
        a, b = self._find(left), self._find(right)
        if a == b:
            return
        self._current -= self._evidence(a) + self._evidence(b)
        self._parent[b] = a
        self._true[a] += self._true[b]
        self._other[a] += self._other[b]
        self._current += self._evidence(a)

    def _evidence(self, part: int) -> float:
        return float(np.logaddexp(self._true[part], self._other[part]))

    def _find(self, point: int) -> int:
        while self._parent[point] != point:
            self._parent[point] = self._parent[self._parent[point]]
            point = self._parent[point]
        return point


def theorem3_rows(run: str, seed: int, _: Path | None) -> list[Row]:
    """The loss of the two-step strategy and the theorem's bound, after n and after 2n − 1 questions."""
    rows = []
    for n_points in N_POINTS:
        for separation in SEPARATIONS:
            points = draw_points(n_points, 2, separation, np.random.default_rng([seed, n_points]))
            asked = np.array([n_points, 2 * n_points - 1])
            loss = two_step_loss(points, asked[-1])
            kind = {"run": run, "seed": seed, "n_points": n_points, "separation": separation}
            bounds = two_step_bound(asked, 2, separation)
            rows += [
                {**kind, "questions": int(T), "start": loss[0], "kl": loss[T], "bound": bound}
                for T, bound in zip(asked, bounds, strict=True)
            ]
    return rows
