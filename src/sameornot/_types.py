"""What every layer shares: answers, pairs, questions, choices, and one line of the answer log."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from sameornot._deprecated import warn_renamed


class Answer(Enum):
    """What the expert says about two records; ``Answer("same")`` reads it back from text.

    Examples
    --------
    >>> from sameornot import Answer
    >>> Answer("same")
    <Answer.SAME: 'same'>
    """

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


class Pair(NamedTuple):
    """Two row numbers, in the order in which they are shown.

    Examples
    --------
    >>> from sameornot import Pair
    >>> left, right = Pair(3, 17)
    >>> right
    17
    """

    left: int
    right: int


class Question(Pair):
    """A pair to ask about, with everything that belongs to it; ``left, right = question`` unpacks it.

    Attributes
    ----------
    is_recheck : bool
        Whether earlier answers settle the pair and it is asked again, because one of them may be wrong.
    proba : dict of int to float
        How likely the left row is to belong to each known group, by one row of that group. Empty where the
        strategy does not choose by probabilities.
    reached : object
        The state that a method with questions of its own (COBRA, COBRAS) has reached; None for others.

    Examples
    --------
    >>> from sameornot import ActiveSession
    >>> question = ActiveSession([[0.0], [0.1], [5.0], [5.1]], n_clusters=2, random_state=0).ask()
    >>> left, right = question
    >>> question.is_recheck
    False
    """

    is_recheck: bool
    proba: dict[int, float]
    reached: Any

    def __new__(
        cls,
        left: int,
        right: int,
        *,
        is_recheck: bool = False,
        proba: dict[int, float] | None = None,
        reached: Any = None,
    ) -> "Question":
        """Make a pair and attach what belongs to it."""
        question = super().__new__(cls, left, right)
        question.is_recheck, question.proba, question.reached = is_recheck, proba or {}, reached
        return question


@dataclass(frozen=True)
class Choice:
    """A row and candidates from different groups: the expert points at the one it belongs with.

    Attributes
    ----------
    row : int
    candidates : tuple of int
        One typical row of each group: first the one that the strategy asks about, then the likeliest others.
        A single one makes it a pair.
    proba : tuple of float
        How likely the row is to belong to the group of each candidate. Empty where the strategy does not
        choose by probabilities.
    is_recheck : bool
        Whether earlier answers settle it and it is asked again, because one of them may be wrong.

    Examples
    --------
    >>> from sameornot import Choice
    >>> choice = Choice(row=7, candidates=(2, 5), proba=(0.8, 0.2))
    >>> choice.pair
    Pair(left=7, right=2)
    """

    row: int
    candidates: tuple[int, ...]
    proba: tuple[float, ...] = ()
    is_recheck: bool = False

    @property
    def pair(self) -> Pair:
        """The row and the first candidate: what is asked where only pairs can be."""
        return Pair(self.row, self.candidates[0])


class Reply(NamedTuple):
    """One line of the answer log: what was answered, and at which step of the session.

    `is_recheck` marks the answer to a question that was asked again on purpose. It counts as a vote beside
    the earlier answers and cannot contradict them. `others` are the other candidates of a `Choice`: the left
    row differs from all of them, or the expert was unsure about all. `annotator` is who answered, where
    several people do.

    Examples
    --------
    >>> from sameornot import ActiveSession
    >>> session = ActiveSession([[0.0], [0.1], [5.0], [5.1]], n_clusters=2, random_state=0)
    >>> session.tell("different", (0, 2))
    >>> reply = session.answers[0]
    >>> reply.pair, reply.answer
    (Pair(left=0, right=2), <Answer.DIFFERENT: 'different'>)
    """

    pair: Pair
    answer: Answer
    step: int
    is_recheck: bool = False
    others: tuple[int, ...] = ()
    annotator: str = ""

    @property
    def facts(self) -> "list[Fact]":
        """Every pair that the line answers, with its answer."""
        row, answer = self.pair.left, self.answer
        beside = Answer.UNSURE if answer is Answer.UNSURE else Answer.DIFFERENT
        return [(self.pair, answer), *((Pair(row, other), beside) for other in self.others)]

    @property
    def rows(self) -> tuple[int, ...]:
        """Every row that the line names."""
        return (*self.pair, *self.others)

    def with_rows(self, number: Callable[[int], int]) -> "Reply":
        """The same line with other numbers for its rows."""
        left, right, *others = map(number, self.rows)
        return self._replace(pair=Pair(left, right), others=tuple(others))

    @property
    def again(self) -> bool:
        """Deprecated name of `is_recheck`."""
        warn_renamed("again", "is_recheck")
        return self.is_recheck


Fact = tuple[Pair, Answer]
"""A question and its answer."""


class Agreement(NamedTuple):
    """An estimated share of rows in the right group, with a 90 % interval.

    Examples
    --------
    >>> from sameornot import Agreement
    >>> Agreement(estimate=0.95, low=0.91, high=0.98).low >= 0.9  # then the page says that you can stop
    True
    """

    estimate: float
    low: float
    high: float


class GroupCount(NamedTuple):
    """An estimated number of groups, with a 90 % interval."""

    estimate: int
    low: int
    high: int


@dataclass(frozen=True)
class WeightedPairs:
    """Pairs of rows, each with the weight that it has in a sum."""

    left: np.ndarray
    right: np.ndarray
    weight: np.ndarray

    def differences(self, X: np.ndarray) -> np.ndarray:
        """x_left − x_right, one row a pair."""
        return X[self.left] - X[self.right]

    def __len__(self) -> int:
        return len(self.weight)


@dataclass(frozen=True)
class TrainingPairs:
    """Similar and different pairs that train a metric, and how many independent answers they come from.

    `background` are random pairs of rows: their distances are what to expect without any answer. `scatter` is
    a further cost of each feature.
    """

    similar: WeightedPairs
    different: WeightedPairs
    background: WeightedPairs
    n_similar: int
    n_different: int
    scatter: np.ndarray | None = None
