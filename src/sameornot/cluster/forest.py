"""Label and classify, the baseline without clustering: placed rows train a classifier for all others.

The classifier is a random forest (Breiman 2001). It learns nothing from the rows that no answer is about.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from sameornot._validation import check_count
from sameornot.cluster.base import Clusterer, Clustering, Problem, State
from sameornot.metric.learn import Metric, feature_scale, identity_metric


class ForestClassification(Clusterer):
    """Train a random forest on the rows that pairs place in groups, and predict the others.

    Parameters
    ----------
    n_clusters : int, optional
        Groups that are trained on, at most; None trains on all that the pairs tell apart.
    n_trees : int
        Size of the forest.
    standardize : bool
        Divide each feature by its standard deviation first. It changes nothing here: trees do not depend on
        units, and for the sake of their single precision rows are standardised in any case.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray, one a row
        One group for all rows while fewer than two are known.
    metric_ : Metric
        Its weights are the importances of the features.
    feature_weights_ : ndarray
    clustering_ : ForestClustering
        ``clustering_.forest`` is the classifier.

    References
    ----------
    Breiman, L. (2001). Random forests. *Machine Learning*, 45(1).

    Examples
    --------
    >>> from sameornot.cluster.forest import ForestClassification
    >>> X = [[0.0], [1.0], [8.0], [9.0]]
    >>> ForestClassification(random_state=0).fit(X, [0, -1, 1, -1]).labels_.tolist()
    [0, 0, 1, 1]
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_trees: int = 100,
        standardize: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_trees = n_trees
        self.standardize = standardize
        self.random_state = random_state

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        check_count("n_trees", self.n_trees)
        return self

    def cluster(self, problem: Problem, state: State) -> "ForestClustering":
        """Train on the neighbourhoods and predict the rest."""
        return classify(problem, self.n_trees, problem.step_rng())

    def conclude(self, problem: Problem, state: State) -> "ForestClustering":
        """The same with the randomness of the result."""
        return classify(problem, self.n_trees, problem.result_rng())


@dataclass(frozen=True)
class ForestClustering(Clustering):
    """The groups that a forest predicts; without a forest there is a single one."""

    labels: np.ndarray
    metric: Metric
    forest: RandomForestClassifier | None
    mean: np.ndarray
    deviation: np.ndarray
    n_groups: int

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Average vote of the trees for each group."""
        proba = np.zeros((len(X), self.n_groups))
        if self.forest is None:
            proba[:, 0] = 1.0
        else:
            proba[:, self.forest.classes_] = self.forest.predict_proba(self.standardised(X))
        return proba

    def standardised(self, X: np.ndarray) -> np.ndarray:
        """What the trees see: single precision has no room for a far origin or odd units."""
        return (np.asarray(X, dtype=np.float64) - self.mean) / self.deviation


def classify(problem: Problem, n_trees: int, rng: np.random.Generator) -> ForestClustering:
    """Train a forest on the neighbourhoods and predict all other rows."""
    X, n_groups = problem.X, problem.n_groups
    neighbourhoods = problem.answers.neighbourhoods(at_most=n_groups)
    labels = np.zeros(len(X), dtype=np.intp)
    metric = identity_metric(problem.scale)
    found = ForestClustering(labels, metric, None, X.mean(axis=0), feature_scale(X), n_groups)
    if len(neighbourhoods) < 2:
        return found
    placed = np.concatenate(neighbourhoods)
    group = np.repeat(np.arange(len(neighbourhoods)), [len(members) for members in neighbourhoods])
    rows = found.standardised(X)
    forest = RandomForestClassifier(n_trees, random_state=int(rng.integers(2**31)))
    labels = forest.fit(rows[placed], group).predict(rows)
    labels[placed] = group
    return replace(
        found, labels=labels, metric=Metric(problem.scale, forest.feature_importances_), forest=forest
    )
