"""Numbers of groups that last: a group that answers have made known keeps its number while it grows.

A group that holds rows of several numbers, because they turned out to be one, keeps the lowest. No two groups
have the same number, and a number is not given twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from scipy.optimize import linear_sum_assignment


@dataclass(frozen=True)
class GroupNumbers:
    """The number of the group that answers put a row in, from 1 on; 0 for rows that are in none.

    `rows` are rows of the table, ascending, and `numbers` theirs.
    """

    rows: np.ndarray
    numbers: np.ndarray

    @classmethod
    def none(cls, rows: np.ndarray) -> "GroupNumbers":
        """No group is known."""
        return cls(rows, np.zeros(len(rows), dtype=np.intp))

    def on(self, rows: np.ndarray) -> "GroupNumbers":
        """The same numbers for more rows."""
        if len(rows) == len(self.rows):
            return self
        numbers = np.zeros(len(rows), dtype=np.intp)
        numbers[np.searchsorted(rows, self.rows)] = self.numbers
        return GroupNumbers(rows, numbers)

    def extended(self, groups: Sequence[np.ndarray]) -> "GroupNumbers":
        """The numbers once answers have made these groups known, each given by its rows."""
        places = [np.searchsorted(self.rows, members) for members in groups]
        lowest = [_lowest(self.numbers[members]) for members in places]
        numbers, next_free = self.numbers.copy(), int(self.numbers.max(initial=0)) + 1
        used: set[int] = set()
        for members, number in sorted(zip(places, lowest, strict=True), key=lambda group: group[0].min()):
            if number == 0 or number in used:
                number, next_free = next_free, next_free + 1
            used.add(number)
            numbers[members] = number
        return GroupNumbers(self.rows, numbers)

    def of_labels(self, groups: Sequence[np.ndarray], n_labels: int) -> list[int]:
        """The number of each label, of which label m is that of `groups[m]`: that of most of its rows."""
        counts = np.zeros((len(groups), int(self.numbers.max(initial=0)) + 1), dtype=np.intp)
        for label, members in enumerate(groups):
            found, times = np.unique(self.numbers[np.searchsorted(self.rows, members)], return_counts=True)
            counts[label, found] = times
        counts[:, 0] = 0
        matched = np.transpose(linear_sum_assignment(counts, maximize=True)).tolist()
        lasting = {label: number for label, number in matched if counts[label, number]}
        free = (number for number in count(1) if number not in lasting.values())
        return [lasting[label] if label in lasting else next(free) for label in range(n_labels)]


def _lowest(numbers: np.ndarray) -> int:
    known = numbers[numbers > 0]
    return int(known.min()) if len(known) else 0
