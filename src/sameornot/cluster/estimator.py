"""What the clusterers share as scikit-learn citizens: checking, prediction, distances, names."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from sameornot._validation import check_labels, check_n_clusters, check_pairs
from sameornot.cluster.clustering import squared_distances
from sameornot.constraints import Constraints


def check_constraints(n_rows: int, labels: Any, must_link: Any, cannot_link: Any) -> Constraints:
    """The closure of partial labels (−1: not known) and of pairs of rows."""
    return Constraints.from_pairs(
        n_rows,
        must_link=check_pairs("must_link", must_link, n_rows),
        cannot_link=check_pairs("cannot_link", cannot_link, n_rows),
        labels=None if labels is None else check_labels(labels, n_rows),
    )


def check_rng(random_state: Any) -> np.random.Generator:
    """A generator from scikit-learn's kinds of `random_state`."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31))


class CenterClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Rows belong to the nearest of `cluster_centers_`, which live in the space that `_embed` leads to."""

    n_clusters: int
    random_state: Any
    labels_: np.ndarray
    cluster_centers_: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of each row, also of rows that were not there when the clusters were found."""
        return np.asarray(self._distances(X).argmin(axis=1))

    def transform(self, X: Any) -> np.ndarray:
        """Distance of each row to each centre."""
        return np.asarray(np.sqrt(self._distances(X)))

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def _check_problem(
        self, X: Any, labels: Any, must_link: Any, cannot_link: Any
    ) -> tuple[np.ndarray, Constraints, np.random.Generator]:
        X = validate_data(self, X, dtype=np.float64)
        check_n_clusters(self.n_clusters, len(X))
        return X, check_constraints(len(X), labels, must_link, cannot_link), check_rng(self.random_state)

    def _embed(self, X: np.ndarray) -> np.ndarray:
        return X

    def _distances(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return squared_distances(self._embed(X), self.cluster_centers_)
