"""What is known before the first question: labels of some rows, and pairs that are the same or different.

It is beside the answer log, not in it: forty labels are no forty answers, nobody is asked about them again,
and they say nothing of how often the expert errs. They constrain the groups as answers do.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise, zip_longest
from typing import Any, Self

import numpy as np
import pandas as pd

from sameornot._types import Answer, Fact, Pair
from sameornot._validation import check_pairs
from sameornot.constraints import Constraints

# Rows of known groups that are drawn into the pool of a large table; all of them get their group in the end.
MAX_POOL_ROWS = 1_000
# Differences between groups that a session is given, at most: methods that learn a metric want many.
MAX_DIFFERENT = 5_000


@dataclass(frozen=True)
class Known:
    """Rows that are known to be of one group each, and the pairs of these groups that differ.

    Examples
    --------
    >>> Known.of(6, labels=["a", None, "b", "a", None, None])
    Known(groups=((0, 3), (2,)), apart=((0, 1),))
    """

    groups: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()
    _group_of: Mapping[int, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        group_of = {row: g for g, rows in enumerate(self.groups) for row in rows}
        object.__setattr__(self, "_group_of", group_of)

    @classmethod
    def of(cls, n_rows: int, *, labels: Any = None, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Labels of some rows and pairs; a Contradiction where they cannot all be true."""
        closure = Constraints(n_rows)
        by_label = rows_by_label(labels, n_rows)
        for rows in by_label:
            for pair in pairwise(rows):
                closure.add(pair, Answer.SAME)
        for g, rows in enumerate(by_label):
            for earlier in by_label[:g]:
                closure.add((rows[0], earlier[0]), Answer.DIFFERENT)
        for name, pairs, answer in (
            ("must_link", must_link, Answer.SAME),
            ("cannot_link", cannot_link, Answer.DIFFERENT),
        ):
            for pair in check_pairs(name, pairs, n_rows).tolist():
                closure.add(pair, answer)
        return cls.from_constraints(closure)

    @classmethod
    def from_constraints(cls, closure: Constraints) -> Self:
        """What a closure implies, without the answers that it came from."""
        groups = closure.groups()
        return cls(tuple(tuple(members.tolist()) for members in groups), tuple(closure.apart(groups)))

    def __bool__(self) -> bool:
        return bool(self.groups)

    @property
    def n_rows(self) -> int:
        """How many rows something is known about."""
        return len(self._group_of)

    def pool_rows(self, at_most: int = MAX_POOL_ROWS) -> list[int]:
        """Rows to ask beside: the first of each group, then the second, and so on."""
        in_turn = chain.from_iterable(zip_longest(*self.groups))
        rows = [row for row in in_turn if row is not None]
        return rows[: max(at_most, len(self.groups))]

    def facts(self, position: Mapping[int, int]) -> Iterator[Fact]:
        """Pairs that say all of this about the rows that have a position."""
        groups = [[position[row] for row in rows if row in position] for rows in self.groups]
        for rows in groups:
            for left, right in pairwise(rows):
                yield Pair(left, right), Answer.SAME
        n_each = max(1, MAX_DIFFERENT // max(1, len(self.apart)))
        for g, h in self.apart:
            for left, right in islice(zip(groups[h], groups[g], strict=False), n_each):
                yield Pair(left, right), Answer.DIFFERENT

    def extend(self, labels: Mapping[int, int]) -> dict[int, int]:
        """The label of every row of a group that holds some row with a label."""
        of_group: dict[int, int] = {}
        for row, label in labels.items():
            if row in self._group_of:
                of_group.setdefault(self._group_of[row], label)
        return {row: of_group[g] for row, g in self._group_of.items() if g in of_group}


def rows_by_label(labels: Any, n_rows: int) -> list[list[int]]:
    """The rows of each label in the order of the labels' first rows; −1 and missing labels are not known."""
    if labels is None:
        return []
    values = np.asarray(labels, dtype=object)
    if values.shape != (n_rows,):
        raise ValueError(
            f"labels has shape {values.shape} but X has {n_rows} rows: one label a row is needed"
        )
    found: dict[Any, list[int]] = {}
    for row, label in enumerate(values.tolist()):
        if not (pd.isna(label) or (not isinstance(label, str) and label == -1)):
            found.setdefault(label, []).append(row)
    return list(found.values())


NOTHING = Known()
