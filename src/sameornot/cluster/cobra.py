"""`COBRA` for scikit-learn, and what it shares with `COBRAS`; the flow is in `_cobra.py`."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sameornot._types import Answer, Pair
from sameornot._validation import check_count, check_n_clusters
from sameornot.cluster._cobra import N_SUPER_INSTANCES, COBRASettings
from sameornot.cluster._super_instances import (
    Flow,
    SuperInstanceGrouping,
    follow,
    grouping,
)
from sameornot.cluster.estimator import check_constraints, check_rng
from sameornot.cluster.method import Progress
from sameornot.constraints import Constraints
from sameornot.metric.learn import identity_metric


class Interview:
    """An expert who knows some pairs and tells up to a number of them; what follows from those is free."""

    def __init__(self, known: Constraints, budget: int | None) -> None:
        self.known, self.budget = known, budget
        self.told = Constraints(known.n_points)
        self.questions: list[Pair] = []

    def answer(self, pair: Pair) -> Answer | None:
        """What is known of a pair, UNSURE if nothing is, None when the budget is spent."""
        if (entailed := self.told.relation(*pair)) is not None:
            return entailed
        if (answer := self.known.relation(*pair)) is None:
            return Answer.UNSURE
        if self.budget is not None and len(self.questions) >= self.budget:
            return None
        self.told.add(pair, answer)
        self.questions.append(pair)
        return answer


class SuperInstanceClusterer(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Asks the labels and pairs that `fit` is given what its flow wants to know."""

    n_clusters: int | None
    budget: int | None
    random_state: Any
    labels_: np.ndarray
    grouping_: SuperInstanceGrouping

    def fit(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Group the rows by the questions that `y` and the pairs can answer.

        Parameters
        ----------
        X : array or DataFrame
            Features count as they are scaled: standardise them where their units mean nothing.
        y : array, optional
            Partial labels, −1 where not known: equal ones must link, unequal ones cannot.
        must_link, cannot_link : rows of two row numbers, optional
        """
        X = validate_data(self, X, dtype=np.float64)
        n_clusters = None if self.n_clusters is None else check_n_clusters(self.n_clusters, len(X))
        budget = None if self.budget is None else check_count("budget", self.budget, at_least=0)
        interview = Interview(check_constraints(len(X), y, must_link, cannot_link), budget)
        progress = Progress()
        follow(self._flow(X, check_rng(self.random_state), progress), interview.answer)
        if n_clusters is not None:
            progress.pieces.join_nearest(n_clusters)
        self.grouping_ = grouping(X, progress.pieces, identity_metric(np.ones(X.shape[1])))
        self.labels_ = self.grouping_.labels
        self.representatives_ = np.array([part.representative for part in progress.pieces.parts])
        self.questions_ = np.array(interview.questions, dtype=np.intp).reshape(-1, 2)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The group of the super-instance whose centre is nearest to each row."""
        check_is_fitted(self)
        return self.grouping_.predict(validate_data(self, X, dtype=np.float64, reset=False))

    def _flow(self, X: np.ndarray, rng: np.random.Generator, progress: Progress) -> Flow:
        raise NotImplementedError


class COBRA(SuperInstanceClusterer):
    """COBRA (Van Craenendonck et al. 2017): K-means into many parts, which answers then merge.

    It chooses its own questions and asks them of what `fit` is given. With all labels and a `budget` this is
    the published active run; to ask a person, use `ActiveSession(X, strategy="cobra")`.

    Parameters
    ----------
    n_super_instances : int
        Parts that are merged by questions; fewer where `X` has fewer distinct rows.
    n_clusters : int, optional
        Groups that are left when nothing more is known: the nearest ones not known to differ are joined.
        None leaves them apart, as published.
    budget : int, optional
        Most questions; those that earlier answers settle are free. None asks all.
    n_init : int
        Starts of K-means; the best is kept.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray, one a row
    questions_ : ndarray, rows of two row numbers
        The pairs that were asked and answered.
    representatives_ : ndarray
        The row that stands for each super-instance.
    grouping_ : SuperInstanceGrouping

    Examples
    --------
    >>> from sameornot.cluster.cobra import COBRA
    >>> X = [[0.0], [0.1], [4.0], [4.1], [8.0], [8.1]]
    >>> model = COBRA(n_super_instances=3, random_state=0).fit(X, y=["a", "a", "b", "b", "a", "a"])
    >>> model.labels_.tolist(), len(model.questions_)
    ([0, 0, 1, 1, 0, 0], 3)
    >>> model.predict([[7.0]]).tolist()
    [0]
    """

    def __init__(
        self,
        n_super_instances: int = N_SUPER_INSTANCES,
        *,
        n_clusters: int | None = None,
        budget: int | None = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_super_instances = n_super_instances
        self.n_clusters = n_clusters
        self.budget = budget
        self.n_init = n_init
        self.random_state = random_state

    def _flow(self, X: np.ndarray, rng: np.random.Generator, progress: Progress) -> Flow:
        return COBRASettings(self.n_init, self.n_super_instances).check().flow(X, rng, progress)
