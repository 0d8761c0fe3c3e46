"""`COBRAS` for scikit-learn; the flow is in `_cobras.py`."""

from typing import Any

import numpy as np

from sameornot._validation import check_count
from sameornot.cluster._cobras import cobras_flow
from sameornot.cluster._super_instances import Flow
from sameornot.cluster.cobra import SuperInstanceClusterer
from sameornot.cluster.method import Progress


class COBRAS(SuperInstanceClusterer):
    """COBRAS (Van Craenendonck et al. 2018): super-instances that are split and merged by answers.

    It chooses its own questions and asks them of what `fit` is given. With all labels and a `budget` this is
    the published active run; to ask a person, use `ActiveSession(X, strategy="cobras")`. With nothing known
    it is K-means with `n_clusters`, or two, clusters.

    Parameters
    ----------
    n_clusters : int, optional
        Parts to begin with, and groups that are left when nothing more is known: the nearest ones not known
        to differ are joined. None begins with at least two and leaves groups as they are, as published.
    budget : int, optional
        Most questions; those that earlier answers settle are free. None asks all.
    n_init : int
        Starts of K-means wherever a super-instance is split; the best is kept.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray, one a row
        The groups of the last merging that was complete.
    questions_ : ndarray, rows of two row numbers
        The pairs that were asked and answered.
    representatives_ : ndarray
        The row that stands for each super-instance.
    grouping_ : SuperInstanceGrouping

    Examples
    --------
    >>> from sameornot.cluster.cobras import COBRAS
    >>> X = [[0.0], [0.1], [4.0], [4.1], [8.0], [8.1]]
    >>> model = COBRAS(random_state=0).fit(X, y=["a", "a", "b", "b", "a", "a"])
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0, 0]
    >>> model.predict([[7.0]]).tolist()
    [0]
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        budget: int | None = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.budget = budget
        self.n_init = n_init
        self.random_state = random_state

    def _flow(self, X: np.ndarray, rng: np.random.Generator, progress: Progress) -> Flow:
        n_init = check_count("n_init", self.n_init)
        return cobras_flow(X, rng, progress, n_init=n_init, n_first_parts=self.n_clusters or 2)
