"""The groups as people browse them: how large, how certain, what makes each stand out, who is in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from sameornot.service.differences import compare
from sameornot.service.learned_space import column_shares
from sameornot.service.session_state import SessionState
from sameornot.service.snapshot import Group
from sameornot.service.table_view import TableView

# Columns that are compared to find what stands out, how many of them are shown, and the values of a member.
N_COMPARED = 20
N_STANDING_OUT = 3
N_VALUES = 6

ORDERS = ("typical", "unsure", "placed")


@dataclass(frozen=True)
class Groups:
    """The groups of a state; `names` are pairs of a row of the table and what its group was called."""

    table_view: TableView
    state: SessionState
    names: tuple[tuple[int, str], ...]

    @cached_property
    def known(self) -> list[Group]:
        """One for each label of the result."""
        labels, index = self.state.result.labels, self.state.index
        called = {int(labels[index(row)]): name for row, name in self.names if self.state.has_row(row)}
        return [
            Group(str(number), number, called.get(label, ""), called.get(label, "") or f"Group {number}")
            for label, number in enumerate(self.state.group_numbers)
        ]

    @cached_property
    def weights(self) -> pd.Series:
        """How much each column matters."""
        return column_shares(self.table_view.encoder, self.state.session.features, self.state.result)

    def of(self, row: int) -> Group:
        """The group of a row."""
        return self.known[self.label_of(row)]

    def label_of(self, row: int) -> int:
        """The label of a row."""
        return int(self.state.result.labels[self.state.index(row)])

    def confidence_of(self, row: int) -> float:
        """How certain it is that a row is in its group."""
        return float(self.state.result.confidence[self.state.index(row)])

    def is_placed(self, row: int) -> bool:
        """Whether the answers place a row."""
        return bool(self.state.is_placed[self.state.index(row)])

    def n_placed(self, row: int) -> int:
        """How many rows the answers place in the group of a row."""
        return int((self.state.is_placed & (self.state.result.labels == self.label_of(row))).sum())

    def lines(self) -> list[dict[str, Any]]:
        """Each group with what there is to say about it, in the order of their numbers."""
        by_number = sorted(enumerate(self.known), key=lambda item: item[1].number)
        rows = self.table_view.table.take(self.state.rows)
        return [self._line(label, group, rows) for label, group in by_number]

    def members(self, label: int, order: str) -> np.ndarray:
        """The rows in a group: typical first, least certain first, or only those that answers placed."""
        result = self.state.result
        inside = np.flatnonzero(result.labels == label)
        if order == "placed":
            inside = inside[self.state.is_placed[inside]]
        elif order == "unsure":
            inside = inside[np.argsort(result.confidence[inside], kind="stable")]
        else:
            space = result.metric.transform(self.state.session.features[inside])
            inside = inside[np.argsort(((space - space.mean(axis=0)) ** 2).sum(axis=1), kind="stable")]
        return self.state.rows[inside]

    def member(self, row: int) -> dict[str, Any]:
        """One row, with the values that matter most."""
        columns = self.table_view.columns(self.weights)[:N_VALUES]
        return {
            **self.table_view.record(row, placed=self.is_placed(row)),
            "confidence": self.confidence_of(row),
            "values": [{"column": name, "value": self.table_view.cell(row, name)} for name in columns],
        }

    def representatives(self, label: int) -> list[int]:
        """The rows that stand for a group: those that answers placed, then typical ones."""
        typical = self.members(label, "typical")
        placed = self.state.is_placed[np.searchsorted(self.state.rows, typical)]
        return typical[np.argsort(~placed, kind="stable")].tolist()

    def _line(self, label: int, group: Group, rows: pd.DataFrame) -> dict[str, Any]:
        inside = self.state.result.labels == label
        return {
            "key": group.key,
            "number": group.number,
            "name": group.name,
            "label": group.label,
            "size": int(inside.sum()),
            "placed": int((inside & self.state.is_placed).sum()),
            "sure": float(self.state.result.confidence[inside].mean()) if inside.any() else 0.0,
            "stands_out": self._stands_out(inside, rows),
        }

    def _stands_out(self, inside: np.ndarray, rows: pd.DataFrame) -> Sequence[dict[str, str]]:
        """Columns in which a group is far from the others, of those that matter."""
        if inside.all() or not inside.any():
            return []
        weights = self.table_view.described_weights(self.weights).head(N_COMPARED)
        columns = self.table_view.described
        found = [
            compare(rows[name], columns[str(name)], float(weight), inside) for name, weight in weights.items()
        ]
        found.sort(key=lambda difference: -difference.weight * difference.size)
        return [
            {"column": difference.column, "value": difference.here, "usual": difference.others}
            for difference in found[:N_STANDING_OUT]
            if difference.size > 0
        ]
