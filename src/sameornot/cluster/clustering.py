"""Clusters as centres in the space of a metric: what most clusterers find."""

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from sameornot.metric.learn import Metric


def squared_distances(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """||x − centre||², n × K."""
    origin = centers.mean(axis=0)  # far from the data, squares would cancel to nothing
    X, centers = X - origin, centers - origin
    squares = (X**2).sum(axis=1)[:, None] - 2.0 * X @ centers.T + (centers**2).sum(axis=1)
    return np.asarray(np.maximum(squares, 0.0))


@dataclass(frozen=True)
class Clustering:
    """Labels and centres of the clusters; the centres live in the space of `metric`."""

    labels: np.ndarray
    centers: np.ndarray
    metric: Metric
    n_iter: int

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The nearest centre of each row."""
        return np.asarray(self.distances(X).argmin(axis=1))

    def distances(self, X: np.ndarray) -> np.ndarray:
        """Squared distance of each row to each centre under the metric."""
        return squared_distances(self.metric.transform(X), self.centers)

    def confidence(self, X: np.ndarray) -> np.ndarray:
        """Share of the nearest centre's cluster in a mixture of round clusters of the same width."""
        return nearest_share(self.distances(X), self.width(X))

    def width(self, X: np.ndarray) -> float:
        """Variance of the rows around their centres, along one of the axes that carry it.

        (tr Σ)² / tr Σ² axes carry it, for the covariance Σ within clusters: features that go together
        count once.
        """
        rows = self.metric.transform(X)
        own = rows - self.centers[squared_distances(rows, self.centers).argmin(axis=1)]
        own -= own.mean(axis=0)
        total = (own**2).sum()
        gram = own @ own.T if len(own) < own.shape[1] else own.T @ own
        return float((gram**2).sum() / total / len(own)) if total > 0 else 0.0


def group_shares(squares: np.ndarray, width: float) -> np.ndarray:
    """Share of each of some round clusters in rows, given the squared distances to their centres (n × K)."""
    if width == 0.0:
        return np.eye(squares.shape[1])[squares.argmin(axis=1)]
    return np.asarray(softmax(-0.5 * squares / width, axis=1))


def nearest_share(squares: np.ndarray, width: float) -> np.ndarray:
    """Share of the nearest of them."""
    return np.asarray(group_shares(squares, width).max(axis=1))
