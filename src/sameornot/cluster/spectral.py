"""`ConstrainedSpectral` for scikit-learn; the arithmetic is in `_spectral.py`."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sameornot._validation import check_n_clusters
from sameornot.cluster._spectral import SpectralSettings
from sameornot.cluster.estimator import check_constraints, check_rng
from sameornot.metric.learn import feature_scale


class ConstrainedSpectral(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Learn from pairs which features matter, and cut a graph of near rows into groups of any shape.

    Parameters
    ----------
    n_clusters : int
    metric : {"separable", "exact", "full"}
        Which metric is learned.
    kernel : "additive" or None
        How relevant features are found: along curves, as groups of any shape need, or along lines.
    separation, augmentation
        As for `AugmentedClustering`.
    n_neighbors : int
        Neighbours that a row has in the graph.
    propagation : float
        How far constraints reach along the graph, from 0 (their own pairs only) to below 1.
    weight : float
        Price of a broken constraint, in units of the total variance of the eigenvectors' rows.
    standardize : bool
        Divide each feature by its standard deviation first.
    n_init, max_iter : int
        Starts where constraints leave centres to chance, and most sweeps of a start.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray, one a row
    metric_ : Metric
        The space that the graph lies in.
    feature_weights_ : ndarray
        Share of each feature in the metric, per standard deviation.
    grouping_ : SpectralGrouping
        ``grouping_.confidence(X)`` says how much of a row's affinity is to its own group.
    n_iter_ : int
        Sweeps until no row moved.

    Notes
    -----
    All pairs of rows are held in memory: at most 5000 rows can be fitted. `predict` asks a row's neighbours,
    so a fitted row on the edge of its group may be given the group of the rows around it.

    Examples
    --------
    >>> from sameornot import ConstrainedSpectral
    >>> from sameornot.datasets import make_moons
    >>> X, y = make_moons(random_state=0)
    >>> partial = [label if row < 60 else -1 for row, label in enumerate(y)]
    >>> model = ConstrainedSpectral(n_clusters=2, random_state=0).fit(X, partial)
    >>> bool((model.labels_ == model.predict(X)).mean() > 0.95), bool(model.feature_weights_[:2].sum() > 0.9)
    (True, True)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str = "separable",
        kernel: str | None = "additive",
        separation: float | str = 0.5,
        augmentation: bool = True,
        n_neighbors: int = 10,
        propagation: float = 0.5,
        weight: float = 1.0,
        standardize: bool = True,
        n_init: int = 5,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.kernel = kernel
        self.separation = separation
        self.augmentation = augmentation
        self.n_neighbors = n_neighbors
        self.propagation = propagation
        self.weight = weight
        self.standardize = standardize
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Learn the metric and cut the graph; without any constraint this is spectral clustering.

        Parameters
        ----------
        X : array or DataFrame
        y : array, optional
            Partial labels, −1 where not known: equal ones must link, unequal ones cannot.
        must_link, cannot_link : rows of two row numbers, optional
        """
        X = validate_data(self, X, dtype=np.float64)
        n_clusters = check_n_clusters(self.n_clusters, len(X))
        constraints = check_constraints(len(X), y, must_link, cannot_link)
        settings = SpectralSettings(
            metric=self.metric,
            kernel=self.kernel,
            separation=self.separation,
            augmentation=self.augmentation,
            n_neighbors=self.n_neighbors,
            propagation=self.propagation,
            weight=self.weight,
            n_init=self.n_init,
            max_iter=self.max_iter,
        ).check()
        scale = feature_scale(X, standardize=self.standardize)
        rng = check_rng(self.random_state)
        self.grouping_ = settings.fit_step(X, constraints, n_clusters, scale, rng)
        self.labels_, self.metric_ = self.grouping_.labels, self.grouping_.metric
        self.feature_weights_ = self.metric_.feature_weights
        self.n_iter_ = self.grouping_.n_iter
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The group that most of a row's neighbours are in, also of rows that were not there before."""
        check_is_fitted(self)
        return self.grouping_.predict(validate_data(self, X, dtype=np.float64, reset=False))
