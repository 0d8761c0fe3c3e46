"""Semi-supervised linear discriminant analysis: Gaussians with a shared covariance, fitted by EM.

    r_im ∝ exp(−½ (x_i − c_m)ᵀ C⁻¹ (x_i − c_m)),     C = (scatter within groups + p · diag) / (mass + p)

Centres and scatter are those of the labelled rows and, with the weight `unlabelled_weight`, of all others by
their memberships, which are estimated again for a few iterations (Dempster et al. 1977; down-weighted
unlabelled rows: Nigam et al. 2000). Shrinking C to a diagonal worth p rows (as Friedman 1989) keeps it
invertible. With more features than rows, C is inverted by Woodbury's identity in the space of the rows.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack
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


class Scatter(NamedTuple):
    """Weighted rows as EM sees them: the weight of each row, and the sums of weighted products of features.

    Memberships change from one iteration to the next, but how much a row counts does not. `products` is None
    where there are more features than rows; `squares` is its diagonal.
    """

    rows: np.ndarray
    total: np.ndarray
    squares: np.ndarray
    products: np.ndarray | None

    @classmethod
    def of(cls, rows: np.ndarray, total: np.ndarray) -> "Scatter":
        """The sums for rows of these weights."""
        if rows.shape[1] > len(rows):
            return cls(rows, total, total @ rows**2, None)
        products = (rows.T * total) @ rows
        return cls(rows, total, np.diag(products).copy(), products)


def semi_supervised_lda(rows: np.ndarray, training: TrainingSet, start: np.ndarray, em: EM) -> LDA:
    """Memberships of all rows, from the training rows and a `start` (n × L) for the others.

    They are out of sample: a training row is predicted as if it had no part in the centre of its group, and
    no group is excluded.
    """
    placed = all_rows(training.groups)
    own = np.repeat(np.arange(len(training.groups)), [len(members) for members in training.groups])
    total = np.full(len(rows), em.unlabelled_weight)
    total[placed] = 1.0
    scatter, memberships = Scatter.of(rows, total), start
    for _ in range(em.n_iter):
        weights = em.unlabelled_weight * memberships
        weights[placed] = 0.0
        weights[placed, own] = 1.0
        model = fit_weighted(scatter, weights, em.prior_rows)
        memberships = exclude(model.memberships, training.excluded)
    predicted = model.memberships.copy()
    predicted[placed] = leave_one_out(rows[placed], own, model, weights.sum(axis=0))
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
    return fit_weighted(Scatter.of(rows, weights.sum(axis=1)), weights, prior_rows)


def fit_weighted(scatter: Scatter, weights: np.ndarray, prior_rows: float) -> LDA:
    """The same, given what stays from one iteration to the next."""
    rows, n_features = scatter.rows, scatter.rows.shape[1]
    mass = weights.sum(axis=0) + 1e-9
    centers = weights.T @ rows / mass[:, None]
    within = np.maximum(scatter.squares - mass @ centers**2, 0.0)
    diagonal = n_features * (prior_rows + within) / (prior_rows + mass.sum())
    weight = mass.sum() + n_features
    if scatter.products is None:
        directions = weight * solve_low_rank(diagonal, rows, scatter.total, centers, mass)
    else:
        matrix = scatter.products - (centers.T * mass) @ centers
        matrix[np.diag_indices(n_features)] += diagonal
        directions = weight * solve_positive(matrix, centers.T)
    scores = rows @ directions
    scores -= 0.5 * (centers.T * directions).sum(axis=0)
    return LDA(shares(scores), centers, directions)


def solve_positive(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution of a system with a positive definite matrix."""
    _, solution, failed = lapack.dposv(matrix, right, lower=1)
    return np.asarray(np.linalg.solve(matrix, right) if failed else solution)


def shares(scores: np.ndarray) -> np.ndarray:
    """The softmax of each row, in place of the scores."""
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


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
    kept = memberships + 1e-9
    kept[excluded] = 0.0
    total = kept.sum(axis=-1, keepdims=True)
    none_left = (total <= 0.0).ravel()
    total[total <= 0.0] = 1.0
    kept /= total
    kept[none_left] = memberships[none_left]
    return np.asarray(kept)
