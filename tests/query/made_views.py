"""Views of small tables, made up for tests of what a strategy asks."""

import numpy as np

from sameornot import Constraints
from sameornot.cluster.augmented import AugmentedClustering
from sameornot.cluster.clustering import CenterClustering
from sameornot.metric.learn import Metric
from sameornot.query import View


def view_after(*facts, X, n_clusters=None, weights=None, order=None, labels=None):
    """What a strategy sees after some answers, each given as (left, right, answer)."""
    X = np.asarray(X, dtype=float)
    answers = Constraints(len(X))
    for left, right, answer in facts:
        answers.add((left, right), answer)
    metric = Metric(np.ones(X.shape[1]), np.ones(X.shape[1]) if weights is None else np.asarray(weights))
    labels = np.zeros(len(X), dtype=int) if labels is None else np.asarray(labels)
    centers = np.zeros((int(labels.max()) + 1, X.shape[1]))
    return View(
        X,
        np.ones(X.shape[1]),
        answers,
        n_clusters,
        AugmentedClustering(),
        np.arange(len(X)) if order is None else np.asarray(order),
        CenterClustering(labels, centers, metric, 1),
    )


def unfitted_view(X, answers=None, n_clusters=2, order=None, scale=None, seed=0):
    """The same for a strategy that requires no clustering: there is none."""
    return View(
        X,
        np.ones(X.shape[1]) if scale is None else scale,
        Constraints(len(X)) if answers is None else answers,
        n_clusters,
        AugmentedClustering(),
        np.arange(len(X)) if order is None else order,
        seed=seed,
    )
