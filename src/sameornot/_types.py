"""The words that every room shares: a pair, an answer, and one line of the answer log."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np


class Answer(Enum):
    """What the expert says about two records; ``Answer("same")`` reads it back from text."""

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


class Pair(NamedTuple):
    """Two row numbers, in the order in which they are shown."""

    left: int
    right: int


class Recheck(Pair):
    """A pair that is asked about although earlier answers settle it: one of them may be wrong."""


class Reply(NamedTuple):
    """One line of the answer log: what was answered, and during which step of the session.

    `again` marks the answer to a question that was asked once more to be sure: it is a vote beside the
    earlier ones, which it cannot contradict.
    """

    pair: Pair
    answer: Answer
    step: int
    again: bool = False


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
    """What should be near, what should be far, and how much independent evidence stands behind each.

    `background` are random pairs of rows: what would be far if nothing were known.
    """

    similar: WeightedPairs
    different: WeightedPairs
    background: WeightedPairs
    n_similar: int
    n_different: int
