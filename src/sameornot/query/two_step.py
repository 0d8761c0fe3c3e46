"""The two-step strategy (§5): K-means first, then the pairs whose similarity is nearest to one half.

Nothing is learned between the questions: all of them follow from the clustering before the first answer. It
is the rival of Theorem 3. Similarity is r_i·r_j with r the forest's probabilities of the K-means clusters.
"""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier

from sameornot._types import Question
from sameornot._validation import check_count
from sameornot.query.base import Questions, Strategy, View
from sameornot.query.forest import N_TREES


@dataclass(frozen=True)
class TwoStep(Strategy):
    """Ask every pair once, most uncertain first.

    Parameters
    ----------
    n_trees : int
        Trees of the forest that estimates cluster probabilities.
    max_points : int
        All pairs of this many points are ranked; of a larger table, those of a random part of it.

    References
    ----------
    Deng, Y., Yuan, Y., Fu, H., and Qu, A. (2023). Query-augmented active metric learning. *Journal of
    the American Statistical Association*, 118(543), 1862–1875.

    Examples
    --------
    >>> from sameornot import TwoStep, simulate
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=30, n_relevant=3, random_state=0)
    >>> strategy = TwoStep()
    >>> curve = simulate(X, y, 3, strategy=strategy, budget=9, checkpoints=[9], random_state=0)
    >>> int(curve.pairs.iloc[-1])
    9
    """

    n_trees: int = N_TREES
    max_points: int = 1000

    requires: ClassVar[type | None] = None

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        check_count("n_trees", self.n_trees)
        check_count("max_points", self.max_points, at_least=2)
        return self

    def ask(self, view: View, rng: np.random.Generator) -> Questions:
        """Rank all pairs and ask them in that order."""
        n_clusters = view.n_clusters or 2
        points = np.sort(view.order[: self.max_points])
        X = (view.X[points] - view.X.mean(axis=0)) / view.scale
        n_clusters = min(n_clusters, len(np.unique(X, axis=0)))
        memberships = cluster_probabilities(X, n_clusters, rng, self.n_trees)
        left, right = np.triu_indices(len(points), k=1)
        similarity = (memberships @ memberships.T)[left, right]
        tie_break = rng.random(len(left))
        for pair in np.lexsort((tie_break, np.abs(similarity - 0.5))):
            yield Question(int(points[left[pair]]), int(points[right[pair]]))


def cluster_probabilities(
    X: np.ndarray, n_clusters: int, rng: np.random.Generator, n_trees: int = N_TREES
) -> np.ndarray:
    """How likely each point is to be in each K-means cluster, by a forest fitted to it."""
    kmeans = KMeans(n_clusters, n_init=10, random_state=int(rng.integers(2**31))).fit(X)
    forest = RandomForestClassifier(n_trees, random_state=int(rng.integers(2**31))).fit(X, kmeans.labels_)
    return np.asarray(forest.predict_proba(X))
