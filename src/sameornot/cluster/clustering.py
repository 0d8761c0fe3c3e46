"""Clusters as centres in the space of a metric: the fit of most clusterers, and what their estimators share.

    P(cluster k | x)  ∝  exp(−||x − centre_k||² / 2 width)

is the posterior of a mixture of spherical Gaussians that share one variance (`width`) and have equal weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted, validate_data

from sameornot.cluster.base import Assignment, Clusterer, Clustering, Problem
from sameornot.metric.learn import Metric


def squared_distances(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """||x − centre||², n × K."""
    origin = centers.mean(axis=0)  # far from the data, the terms of the square would cancel each other out
    X, centers = X - origin, centers - origin
    squares = (X**2).sum(axis=1)[:, None] - 2.0 * X @ centers.T + (centers**2).sum(axis=1)
    return np.asarray(np.maximum(squares, 0.0))


def group_shares(squares: np.ndarray, width: float) -> np.ndarray:
    """Posterior of each spherical cluster (n × K), given the squared distances to their centres."""
    if width == 0.0:
        return np.eye(squares.shape[1])[squares.argmin(axis=1)]
    return np.asarray(softmax(-0.5 * squares / width, axis=1))


def nearest_share(squares: np.ndarray, width: float) -> np.ndarray:
    """Posterior of the nearest cluster."""
    return np.asarray(group_shares(squares, width).max(axis=1))


@dataclass(frozen=True)
class CenterClustering(Clustering):
    """Labels and centres of the clusters; the centres live in the space of `metric`.

    `history` is the objective after each sweep. `fitted_width` is the `width` of the fitted rows; without it,
    rows are judged by their own. `keeps_answers` tells whether answered rows are in their groups in the end,
    although violated constraints are merely penalised.
    """

    labels: np.ndarray
    centers: np.ndarray
    metric: Metric
    n_iter: int
    history: Sequence[float] = field(default=(), kw_only=True)
    fitted_width: float | None = field(default=None, kw_only=True)
    keeps_answers: bool = field(default=True, kw_only=True)

    def assign(self, X: np.ndarray, neighbourhoods: list[np.ndarray]) -> Assignment:
        """The final groups of the fitted rows X."""
        if self.keeps_answers:
            return super().assign(X, neighbourhoods)
        return Assignment(self.labels, self.confidence(X), neighbourhoods)

    def as_centers(self) -> "CenterClustering":
        """Itself."""
        return self

    def groups_of_centers(self) -> np.ndarray:
        """The group of each centre."""
        return np.arange(len(self.centers))

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The nearest centre of each row."""
        return np.asarray(self.distances(X).argmin(axis=1))

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Posterior of each cluster in a mixture of spherical clusters of the same width."""
        width = self.width(X) if self.fitted_width is None else self.fitted_width
        return group_shares(self.distances(X), width)

    def all_metrics(self) -> list[Metric]:
        """The metric that all clusters share, or one for each."""
        return [self.metric]

    def distances(self, X: np.ndarray) -> np.ndarray:
        """Squared distance of each row to each centre under the metric."""
        return squared_distances(self.metric.transform(X), self.centers)

    def width(self, X: np.ndarray) -> float:
        """Variance of the rows around their centres, per effective axis.

        There are (tr Σ)² / tr Σ² effective axes for the covariance Σ within clusters: correlated features
        count once.
        """
        rows = self.metric.transform(X)
        residuals = rows - self.centers[squared_distances(rows, self.centers).argmin(axis=1)]
        residuals -= residuals.mean(axis=0)
        total = (residuals**2).sum()
        is_wide = len(residuals) < residuals.shape[1]
        gram = residuals @ residuals.T if is_wide else residuals.T @ residuals
        return float((gram**2).sum() / total / len(residuals)) if total > 0 else 0.0


class CenterClusterer(Clusterer):
    """A clusterer whose rows belong to the nearest of `cluster_centers_`."""

    clustering_: CenterClustering
    cluster_centers_: np.ndarray

    def transform(self, X: Any) -> np.ndarray:
        """Distance of each row to each centre."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(np.sqrt(self.clustering_.distances(X)))

    def _store(self, clustering: CenterClustering, problem: Problem) -> Self:
        super()._store(clustering, problem)
        self.cluster_centers_ = clustering.centers
        self.n_iter_ = clustering.n_iter
        self.history_ = list(clustering.history)
        self.objective_ = self.history_[-1]
        return self


def rows_at(centers: np.ndarray, metric: Metric, X: np.ndarray) -> np.ndarray:
    """Centres under a diagonal metric as rows of the table; a feature without weight is at its mean."""
    weighs = metric.weights > 0
    rows = np.tile(X.mean(axis=0), (len(centers), 1))
    rows[:, weighs] = centers[:, weighs] / np.sqrt(metric.weights[weighs]) * metric.scale[weighs]
    return rows
