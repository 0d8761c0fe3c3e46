"""What base learners are trained on: the rows of each group, and the groups each row cannot belong to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np


@dataclass(frozen=True)
class TrainingSet:
    """The training rows of each group (L), and which groups are excluded for each row (n × L)."""

    groups: Sequence[np.ndarray]
    excluded: np.ndarray

    @classmethod
    def without_exclusions(cls, groups: Sequence[np.ndarray], n_rows: int) -> Self:
        """Training rows alone."""
        return cls(groups, np.zeros((n_rows, len(groups)), dtype=bool))


def all_rows(groups: Sequence[np.ndarray]) -> np.ndarray:
    """The rows of all groups."""
    return np.concatenate([np.empty(0, dtype=np.intp), *groups])


def group_of_rows(groups: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """The group of each row, −1 for rows in none."""
    found = np.full(n_rows, -1)
    for m, members in enumerate(groups):
        found[members] = m
    return found
