"""A discriminant that trains itself: groups as clouds of one common shape, around centres of their own.

    r_im ∝ exp(−½ (x_i − c_m)ᵀ C⁻¹ (x_i − c_m)),     C = (scatter within groups + p · diag) / (mass + p)

Centres and scatter are those of the placed rows and, with the weight `trust` for each, of all others by their
memberships, which are found anew with them for a few rounds (EM). Shrinking C to a diagonal worth p rows
keeps it invertible. With more features than rows, C is inverted in the space of the rows.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

# Rows that the overall variance of a feature is worth in its variance within groups.
PRIOR_ROWS = 4.0


class Discriminant(NamedTuple):
    """Memberships (n × L), and what they follow from: centres (L × p), and C⁻¹ times the centres (p × L)."""

    memberships: np.ndarray
    centers: np.ndarray
    directions: np.ndarray

    @property
    def axes(self) -> np.ndarray:
        """Axes (p × at most L − 1) on which distances are those of C⁻¹ between the centres."""
        middle = self.directions - self.directions.mean(axis=1, keepdims=True)
        gram = (self.centers - self.centers.mean(axis=0)) @ middle
        values, vectors = np.linalg.eigh((gram + gram.T) / 2.0)
        kept = values > 1e-9 * max(values[-1], 1e-300)
        return np.asarray(middle @ (vectors[:, kept] / np.sqrt(values[kept])))


def discriminant(
    rows: np.ndarray,
    groups: Sequence[np.ndarray],
    start: np.ndarray,
    ruled_out: np.ndarray,
    *,
    trust: float,
    n_rounds: int,
) -> Discriminant:
    """Memberships of all rows, given those of the `groups` and a `start` (n × L) for the others.

    In the end each row is judged without its own answers: a row of a group as if it had no part in the
    centre of that group, and no group is ruled out.
    """
    known = np.zeros((len(rows), len(groups)))
    for m, members in enumerate(groups):
        known[members, m] = 1.0
    is_known = known.any(axis=1, keepdims=True)
    weights = np.where(is_known, known, trust * start)
    for _ in range(n_rounds):
        used = weights
        found = classify(rows, used)
        memberships = rule_out(found.memberships, ruled_out)
        weights = np.where(is_known, known, trust * memberships)
    judged = found.memberships.copy()
    for m, members in enumerate(groups):
        judged[members] = left_out(rows[members], found, m, used[:, m].sum())
    return found._replace(memberships=judged)


def left_out(rows: np.ndarray, found: Discriminant, m: int, mass: float) -> np.ndarray:
    """Memberships of rows of group m (of that mass), each by a centre of the group without it.

    Distances are those along the axes between the centres: what tells groups apart.
    """
    space, centers = (rows - found.centers[m]) @ found.axes, (found.centers - found.centers[m]) @ found.axes
    squares = ((space[:, None, :] - centers) ** 2).sum(axis=2)
    squares[:, m] *= (mass / max(mass - 1.0, 0.5)) ** 2
    return np.asarray(softmax(-0.5 * squares, axis=1))


def classify(rows: np.ndarray, weights: np.ndarray) -> Discriminant:
    """Centres and common shape of weighted groups, and the membership of each row by them."""
    mass = weights.sum(axis=0) + 1e-9
    centers = weights.T @ rows / mass[:, None]
    total = weights.sum(axis=1)
    spread = np.maximum(total @ rows**2 - mass @ centers**2, 0.0)
    n_features = rows.shape[1]
    diagonal = n_features * (PRIOR_ROWS + spread) / (PRIOR_ROWS + mass.sum())
    weight = mass.sum() + n_features
    if n_features <= len(rows):
        scatter = (rows.T * total) @ rows - (centers.T * mass) @ centers
        directions = weight * np.linalg.solve(scatter + np.diag(diagonal), centers.T)
    else:
        directions = weight * solve_low_rank(diagonal, rows, total, centers, mass)
    scores = rows @ directions - 0.5 * (centers.T * directions).sum(axis=0)
    return Discriminant(softmax(scores, axis=1), centers, directions)


def solve_low_rank(
    diagonal: np.ndarray, rows: np.ndarray, total: np.ndarray, centers: np.ndarray, mass: np.ndarray
) -> np.ndarray:
    """(diag + rowsᵀ W rows − centresᵀ M centres)⁻¹ centresᵀ by Woodbury's identity."""
    used = total > 0
    factors = np.vstack([rows[used] * np.sqrt(total[used])[:, None], centers * np.sqrt(mass)[:, None]])
    signs = np.r_[np.ones(int(used.sum())), -np.ones(len(centers))]
    scaled = factors / diagonal
    plain = (centers / diagonal).T
    inner = np.diag(signs) + scaled @ factors.T
    return np.asarray(plain - scaled.T @ np.linalg.solve(inner, factors @ plain))


def rule_out(memberships: np.ndarray, ruled_out: np.ndarray) -> np.ndarray:
    """Memberships without what is known not to be; where that is all, as they were."""
    kept = np.where(ruled_out, 0.0, memberships + 1e-9)
    total = kept.sum(axis=-1, keepdims=True)
    return np.asarray(np.where(total > 0, kept / np.where(total > 0, total, 1.0), memberships))


def whiten(rows: np.ndarray) -> np.ndarray:
    """Rows in axes along which they vary alike, however the features go together."""
    left, strength, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    spread = spread_along(strength, rows)
    return np.asarray(left * strength / spread) if spread.any() else np.zeros((len(rows), 1))


def whitening(rows: np.ndarray) -> np.ndarray:
    """What centred rows have to be multiplied with for the same (p × at most p)."""
    _, strength, axes = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    spread = spread_along(strength, rows)
    return np.asarray(axes.T / spread) if spread.any() else np.zeros((rows.shape[1], 1))


def spread_along(strength: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """How far rows are spread along their principal axes, whose strengths these are; 0 if not at all.

    Axes that hardly vary are held back by a fiftieth of the mean variance: their values are rounding.
    """
    variance = strength**2 / len(rows)
    return np.asarray(np.sqrt(variance + 0.02 * variance.sum() / max(rows.shape[1], 1)))
