"""`AugmentedClustering` for scikit-learn: AQM with given pairs; the steps are in `_augmented.py`."""

from typing import Any, Self

import numpy as np

from sameornot.cluster._augmented import AugmentedSettings, fit_final
from sameornot.cluster.estimator import CenterClusterer
from sameornot.metric.learn import feature_scale


class AugmentedClustering(CenterClusterer):
    """Learn from pairs which features matter, and cluster under that metric (AQM, §3.1 and §3.2).

    Parameters
    ----------
    n_clusters : int
    metric : {"separable", "exact", "full"}
        Which metric is learned: weights of features in closed form, weights by the paper's own objective
        (sparse), or a full matrix.
    penalty : None, "auto", γ, or (γ, q)
        Selective penalty: its strength and the number of features that it falls on, either "auto".
    separation : float or "cv"
        λ of the augmentation, or "cv" to choose it by cross-validation.
    augmentation : bool
        Whether pairs inferred from the answers train the metric too; without them it is Xing's.
    kernel : None or "additive"
        Learn the metric on curves along each feature, for groups that no ellipsoid holds: crescents, rings.
        Its axes are always those of a full metric, weighed as `metric` says ("full" as "separable").
    weight : float
        Price of a broken constraint, in units of the data's total variance under the metric.
    emphasis : float
        For how many rows one that the pairs speak of counts in its centre; 1 is the paper's PCKMeans.
    standardize : bool
        Divide each feature by its standard deviation first.
    n_init, max_iter : int
        Starts where constraints leave centres to chance, and most sweeps of a start.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray, one a row
    metric_ : Metric
    feature_weights_ : ndarray
        Share of each feature in the metric, per standard deviation.
    n_iter_ : int
        Sweeps until no row moved.
    cluster_centers_ : ndarray
        One row a cluster, in the space of ``metric_.transform(X)``.

    Examples
    --------
    >>> from sameornot import AugmentedClustering
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=90, n_relevant=3, random_state=0)
    >>> partial = [label if row < 20 else -1 for row, label in enumerate(y)]
    >>> model = AugmentedClustering(n_clusters=3, random_state=0).fit(X, partial)
    >>> model.predict(X[:2]).shape, int(model.feature_weights_.argmax()) in (0, 1, 2)
    ((2,), True)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str = "separable",
        penalty: Any = None,
        separation: float | str = 0.5,
        augmentation: bool = True,
        kernel: str | None = None,
        weight: float = 1.0,
        emphasis: float = 5.0,
        standardize: bool = True,
        n_init: int = 5,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.penalty = penalty
        self.separation = separation
        self.augmentation = augmentation
        self.kernel = kernel
        self.weight = weight
        self.emphasis = emphasis
        self.standardize = standardize
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Learn the metric and cluster the rows; without any constraint this is K-means.

        Parameters
        ----------
        X : array or DataFrame
        y : array, optional
            Partial labels, −1 where not known: equal ones must link, unequal ones cannot.
        must_link, cannot_link : rows of two row numbers, optional
        """
        X, constraints, rng = self._check_problem(X, y, must_link, cannot_link)
        settings = AugmentedSettings(
            metric=self.metric,
            penalty=self.penalty,
            separation=self.separation,
            augmentation=self.augmentation,
            kernel=self.kernel,
            weight=self.weight,
            emphasis=self.emphasis,
            n_init=self.n_init,
            max_iter=self.max_iter,
        ).check()
        scale = feature_scale(X, standardize=self.standardize)
        found = fit_final(X, constraints, self.n_clusters, scale, settings, [], rng)
        self.labels_, self.cluster_centers_, self.metric_ = found.labels, found.centers, found.metric
        self.feature_weights_ = found.metric.feature_weights
        self.n_iter_ = found.n_iter
        return self

    def _embed(self, X: np.ndarray) -> np.ndarray:
        return self.metric_.transform(X)
