"""The contract of a clusterer: an estimator is its own settings, and its fit answers for itself.

A session calls `prepare` once, `cluster` at the start of a step, and `conclude` for the result. A new
clusterer subclasses `Clusterer`, implements `cluster`, and is registered under a name in `registry.py`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from sameornot._types import Agreement, Fact, GroupCount
from sameornot._validation import (
    check_fit_rows,
    check_labels,
    check_n_clusters,
    check_pairs,
)
from sameornot.constraints import Constraints
from sameornot.metric.learn import Metric, feature_scale

if TYPE_CHECKING:
    from sameornot.cluster.clustering import CenterClustering


@dataclass(frozen=True)
class Problem:
    """What there is to cluster: rows, what the answers imply, and how many clusters there are.

    Features are divided by `scale`. `n_clusters` is None where the number is unknown. All randomness follows
    from `seed`, the `step` that the fit belongs to, and the number of answers (`n_answers`). `annotators` are
    who gave each of ``answers.answers``; () if one person gave them all.

    Examples
    --------
    >>> import numpy as np
    >>> from sameornot import Constraints, PCKMeans, Problem, State
    >>> X = np.array([[0.0], [0.1], [9.0]])
    >>> problem = Problem(X, Constraints(3), n_clusters=2, scale=np.ones(1))
    >>> PCKMeans(n_clusters=2).cluster(problem, State()).labels.shape
    (3,)
    """

    X: np.ndarray
    answers: Constraints
    n_clusters: int | None
    scale: np.ndarray
    seed: int = 0
    step: int = 1
    n_answers: int = 0
    annotators: Sequence[str] = ()

    @property
    def n_groups(self) -> int:
        """The number of clusters; where it is unknown, as many as the answers tell apart."""
        return self.n_clusters or max(1, len(self.answers.neighbourhoods()))

    def step_rng(self) -> np.random.Generator:
        """The generator of the fit that a step begins with."""
        return step_rngs(self.seed, self.step)[0]

    def result_rng(self) -> np.random.Generator:
        """The generator of a fit that is made for the result alone."""
        return np.random.default_rng([self.seed, self.step - 1, self.n_answers])


def step_rngs(seed: int, step: int) -> tuple[np.random.Generator, np.random.Generator]:
    """The generators of a step: one for its fit, one for its questions."""
    fit_rng, query_rng = np.random.default_rng([seed, step]).spawn(2)
    return fit_rng, query_rng


@dataclass(frozen=True)
class State:
    """What a fit can build on besides the problem.

    `prepared` is what `Clusterer.prepare` made of the rows, `checkpoints` what was remembered of the steps
    that `Clusterer.checkpoints` named, and `reached` what the open question carried (`Question.reached`).

    Examples
    --------
    >>> from sameornot import State
    >>> State(prepared="what `Clusterer.prepare` returned").checkpoints
    ()
    """

    prepared: Any = None
    checkpoints: Sequence[Any] = field(default_factory=tuple)
    reached: Any = None


class Assignment(NamedTuple):
    """Final groups of the fitted rows: neighbourhood m is group m, answered rows are in their groups."""

    labels: np.ndarray
    confidence: np.ndarray
    neighbourhoods: list[np.ndarray]


class Clustering(ABC):
    """The result of a fit: groups of the fitted rows, and where new rows belong.

    Examples
    --------
    >>> from sameornot import Clustering, PCKMeans
    >>> clustering = PCKMeans(n_clusters=2, random_state=0).fit([[0.0], [0.1], [9.0]]).clustering_
    >>> isinstance(clustering, Clustering)
    True
    >>> clustering.predict_proba([[8.0]]).shape
    (1, 2)
    """

    labels: np.ndarray
    metric: Metric

    @abstractmethod
    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """How likely each row is to belong to each group (n × K)."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The group of each row, also of rows that were not fitted."""
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def confidence(self, X: np.ndarray) -> np.ndarray:
        """How likely each row is to belong to its group, in (0, 1]."""
        return np.asarray(self.predict_proba(X).max(axis=1))

    def assign(self, X: np.ndarray, neighbourhoods: list[np.ndarray]) -> Assignment:
        """The final groups of the fitted rows X.

        Constraint violations may be penalised, but answered rows keep their group.
        """
        labels, confidence = self.labels.copy(), self.confidence(X)
        for m, members in enumerate(neighbourhoods):
            labels[members] = m
            confidence[members] = 1.0
        return Assignment(labels, confidence, neighbourhoods)

    def expand(self, X: np.ndarray, fitted: np.ndarray) -> "Clustering | None":
        """The same groups fitted on more rows, of which ``X[fitted]`` are those of this fit.

        None where rows beyond the fitted ones can only be predicted.
        """
        return None

    def as_centers(self) -> "CenterClustering | None":
        """The same groups by centres, which rows of large tables are assigned by; None if there are none."""
        return None

    def accuracy_interval(self) -> Agreement | None:
        """Share of rows in the right group, for fits that can estimate it."""
        return None

    def group_count(self) -> GroupCount | None:
        """How many groups there are, for fits that estimate it."""
        return None

    def answer_proba(
        self, answers: Sequence[Fact], neighbourhoods: Sequence[np.ndarray]
    ) -> np.ndarray | None:
        """How likely each answer is to be right given all others, for fits that can estimate it."""
        return None


class Clusterer(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    ClusterMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
    ABC,
):
    """A constrained clusterer: a scikit-learn estimator that a session can use too.

    In a session, the session's own `n_clusters`, `standardize` and `random_state` take precedence.

    Examples
    --------
    >>> from sameornot import Clusterer, EnsembleClustering, PCKMeans
    >>> issubclass(PCKMeans, Clusterer) and issubclass(EnsembleClustering, Clusterer)
    True
    >>> PCKMeans(n_clusters=2, random_state=0).fit_predict([[0.0], [0.1], [9.0]], must_link=[(0, 1)]).shape
    (3,)
    """

    produces: ClassVar[type] = Clustering
    """The type of its fits: strategies state which one they require."""

    n_clusters: Any
    random_state: Any
    standardize: bool

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        return self

    def check_strategy(self, strategy: object) -> None:
        """Raise a ValueError if rows cannot be clustered by the answers to this strategy's questions."""

    def prepare(self, X: np.ndarray, scale: np.ndarray, n_clusters: int | None) -> Any:
        """What can be computed from the rows alone, once, before any answer."""
        return None

    def neighbourhoods(self, answers: Constraints, n_clusters: int | None) -> list[np.ndarray]:
        """The groups that the answers make known."""
        return answers.neighbourhoods(at_most=n_clusters)

    def checkpoints(self, step: int) -> Iterable[int]:
        """The earlier steps, rising, of whose fits a fit at this step needs what `remember` keeps."""
        return ()

    def remember(self, clustering: Any) -> Any:
        """What to keep of the fit of a step that `checkpoints` will name."""
        return None

    def checkpoint(self, problem: Problem, state: State) -> Any:
        """What `remember` keeps of the fit of a step, where that fit is not at hand."""
        return self.remember(self.cluster(problem, state))

    @abstractmethod
    def cluster(self, problem: Problem, state: State) -> Clustering:
        """The fit that a step begins with: the next question is chosen by it."""

    def conclude(self, problem: Problem, state: State) -> Clustering | None:
        """The fit for the result; None (the default) takes the fit that the next step would begin with."""
        return None

    def fit(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Cluster the rows.

        Parameters
        ----------
        X : array or DataFrame
        y : array, optional
            Partial labels, −1 where unknown: equal ones must link, unequal ones cannot.
        must_link, cannot_link : rows of two row numbers, optional
        """
        X = check_fit_rows(self, X)
        n_clusters = None if self.n_clusters is None else check_n_clusters(self.n_clusters, len(X))
        self.check()
        answers = self._constraints(len(X), y, must_link, cannot_link)
        scale = feature_scale(X, standardize=self.standardize)
        seed = int(check_random_state(self.random_state).randint(2**31))
        problem = Problem(X, answers, n_clusters, scale, seed)
        state = State(self.prepare(X, scale, n_clusters))
        return self._store(self._cluster_given(problem, state), problem)

    def predict(self, X: Any) -> np.ndarray:
        """The group of each row, also of rows that were not fitted."""
        check_is_fitted(self)
        return self.clustering_.predict(validate_data(self, X, dtype=np.float64, reset=False))

    def predict_proba(self, X: Any) -> np.ndarray:
        """How likely each row is to belong to each group (n × K)."""
        check_is_fitted(self)
        return self.clustering_.predict_proba(validate_data(self, X, dtype=np.float64, reset=False))

    def transform(self, X: Any) -> np.ndarray:
        """What `predict_proba` says of each row, as features for the next step of a pipeline."""
        return self.predict_proba(X)

    def _constraints(self, n_rows: int, y: Any, must_link: Any, cannot_link: Any) -> Constraints:
        return check_constraints(n_rows, y, must_link, cannot_link)

    def _cluster_given(self, problem: Problem, state: State) -> Clustering:
        """The clustering of `fit`."""
        clustering = self.conclude(problem, state)
        return self.cluster(problem, state) if clustering is None else clustering

    def _store(self, clustering: Any, problem: Problem) -> Self:
        """Set the fitted attributes; subclasses add their own."""
        self.clustering_: Clustering = clustering
        self.labels_ = clustering.labels
        self.metric_ = clustering.metric
        self.feature_weights_ = clustering.metric.feature_weights
        self._n_features_out = clustering.predict_proba(problem.X[:1]).shape[1]
        return self


def check_constraints(n_rows: int, labels: Any, must_link: Any, cannot_link: Any) -> Constraints:
    """The closure of partial labels (−1: unknown) and of pairs of rows."""
    return Constraints.from_pairs(
        n_rows,
        must_link=check_pairs("must_link", must_link, n_rows),
        cannot_link=check_pairs("cannot_link", cannot_link, n_rows),
        labels=None if labels is None else check_labels(labels, n_rows),
    )
