"""Kernel ridge regression on the labels: the learner for many labelled rows and for borders of any shape.

    F = K_xt (K_tt + λ I)⁻¹ Y,      K(x, z) = exp(−|x − z|² / (c · mean squared distance)), or linear

Y holds one row for each training row: 1 − 1/L in the column of its group, −1/L elsewhere (regularised least
squares classification: Rifkin et al. 2003). What is predicted for a training row without its own label is in
closed form, y − α / diag((K + λ I)⁻¹) with α = (K + λ I)⁻¹ Y. Of a few kernels the one is taken whose
predictions without the own label are best (Rifkin and Lippert 2007).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import softmax

from sameornot.cluster.clustering import squared_distances
from sameornot.ensemble.config import LeastSquaresConfig
from sameornot.ensemble.training import all_rows


class Kernel(NamedTuple):
    """Similarities between rows: a radial basis function of a width, or linear if the width is infinite.

    `middle` and `unit` are the mean of the rows and their mean squared distance from it.
    """

    width: float
    middle: np.ndarray
    unit: float

    def __call__(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """The similarity of each left row to each right one; about 1 on average for a row and itself."""
        if np.isinf(self.width):
            return np.asarray((left - self.middle) @ (right - self.middle).T / self.unit)
        return np.exp(-squared_distances(left, right) / (2.0 * self.width * self.unit))


class Regression(NamedTuple):
    """Coefficients of the training rows (t × L), and what is predicted for each without its own label."""

    coefficients: np.ndarray
    left_out: np.ndarray


def least_squares(rows: np.ndarray, groups: Sequence[np.ndarray], config: LeastSquaresConfig) -> np.ndarray:
    """The probability of each group for each row (n × L), out of sample; uniform without training rows."""
    training = all_rows(groups)
    targets = np.repeat(np.eye(len(groups)), [len(members) for members in groups], axis=0) - 1.0 / len(groups)
    best = min(regressions(rows, training, targets, config), key=lambda found: found[0])
    _, kernel, regression = best
    predicted = kernel(rows, rows[training]) @ regression.coefficients
    predicted[training] = regression.left_out
    return np.asarray(softmax(config.sharpness * predicted, axis=1))


def regressions(
    rows: np.ndarray, training: np.ndarray, targets: np.ndarray, config: LeastSquaresConfig
) -> Iterator[tuple[float, Kernel, Regression]]:
    """For each kernel its squared error on training rows that are left out, itself and its regression."""
    middle = rows.mean(axis=0)
    unit = max(float(rows.var(axis=0).sum()), 1e-300)
    for width in config.widths:
        kernel = Kernel(width, middle, unit)
        regression = regress(kernel(rows[training], rows[training]), targets, config.ridge)
        error = float(((regression.left_out - targets) ** 2).sum())
        yield round(error, config.digits), kernel, regression


def regress(similarities: np.ndarray, targets: np.ndarray, ridge: float) -> Regression:
    """The regression on the similarities of the training rows (t × t)."""
    identity = np.eye(len(similarities))
    inverse = cho_solve(cho_factor(similarities + ridge * identity), identity)
    coefficients = inverse @ targets
    return Regression(coefficients, targets - coefficients / np.diag(inverse)[:, None])
