"""`COPKMeans` for scikit-learn; the arithmetic is in `_copkmeans.py`."""

from itertools import pairwise
from typing import Any, Self

import numpy as np

from sameornot._validation import check_count, check_labels, check_pairs
from sameornot.cluster._copkmeans import copkmeans
from sameornot.cluster.estimator import CenterClusterer, check_constraints
from sameornot.constraints import Constraints


class COPKMeans(CenterClusterer):
    """K-means that breaks no constraint (Wagstaff et al. 2001).

    A solution is found whenever there is one; where there is none, the error names rows that prove it.

    Parameters
    ----------
    n_clusters : int
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
        Sum of squared distances to the own centres.
    n_iter_ : int
        Sweeps until no row moved.
    history_ : list of float
        The objective after each sweep; it never rises.

    Examples
    --------
    >>> from sameornot.cluster.copkmeans import COPKMeans
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> model = COPKMeans(n_clusters=2, random_state=0)
    >>> labels = model.fit_predict(X, must_link=[(0, 3)], cannot_link=[(0, 1), (0, 2)])
    >>> bool(labels[0] == labels[3] != labels[1] == labels[2])
    True
    >>> model.fit(X, cannot_link=[(0, 1), (1, 2), (0, 2)])
    Traceback (most recent call last):
    sameornot.cluster._coloring.Infeasible: n_clusters=2 but rows 0, 1, 2 all differ from each other, \
which makes 3 groups: take back a wrong pair or raise n_clusters
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 5,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Cluster the rows.

        Parameters
        ----------
        X : array or DataFrame
        y : array, optional
            Partial labels, −1 where not known: equal ones must link, unequal ones cannot. Where there are
            more kinds of them than clusters, kinds share clusters: then only equal ones say anything.
        must_link, cannot_link : rows of two row numbers, optional
        """
        X, constraints, rng = self._check_problem(X, None, must_link, cannot_link)
        if y is not None:
            constraints = label_constraints(y, len(X), self.n_clusters, must_link, cannot_link)
        result = copkmeans(
            X,
            constraints,
            self.n_clusters,
            rng,
            n_init=check_count("n_init", self.n_init),
            max_iter=check_count("max_iter", self.max_iter),
        )
        self.labels_, self.cluster_centers_ = result.labels, result.centers
        self.history_, self.objective_ = result.history, result.history[-1]
        self.n_iter_ = result.n_iter
        return self


def label_constraints(y: Any, n_rows: int, n_clusters: int, must_link: Any, cannot_link: Any) -> Constraints:
    """The closure of labels and pairs; labels of more kinds than clusters hold only what is the same."""
    labels = check_labels(y, n_rows)
    kinds = [np.flatnonzero(labels == kind).tolist() for kind in np.unique(labels[labels != -1])]
    if len(kinds) <= n_clusters:
        return check_constraints(n_rows, y, must_link, cannot_link)
    same = [pair for rows in kinds for pair in pairwise(rows)]
    asked = check_pairs("must_link", must_link, n_rows).tolist()
    return check_constraints(n_rows, None, [*same, *asked], cannot_link)
