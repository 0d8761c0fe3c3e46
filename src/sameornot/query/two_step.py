"""The two-step strategy (§5): K-means first, then the pairs whose likeness is nearest to one half.

Nothing is learned on the way: all questions follow from the clustering before the first answer. It is the
rival of Theorem 3. Likeness is r_i·r_j with r the forest's probabilities of the K-means clusters.
"""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier

from sameornot._types import Pair
from sameornot.query.forest import N_TREES
from sameornot.query.problem import Problem, Questions

# All pairs of this many points are ranked; of a larger table, those of a random part of it.
MAX_POINTS = 1000


def two_step(problem: Problem, rng: np.random.Generator) -> Questions:
    """Ask every pair once, most uncertain first."""
    n_clusters = problem.n_clusters or 2
    points = np.sort(problem.order[:MAX_POINTS])
    X = (problem.X[points] - problem.X.mean(axis=0)) / problem.scale
    memberships = cluster_probabilities(X, min(n_clusters, len(np.unique(X, axis=0))), rng)
    left, right = np.triu_indices(len(points), k=1)
    likeness = (memberships @ memberships.T)[left, right]
    tie_break = rng.random(len(left))
    for pair in np.lexsort((tie_break, np.abs(likeness - 0.5))):
        yield Pair(int(points[left[pair]]), int(points[right[pair]]))


def cluster_probabilities(X: np.ndarray, n_clusters: int, rng: np.random.Generator) -> np.ndarray:
    """How likely each point is to be in each K-means cluster, by a forest fitted to it."""
    kmeans = KMeans(n_clusters, n_init=10, random_state=int(rng.integers(2**31))).fit(X)
    forest = RandomForestClassifier(N_TREES, random_state=int(rng.integers(2**31))).fit(X, kmeans.labels_)
    return np.asarray(forest.predict_proba(X))
