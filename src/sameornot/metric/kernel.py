"""An additive kernel: each feature is mapped on its own, so that a metric can follow curves along it.

    k(x, z) = sum_m exp(−(x_m − z_m)² / 2 s_m²)  ≈  φ(x)·φ(z),     φ(x) = (φ_1(x_1), …, φ_p(x_p))

A ring or a crescent is no half-space of the features, but it is one of φ, as is every set in which a sum of
smooth curves f_1(x_1) + … + f_p(x_p) is positive. φ_m is the Nyström approximation (Williams and Seeger
2001): kernel values at a few landmarks, times the inverse root of the kernel between the landmarks. Each axis
of φ belongs to one feature, so weights of axes add up to weights of features. The metric in the mapped space
is learned in `learn.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

# Landmarks a feature: more do not change curves as smooth as these (8 gave the same figures as 6).
N_LANDMARKS = 6

# Width of the kernel in standard deviations of a feature.
WIDTH = 1.0

# Eigenvalues of the kernel between landmarks below this share of the largest are rounding.
ROUNDING = 1e-10


@dataclass(frozen=True)
class AdditiveMap:
    """φ: for each feature its landmarks, the inverse root of the kernel between them, and its width."""

    landmarks: tuple[np.ndarray, ...]
    roots: tuple[np.ndarray, ...]
    widths: np.ndarray

    def transform(self, scaled: np.ndarray) -> np.ndarray:
        """Mapped rows, the axes of the first feature first."""
        parts = zip(scaled.T, self.landmarks, self.roots, self.widths, strict=True)
        return np.hstack([gaussian(column, marks, width) @ root for column, marks, root, width in parts])

    @property
    def feature(self) -> np.ndarray:
        """The feature that each mapped axis belongs to."""
        return np.repeat(np.arange(len(self.roots)), [root.shape[1] for root in self.roots])

    def sum_by_feature(self, values: np.ndarray) -> np.ndarray:
        """Sums of values of mapped axes, one a feature."""
        return np.bincount(self.feature, values, minlength=len(self.roots))


def additive_map(scaled: np.ndarray, *, n_landmarks: int = N_LANDMARKS, width: float = WIDTH) -> AdditiveMap:
    """φ for rows like these; landmarks are quantiles, or all values where a feature has no more of them."""
    deviation = scaled.std(axis=0)
    widths = np.where(deviation > 0, width * deviation, 1.0)
    landmarks = tuple(quantiles(column, n_landmarks) for column in scaled.T)
    roots = tuple(
        inverse_root(gaussian(marks, marks, each)) for marks, each in zip(landmarks, widths, strict=True)
    )
    return AdditiveMap(landmarks, roots, widths)


def gaussian(values: np.ndarray, landmarks: np.ndarray, width: float) -> np.ndarray:
    """exp(−(u − v)² / 2 s²) of every value with every landmark."""
    return np.asarray(np.exp(-0.5 * ((values[:, None] - landmarks) / width) ** 2))


def quantiles(column: np.ndarray, n_landmarks: int) -> np.ndarray:
    """Evenly spread quantiles, each once."""
    distinct = np.unique(column)
    if len(distinct) <= n_landmarks:
        return distinct
    return np.unique(np.quantile(column, np.linspace(0.0, 1.0, n_landmarks)))


def inverse_root(kernel: np.ndarray) -> np.ndarray:
    """R with R Rᵀ the pseudo-inverse: rows of kernel values times R have the kernel as inner products."""
    values, vectors = np.linalg.eigh(kernel)
    kept = values > ROUNDING * values[-1]
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


KERNELS: dict[str, Callable[[np.ndarray], AdditiveMap]] = {"additive": additive_map}
