"""Label and classify: what one would do without a method for it.

The rows that the answers placed train a random forest, which predicts the others. Nothing is taken from the
rows that no answer speaks of.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from sameornot._validation import check_count
from sameornot.cluster.method import Method
from sameornot.constraints import Constraints
from sameornot.metric.learn import Metric, feature_scale, identity_metric


@dataclass(frozen=True)
class ForestGrouping:
    """The groups that a forest predicts; a single one before two are known."""

    labels: np.ndarray
    metric: Metric
    forest: RandomForestClassifier | None
    origin: np.ndarray
    spread: np.ndarray

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The likeliest group of each row."""
        if self.forest is None:
            return np.zeros(len(X), dtype=np.intp)
        return np.asarray(self.forest.predict(standardised(X, self.origin, self.spread)))

    def confidence(self, X: np.ndarray) -> np.ndarray:
        """Share of the trees that vote for the likeliest group."""
        if self.forest is None:
            return np.ones(len(X))
        votes = self.forest.predict_proba(standardised(X, self.origin, self.spread))
        return np.asarray(votes.max(axis=1))


def standardised(X: np.ndarray, origin: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """What the trees see: they work in float32, which has no room for far origins and odd units."""
    return (np.asarray(X, dtype=np.float64) - origin) / spread


@dataclass(frozen=True)
class ForestSettings(Method):
    """How to classify the rows that were not placed (`clusterer="forest"` of a session).

    Parameters
    ----------
    n_trees : int
        Size of the forest.
    """

    n_trees: int = 100

    def check(self) -> Self:
        """Raise a ValueError that names the first setting that cannot be used."""
        check_count("n_trees", self.n_trees)
        return self

    def fit_step(
        self,
        X: np.ndarray,
        constraints: Constraints,
        n_clusters: int,
        scale: np.ndarray,
        rng: np.random.Generator,
    ) -> ForestGrouping:
        """Train on the neighbourhoods and predict the rest."""
        hoods = constraints.neighbourhoods(at_most=n_clusters)
        origin, spread = X.mean(axis=0), feature_scale(X)
        if len(hoods) < 2:
            alone = np.zeros(len(X), dtype=np.intp)
            return ForestGrouping(alone, identity_metric(scale), None, origin, spread)
        placed = np.concatenate(hoods)
        group = np.repeat(np.arange(len(hoods)), [len(members) for members in hoods])
        rows = standardised(X, origin, spread)
        forest = RandomForestClassifier(self.n_trees, random_state=int(rng.integers(2**31)))
        labels = forest.fit(rows[placed], group).predict(rows)
        labels[placed] = group
        return ForestGrouping(labels, Metric(scale, forest.feature_importances_), forest, origin, spread)
