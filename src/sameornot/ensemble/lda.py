"""Semi-supervised linear discriminant analysis: Gaussians with a shared covariance, fitted by EM.

    r_im ∝ exp(−½ (x_i − c_m)ᵀ C⁻¹ (x_i − c_m)),     C = (scatter within groups + p · diag) / (mass + p)

Centres and scatter are those of the labelled rows and, with the weight `unlabelled_weight`, of all others by
their memberships, which are estimated again for a few iterations (Dempster et al. 1977; down-weighted
unlabelled rows: Nigam et al. 2000). Shrinking C to a diagonal worth p rows (as Friedman 1989) keeps it
invertible. With more features than rows, C is inverted by Woodbury's identity in the space of the rows.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from sameornot.cluster.clustering import squared_distances
from sameornot.ensemble.training import TrainingSet, all_rows


class LDA(NamedTuple):
    """Memberships (n × L), and what they follow from: centres (L × p), and C⁻¹ times the centres (p × L)."""

    memberships: np.ndarray
    centers: np.ndarray
    directions: np.ndarray

    @property
    def axes(self) -> np.ndarray:
        """Discriminant axes (p × at most L − 1), along which centres have the distances of C⁻¹."""
        middle = self.directions - self.directions.mean(axis=1, keepdims=True)
        gram = (self.centers - self.centers.mean(axis=0)) @ middle
        values, vectors = np.linalg.eigh((gram + gram.T) / 2.0)
        kept = values > 1e-9 * max(values[-1], 1e-300)
        return np.asarray(middle @ (vectors[:, kept] / np.sqrt(values[kept])))


class EM(NamedTuple):
    """How EM runs: the weight of an unlabelled row, the number of iterations, and the prior of C."""

    unlabelled_weight: float
    n_iter: int
    prior_rows: float


def semi_supervised_lda(rows: np.ndarray, training: TrainingSet, start: np.ndarray, em: EM) -> LDA:
    """Memberships of all rows, from the training rows and a `start` (n × L) for the others.

    They are out of sample: a training row is predicted as if it had no part in the centre of its group, and
    no group is excluded.
    """
    labelled = np.zeros((len(rows), len(training.groups)))
    for m, members in enumerate(training.groups):
        labelled[members, m] = 1.0
    is_labelled = labelled.any(axis=1, keepdims=True)
    weights = np.where(is_labelled, labelled, em.unlabelled_weight * start)
    for _ in range(em.n_iter):
        used = weights
        model = fit_lda(rows, used, em.prior_rows)
        memberships = exclude(model.memberships, training.excluded)
        weights = np.where(is_labelled, labelled, em.unlabelled_weight * memberships)
    predicted = model.memberships.copy()
    own = np.repeat(np.arange(len(training.groups)), [len(members) for members in training.groups])
    placed = all_rows(training.groups)
    predicted[placed] = leave_one_out(rows[placed], own, model, used.sum(axis=0))
    return model._replace(memberships=predicted)


def leave_one_out(rows: np.ndarray, own: np.ndarray, model: LDA, mass: np.ndarray) -> np.ndarray:
    """Memberships of rows, each by the centre of its own group without it; `mass` is that of each group.

    Distances are those along the discriminant axes.
    """
    axes = model.axes
    middle = model.centers.mean(axis=0)
    squares = squared_distances((rows - middle) @ axes, (model.centers - middle) @ axes)
    squares[np.arange(len(rows)), own] *= ((mass / np.maximum(mass - 1.0, 0.5)) ** 2)[own]
    return np.asarray(softmax(-0.5 * squares, axis=1))


def fit_lda(rows: np.ndarray, weights: np.ndarray, prior_rows: float) -> LDA:
    """Centres and shared covariance of weighted groups, and the membership of each row."""
    mass = weights.sum(axis=0) + 1e-9
    centers = weights.T @ rows / mass[:, None]
    total = weights.sum(axis=1)
    within = np.maximum(total @ rows**2 - mass @ centers**2, 0.0)
    n_features = rows.shape[1]
    diagonal = n_features * (prior_rows + within) / (prior_rows + mass.sum())
    weight = mass.sum() + n_features
    if n_features <= len(rows):
        scatter = (rows.T * total) @ rows - (centers.T * mass) @ centers
        directions = weight * np.linalg.solve(scatter + np.diag(diagonal), centers.T)
    else:
        directions = weight * solve_low_rank(diagonal, rows, total, centers, mass)
    scores = rows @ directions - 0.5 * (centers.T * directions).sum(axis=0)
    return LDA(softmax(scores, axis=1), centers, directions)


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


def exclude(memberships: np.ndarray, excluded: np.ndarray) -> np.ndarray:
    """Memberships without the excluded groups, normalised; unchanged where all groups are excluded."""
    kept = np.where(excluded, 0.0, memberships + 1e-9)
    total = kept.sum(axis=-1, keepdims=True)
    return np.asarray(np.where(total > 0, kept / np.where(total > 0, total, 1.0), memberships))
