"""`MPCKMeans` for scikit-learn; the arithmetic is in `_mpckmeans.py`."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from sameornot.cluster._mpckmeans import MPCKMeansSettings
from sameornot.cluster.estimator import CenterClusterer
from sameornot.metric.learn import feature_scale


class MPCKMeans(CenterClusterer):
    """Metric pairwise constrained K-means (Bilenko et al. 2004): learn clusters and their metric in turn.

    Parameters
    ----------
    n_clusters : int
    metric : {"diagonal", "full"}
        Weights of features, or a full matrix.
    per_cluster : bool
        Whether each cluster has a metric of its own. `predict` and `transform` then count how wide a cluster
        is as well as how far: a row is d² − log det A from each centre, plus what makes the smallest
        possible value 0.
    weight : float
        Price of a broken constraint, as a multiple of the distance that it is about.
    standardize : bool
        Start with features divided by their standard deviations, not as they are.
    n_init : int
        Starts, where the constraints leave centres to chance; the best is kept.
    max_iter : int
        Most sweeps of a start.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray, one a row
    metric_ : Metric
        ``metric_.matrix`` is A; with a metric a cluster, the average of them.
    metrics_ : list of Metric
        One, or one a cluster.
    cluster_centers_ : ndarray
        One row a cluster, in the space of ``metric_.transform(X)``.
    feature_weights_ : ndarray
        Share of each feature in the metric, per standard deviation.
    objective_ : float
        For features of unit variance.
    n_iter_ : int
        Sweeps until nothing moved.
    history_ : list of float
        The objective after each sweep; it never rises.

    Examples
    --------
    >>> from sameornot.cluster.mpckmeans import MPCKMeans
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=90, n_relevant=3, random_state=0)
    >>> partial = [label if row < 20 else -1 for row, label in enumerate(y)]
    >>> model = MPCKMeans(n_clusters=3, random_state=0).fit(X, partial)
    >>> model.predict(X[:2]).shape, int(model.feature_weights_.argmax()) in (0, 1, 2)
    ((2,), True)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str = "diagonal",
        per_cluster: bool = False,
        weight: float = 1.0,
        standardize: bool = True,
        n_init: int = 5,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.per_cluster = per_cluster
        self.weight = weight
        self.standardize = standardize
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Cluster the rows and learn the metric.

        Parameters
        ----------
        X : array or DataFrame
        y : array, optional
            Partial labels, −1 where not known: equal ones must link, unequal ones cannot.
        must_link, cannot_link : rows of two row numbers, optional
        """
        X, constraints, rng = self._check_problem(X, y, must_link, cannot_link)
        settings = MPCKMeansSettings(
            metric=self.metric,
            per_cluster=self.per_cluster,
            weight=self.weight,
            n_init=self.n_init,
            max_iter=self.max_iter,
        ).check()
        scale = feature_scale(X, standardize=self.standardize)
        result = settings.fit(X, constraints, self.n_clusters, scale, rng)
        self._clustering = found = result.clustering
        self.labels_, self.cluster_centers_, self.metric_ = found.labels, found.centers, found.metric
        self.metrics_, self.feature_weights_ = result.metrics, found.metric.feature_weights
        self.history_, self.objective_ = result.history, result.history[-1]
        self.n_iter_ = result.n_iter
        return self

    def _distances(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._clustering.distances(validate_data(self, X, dtype=np.float64, reset=False))
