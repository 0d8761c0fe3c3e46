"""The learned metric as a transformer."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from sameornot._validation import check_fit_rows, check_n_clusters
from sameornot.cluster.base import Problem, check_constraints
from sameornot.cluster.metric_learning import check_metric, fit_metric, settings_of
from sameornot.metric.learn import feature_scale


class AugmentedMetric(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Rescale (or rotate and rescale) rows so that Euclidean distance is the learned metric (§3.1).

    Parameters
    ----------
    n_clusters : int, optional
        Number of groups that the pairs are part of; None takes the number that the pairs tell apart.
    metric, separation, augmentation, standardize
        As for `AugmentedClustering`.
    random_state : int, RandomState or None

    Attributes
    ----------
    metric_ : Metric
        ``metric_.matrix`` is A.
    feature_weights_ : ndarray
        Share of each feature in the metric, per standard deviation.

    References
    ----------
    Deng, Y., Yuan, Y., Fu, H., and Qu, A. (2023). Query-augmented active metric learning. *Journal of
    the American Statistical Association*, 118(543), 1862–1875.

    Examples
    --------
    >>> from sameornot import AugmentedMetric
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=90, n_relevant=3, random_state=0)
    >>> model = AugmentedMetric().fit(X, y)
    >>> model.transform(X).shape, bool(model.feature_weights_[:3].sum() > 0.9)
    ((90, 6), True)
    """

    # On curves there is no space to transform rows into that could be named after their features.
    kernel: str | None = None

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        metric: str = "separable",
        separation: float | str = 0.5,
        augmentation: bool = True,
        standardize: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.separation = separation
        self.augmentation = augmentation
        self.standardize = standardize
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Learn the metric; without any "different" every feature that varies weighs the same.

        Parameters
        ----------
        X : array or DataFrame
        y : array, optional
            Partial labels, −1 where unknown: equal ones must link, unequal ones cannot.
        must_link, cannot_link : rows of two row numbers, optional
        """
        X = check_fit_rows(self, X)
        check_metric(settings_of(self))
        answers = check_constraints(len(X), y, must_link, cannot_link)
        n_clusters = max(2, len(answers.neighbourhoods()))
        if self.n_clusters is not None:
            n_clusters = check_n_clusters(self.n_clusters, len(X))
        scale = feature_scale(X, standardize=self.standardize)
        seed = int(check_random_state(self.random_state).randint(2**31))
        problem = Problem(X, answers, n_clusters, scale, seed)
        self.metric_ = fit_metric(problem, settings_of(self), problem.result_rng())
        self.feature_weights_ = self.metric_.feature_weights
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Rows in the learned space."""
        check_is_fitted(self)
        return self.metric_.transform(validate_data(self, X, dtype=np.float64, reset=False))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The features themselves for a diagonal metric; numbered axes for a full one."""
        check_is_fitted(self)
        if self.metric_.rotation is None:
            return np.asarray(_check_feature_names_in(self, input_features), dtype=object)
        n_axes = self.metric_.rotation.shape[1]
        return np.array([f"augmentedmetric{axis}" for axis in range(n_axes)], dtype=object)
