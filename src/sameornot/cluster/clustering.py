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
        """Share of the nearest centre's cluster in a mixture of round clusters of the same width.

        The width is the mean squared distance to the own centre over the number of axes that carry it.
        """
        squares = self.distances(X)
        within = (self.metric.transform(X) - self.centers[squares.argmin(axis=1)]).var(axis=0)
        if not within.any():
            return np.ones(len(X))
        n_axes = within.sum() ** 2 / (within**2).sum()
        return np.asarray(softmax(-0.5 * squares * n_axes / within.sum(), axis=1).max(axis=1))
