"""The groups as a person browses them: how large, how sure, what makes each stand out, who is in it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from sameornot.service.differences import compare
from sameornot.service.sheet import Sheet
from sameornot.service.snapshot import Group, column_shares
from sameornot.service.standing import Standing

# Columns that are looked at for what stands out, how many of those are told, and the values of a member.
N_LOOKED_AT = 20
N_STANDING_OUT = 3
N_VALUES = 6

ORDERS = ("typical", "unsure", "placed")


@dataclass(frozen=True)
class Groups:
    """The groups of a standing; `names` are pairs of a row of the table and what its group was called."""

    sheet: Sheet
    standing: Standing
    names: tuple[tuple[int, str], ...]

    @cached_property
    def known(self) -> list[Group]:
        """One for each label of the result."""
        labels = self.standing.result.labels
        called = {int(labels[self.sheet.position[row]]): name for row, name in self.names}
        return [
            Group(str(number), number, called.get(label, ""), called.get(label, "") or f"Group {number}")
            for label, number in enumerate(self.standing.group_numbers)
        ]

    @cached_property
    def placed(self) -> np.ndarray:
        """Whether the answers place each row of the pool."""
        placed = np.zeros(len(self.sheet.X), dtype=bool)
        for members in self.standing.result.neighbourhoods:
            placed[members] = True
        return placed

    @cached_property
    def weights(self) -> pd.Series:
        """How much each column matters."""
        return column_shares(self.sheet.encoder, self.sheet.X, self.standing.result)

    def of(self, at: int) -> Group:
        """The group of a row of the pool."""
        return self.known[int(self.standing.result.labels[at])]

    def n_placed(self, at: int) -> int:
        """How many rows the answers place in the group of a row of the pool."""
        labels = self.standing.result.labels
        return int((self.placed & (labels == labels[at])).sum())

    def lines(self) -> list[dict[str, Any]]:
        """Each group with what there is to say of it, in the order of their numbers."""
        result = self.standing.result
        lines = []
        for label, group in sorted(enumerate(self.known), key=lambda item: item[1].number):
            inside = result.labels == label
            sure = float(result.confidence[inside].mean()) if inside.any() else 0.0
            lines.append(
                {
                    "key": group.key,
                    "number": group.number,
                    "name": group.name,
                    "label": group.label,
                    "size": int(inside.sum()),
                    "placed": int((inside & self.placed).sum()),
                    "sure": sure,
                    "stands_out": self._stands_out(inside),
                }
            )
        return lines

    def members(self, label: int, order: str) -> np.ndarray:
        """The rows of the pool in a group: typical first, least sure first, or only those that are placed."""
        result = self.standing.result
        inside = np.flatnonzero(result.labels == label)
        if order == "placed":
            return inside[self.placed[inside]]
        if order == "unsure":
            return inside[np.argsort(result.confidence[inside], kind="stable")]
        space = result.metric.transform(self.sheet.X[inside])
        return inside[np.argsort(((space - space.mean(axis=0)) ** 2).sum(axis=1), kind="stable")]

    def member(self, at: int) -> dict[str, Any]:
        """One row of the pool, with the values that matter most."""
        row = int(self.sheet.pool[at])
        columns = self.sheet.columns(self.weights)[:N_VALUES]
        return {
            **self.sheet.record(row, placed=bool(self.placed[at])),
            "confidence": float(self.standing.result.confidence[at]),
            "values": [{"column": name, "value": self.sheet.cell(row, name)} for name in columns],
        }

    def best_known(self, label: int) -> list[int]:
        """The rows of the table that stand for a group: those that the answers place, then typical ones."""
        typical = self.members(label, "typical")
        return [
            int(row) for row in self.sheet.pool[typical[np.argsort(~self.placed[typical], kind="stable")]]
        ]

    def _stands_out(self, inside: np.ndarray) -> list[dict[str, str]]:
        """Columns in which a group is far from the others, of those that matter."""
        if inside.all() or not inside.any():
            return []
        columns = {column.name: column for column in self.sheet.encoder.columns}
        heaviest = self.weights.sort_values(ascending=False, kind="stable").head(N_LOOKED_AT)
        rows = self.sheet.table.take(self.sheet.pool)
        found = [
            compare(rows[name], columns[str(name)], float(weight), inside)
            for name, weight in heaviest.items()
        ]
        found.sort(key=lambda difference: -difference.weight * difference.size)
        return [
            {"column": difference.column, "value": difference.here, "usual": difference.others}
            for difference in found[:N_STANDING_OUT]
            if difference.size > 0
        ]
