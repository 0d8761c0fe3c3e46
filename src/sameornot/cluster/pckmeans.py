"""`PCKMeans` for scikit-learn; the arithmetic is in `_pckmeans.py`."""

from typing import Any, Self

from sameornot._validation import check_count, check_number
from sameornot.cluster._pckmeans import pckmeans
from sameornot.cluster.estimator import CenterClusterer


class PCKMeans(CenterClusterer):
    """Pairwise constrained K-means (Basu et al. 2004): K-means that pays for each broken constraint.

    Parameters
    ----------
    n_clusters : int
    weight : float
        Price of a broken constraint, in squared units of `X`.
    n_init : int
        Starts, where the constraints leave centres to chance; the best is kept.
    max_iter : int
        Most sweeps of a start.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray, one a row
    cluster_centers_ : ndarray, one row a cluster
    objective_ : float
    n_iter_ : int
        Sweeps until no row moved.
    history_ : list of float
        The objective after each sweep; it never rises.

    Examples
    --------
    >>> from sameornot import PCKMeans
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> model = PCKMeans(n_clusters=2, weight=10.0, random_state=0)
    >>> labels = model.fit_predict(X, must_link=[(0, 3)], cannot_link=[(0, 1), (1, 3), (0, 2)])
    >>> bool(labels[0] == labels[3] != labels[1] == labels[2])
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        weight: float = 1.0,
        n_init: int = 5,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.weight = weight
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Cluster the rows.

        Parameters
        ----------
        X : array or DataFrame
        y : array, optional
            Partial labels, −1 where not known: equal ones must link, unequal ones cannot.
        must_link, cannot_link : rows of two row numbers, optional
        """
        X, constraints, rng = self._check_problem(X, y, must_link, cannot_link)
        result = pckmeans(
            X,
            constraints,
            self.n_clusters,
            rng,
            weight=check_number("weight", self.weight),
            n_init=check_count("n_init", self.n_init),
            max_iter=check_count("max_iter", self.max_iter),
        )
        self.labels_, self.cluster_centers_ = result.labels, result.centers
        self.history_, self.objective_ = result.history, result.history[-1]
        self.n_iter_ = result.n_iter
        return self
