"""Super-instances: small sets of rows that are taken to be of one kind, so that one question speaks for all.

    distance(A, B) = min ||centre_a − centre_b||  over the super-instances a of group A and b of group B

What COBRA and COBRAS (Van Craenendonck et al. 2017, 2018) share. Questions are about representatives, the row
of a super-instance that is nearest to its centre. The questions are a generator that yields pairs, receives
answers and carries the groups reached so far; `replay` leads it through known answers, which is how a log
becomes groups again. The two methods are in `cobra.py` and `cobras.py`.
"""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from sameornot._deprecated import renamed_property
from sameornot._types import Answer, Pair, Question
from sameornot._validation import check_count, check_fit_rows, check_n_clusters
from sameornot.cluster.base import Assignment, Clusterer, Clustering, Problem, State, step_rngs
from sameornot.cluster.clustering import squared_distances
from sameornot.constraints import Constraints
from sameornot.metric.learn import Metric, feature_scale, identity_metric

SuperInstanceQuestions = Generator[Question, Answer, "Partition"]
AnswerOf = Callable[[Pair], Answer | None]


@dataclass(frozen=True, eq=False)
class SuperInstance:
    """Rows taken together; `is_uniform` when they are all equal, so that nothing could part them."""

    rows: np.ndarray
    center: np.ndarray
    representative: int
    is_uniform: bool


def super_instance(X: np.ndarray, rows: np.ndarray) -> SuperInstance:
    """Take rows together and find the one that stands for them."""
    members = X[rows]
    center = members.mean(axis=0)
    distance = ((members - center) ** 2).sum(axis=1)
    # Two rows are always equally far from their mean: rounding must not decide between them.
    nearest = np.round(distance / max(distance.max(), 1e-300), 6).argmin()
    return SuperInstance(rows, center, int(rows[nearest]), not (members != members[0]).any())


def split(
    X: np.ndarray, whole: SuperInstance, n_parts: int, rng: np.random.Generator, *, n_init: int
) -> list[SuperInstance]:
    """Split a super-instance by K-means; into fewer than `n_parts` where it has fewer distinct rows."""
    members = X[whole.rows] - whole.center
    distinct, part = np.unique(members, axis=0, return_inverse=True)
    if len(distinct) > n_parts:
        kmeans = KMeans(n_parts, n_init=n_init, random_state=int(rng.integers(2**31)))
        with warnings.catch_warnings():
            # rows that differ by rounding alone may leave a centre without rows: one part less
            warnings.simplefilter("ignore", ConvergenceWarning)
            part = kmeans.fit(members / np.abs(members).max()).labels_
    part = part.ravel()
    return [super_instance(X, whole.rows[part == p]) for p in np.unique(part)]


class Partition:
    """Super-instances in groups, and what is known between them.

    `group` numbers the group of each; `apart` marks those known to differ, `unsure` those about which the
    expert is unsure. "Different" passes through "same", "unsure" does not.
    """

    def __init__(self, parts: list[SuperInstance]) -> None:
        n_parts = len(parts)
        self.parts = parts
        self.group = np.arange(n_parts)
        self.apart = np.zeros((n_parts, n_parts), dtype=bool)
        self.unsure = np.zeros((n_parts, n_parts), dtype=bool)
        centers = np.array([part.center for part in parts])
        self._distance = cdist(centers, centers)

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(np.unique(self.group))

    @property
    def answered(self) -> np.ndarray:
        """Whether some "same" or "different" speaks of each super-instance."""
        alone = (self.group[:, None] == self.group).sum(axis=1) == 1
        return ~alone | self.apart.any(axis=1)

    def replace(self, old: int, parts: list[SuperInstance]) -> "Partition":
        """The same with one super-instance split; each part is a group of which nothing is known."""
        kept = np.delete(np.arange(len(self)), old)
        finer = Partition([self.parts[i] for i in kept] + parts)
        finer.group += len(self)  # numbers that no kept group has
        finer.group[: len(kept)] = self.group[kept]
        finer.apart[: len(kept), : len(kept)] = self.apart[np.ix_(kept, kept)]
        finer.unsure[: len(kept), : len(kept)] = self.unsure[np.ix_(kept, kept)]
        return finer

    def closest_open(self) -> tuple[int, int] | None:
        """The closest two super-instances of different groups of which nothing is known."""
        shut = self.apart | self.unsure | (self.group[:, None] == self.group)
        closest = int(np.where(shut, np.inf, self._distance).argmin())
        i, j = divmod(closest, len(self))
        return None if shut[i, j] else (i, j)

    def add(self, i: int, j: int, answer: Answer) -> None:
        """Take in what the expert says of the groups of two super-instances."""
        left, right = self.group == self.group[i], self.group == self.group[j]
        if answer is Answer.SAME:
            both = left | right
            self.group[both] = self.group[i]
            far = self.apart[both].any(axis=0)
            self.apart[np.ix_(both, far)] = self.apart[np.ix_(far, both)] = True
        else:
            known = self.apart if answer is Answer.DIFFERENT else self.unsure
            known[np.ix_(left, right)] = known[np.ix_(right, left)] = True

    def join_nearest(self, n_groups: int) -> None:
        """Join the closest groups that are not known to differ until so many are left."""
        self.unsure[:] = False
        while self.n_groups > n_groups and (closest := self.closest_open()) is not None:
            self.add(*closest, Answer.SAME)


def merge(partition: Partition, reached: Partition) -> Generator[Question, Answer, bool]:
    """Ask about the closest open groups until none are open; returns whether any answer was known.

    Its questions carry the groups that were `reached` before. A single group is given up at the first
    "different", which it would contradict: from there on the questions carry the groups merged so far.
    """
    learned, was_one_group = False, reached.n_groups == 1
    while (closest := partition.closest_open()) is not None:
        i, j = closest
        left, right = partition.parts[i].representative, partition.parts[j].representative
        counts = partition if was_one_group and partition.apart.any() else reached
        answer = yield Question(left, right, reached=counts)
        partition.add(i, j, answer)
        learned |= answer is not Answer.UNSURE
    return learned


def replay(questions: SuperInstanceQuestions, answer_of: AnswerOf) -> Partition:
    """The groups after all known answers: up to the end, or to the first question without an answer."""
    try:
        question = next(questions)
        while (answer := answer_of(question)) is not None:
            question = questions.send(answer)
    except StopIteration as end:
        return end.value
    return question.reached


class SuperInstanceClustering(Clustering):
    """Groups of super-instances; `centers` and `known` live in the space of `metric`.

    `group` is that of each centre. `known` are the representatives of which an answer speaks.
    """

    def __init__(self, X: np.ndarray, partition: Partition, metric: Metric) -> None:
        rows = metric.transform(X)
        labels = np.empty(len(X), dtype=np.intp)
        for part, group in zip(partition.parts, partition.group, strict=True):
            labels[part.rows] = group
        found, first = np.unique(labels, return_index=True)
        number = np.empty(found.max() + 1, dtype=np.intp)  # groups are numbered by their first row
        number[found[np.argsort(first)]] = np.arange(len(found))
        self.labels, self.metric, self.group = number[labels], metric, number[partition.group]
        self.centers = np.array([part.center for part in partition.parts])
        self.representatives = np.array([part.representative for part in partition.parts])
        self.known = rows[self.representatives[partition.answered]]

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The group of the nearest super-instance, by its centre."""
        squares = squared_distances(self.metric.transform(X), self.centers)
        return np.asarray(self.group[squares.argmin(axis=1)])

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """1 for the representatives that were asked about, else a share of 1/d², as in fuzzy c-means.

        d is the distance to the nearest centre of each group.
        """
        rows = self.metric.transform(X)
        squares = squared_distances(rows, self.centers)
        n_groups = int(self.group.max()) + 1
        square = np.column_stack([squares[:, self.group == g].min(axis=1) for g in range(n_groups)])
        nearest = square.min(axis=1, keepdims=True)
        shares = np.divide(nearest, square, out=np.ones_like(square), where=square > 0)
        shares /= shares.sum(axis=1, keepdims=True)
        asked = {row.tobytes() for row in self.known}
        is_known = np.array([row.tobytes() in asked for row in rows])
        shares[is_known] = np.eye(n_groups)[square[is_known].argmin(axis=1)]
        return np.asarray(shares)

    def assign(self, X: np.ndarray, neighbourhoods: list[np.ndarray]) -> Assignment:
        """Groups as they were when they last made a whole."""
        return Assignment(self.labels, self.confidence(X), neighbourhoods)


class KnownAnswers:
    """An expert who knows some pairs and answers up to `budget` questions; what these imply is free."""

    def __init__(self, known: Constraints, budget: int | None) -> None:
        self.known, self.budget = known, budget
        self.answers = Constraints(known.n_points)
        self.questions: list[Pair] = []

    def answer(self, pair: Pair) -> Answer | None:
        """What is known of a pair, UNSURE if nothing is, None when the budget is spent."""
        if (entailed := self.answers.relation(*pair)) is not None:
            return entailed
        if (answer := self.known.relation(*pair)) is None:
            return Answer.UNSURE
        if self.budget is not None and len(self.questions) >= self.budget:
            return None
        self.answers.add(pair, answer)
        self.questions.append(Pair(*pair))
        return answer


class SuperInstanceClusterer(Clusterer):
    """Groups by the answers to its own questions; `fit` asks them of the labels and pairs it is given."""

    produces: ClassVar[type] = SuperInstanceClustering

    budget: int | None
    n_init: int

    grouping_ = renamed_property("grouping_", "clustering_")

    @abstractmethod
    def questions(self, X: np.ndarray, rng: np.random.Generator) -> SuperInstanceQuestions:
        """The questions about rows in their own space, each with the groups reached before it."""

    def questions_of_fit(self, X: np.ndarray, rng: np.random.Generator) -> SuperInstanceQuestions:
        """The questions that `fit` asks."""
        return self.questions(X, rng)

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        check_count("n_init", self.n_init)
        if self.budget is not None:
            check_count("budget", self.budget, at_least=0)
        return self

    def check_strategy(self, strategy: object) -> None:
        """Its own questions are the only ones that it can group by."""
        if not self.asks_like(getattr(strategy, "clusterer", None)):
            raise ValueError(
                f"clusterer={self!r} groups by the answers to its own questions: leave the strategy out, "
                f"instead of strategy={strategy!r}"
            )

    def asks_like(self, other: object) -> bool:
        """Whether another clusterer is of the same kind and has the same parameters."""
        return isinstance(other, type(self)) and other.get_params() == self.get_params()

    def scaled(self, X: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Rows in the space that the questions are chosen in."""
        return identity_metric(scale).transform(X)

    def cluster(self, problem: Problem, state: State) -> SuperInstanceClustering:
        """Go through the questions with the answers that were given, up to the first without one."""

        def answer_of(pair: Pair) -> Answer | None:
            known = problem.answers
            return Answer.UNSURE if known.is_unsure(*pair) else known.relation(*pair)

        rng = step_rngs(problem.seed, 1)[1]
        partition = replay(self.questions(self.scaled(problem.X, problem.scale), rng), answer_of)
        return SuperInstanceClustering(problem.X, partition, identity_metric(problem.scale))

    def conclude(self, problem: Problem, state: State) -> SuperInstanceClustering:
        """The groups that the open question carries, without going through the questions again."""
        if state.reached is None:
            return self.cluster(problem, state)
        return SuperInstanceClustering(problem.X, state.reached, identity_metric(problem.scale))

    def fit(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Group the rows by the questions that `y` and the pairs can answer.

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
        expert = KnownAnswers(self._constraints(len(X), y, must_link, cannot_link), self.budget)
        scale = feature_scale(X, standardize=self.standardize)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        partition = replay(self.questions_of_fit(self.scaled(X, scale), rng), expert.answer)
        if n_clusters is not None:
            partition.join_nearest(n_clusters)
        clustering = SuperInstanceClustering(X, partition, identity_metric(scale))
        self.questions_ = np.array(expert.questions, dtype=np.intp).reshape(-1, 2)
        self.representatives_ = clustering.representatives
        return self._store(clustering, Problem(X, expert.known, n_clusters, scale))
