"""Clusters with a metric each: Gaussians with precision A, of which a narrow one is denser near its centre.

density of a cluster  ∝  exp(−(d − log det A) / 2),    d = (x − centre)ᵀ A (x − centre)
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import softmax

from sameornot.cluster.clustering import CenterClustering, squared_distances
from sameornot.metric.learn import Metric


@dataclass(frozen=True)
class LocalClustering(CenterClustering):
    """Clusters with a metric each; `metric` is their average, and `centers` live in its space."""

    means: np.ndarray
    metrics: list[Metric]

    def all_metrics(self) -> list[Metric]:
        """The metric of each cluster."""
        return self.metrics

    def distances(self, X: np.ndarray) -> np.ndarray:
        """Each row's d − log det A for each centre, raised by the largest log det: never below d."""
        squares = [
            squared_distances(metric.transform(X), metric.transform(mean[None]))[:, 0]
            for metric, mean in zip(self.metrics, self.means, strict=True)
        ]
        log_dets = np.array([log_det(metric) for metric in self.metrics])
        return np.column_stack(squares) + (log_dets.max() - log_dets)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Posterior of each cluster in a mixture of Gaussians with precision A each."""
        return np.asarray(softmax(-0.5 * self.distances(X), axis=1))


def log_det(metric: Metric) -> float:
    """The log det A over the features that vary, which are those that have weight."""
    return float(np.log(metric.weights[metric.weights > 0]).sum())


def average(metrics: list[Metric], sizes: np.ndarray) -> Metric:
    """The mean of metrics of the same scale, weighted by the sizes of their clusters."""
    share = sizes / sizes.sum()
    scale = metrics[0].scale
    if metrics[0].rotation is None:
        return Metric(scale, np.asarray(share @ [metric.weights for metric in metrics]))
    matrices = [replace(metric, scale=np.ones(len(scale))).matrix for metric in metrics]
    weights, rotation = np.linalg.eigh(np.tensordot(share, matrices, axes=1))
    return Metric(scale, weights.clip(0.0), rotation)
