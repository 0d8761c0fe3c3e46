"""Gives the rows of a table their groups, a block at a time, wherever the work is done.

New rows get the model's word. Rows of a session's own table get the session's word where it has one, and the
model's elsewhere; who placed each is said then.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from sameornot.export.model import Model, parse
from sameornot.service.snapshot import Snapshot
from sameornot.table import TableProblem, display, name_records


class Assigned(NamedTuple):
    """What was found for a block of rows; groups are counted from 0, rows from 1."""

    ids: list[str] | None
    rows: np.ndarray
    labels: np.ndarray
    shares: np.ndarray
    placed: np.ndarray | None


@dataclass(frozen=True)
class Known:
    """What a session itself says of some rows, in rising order and counted from 0."""

    rows: np.ndarray
    labels: np.ndarray
    confidence: np.ndarray
    placed: np.ndarray

    @classmethod
    def from_json(cls, state: dict[str, list[Any]]) -> Self:
        """What `to_json` wrote."""
        return cls(*(np.array(state[name]) for name in ("rows", "labels", "confidence", "placed")))

    def to_json(self) -> dict[str, list[Any]]:
        """All of it as plain lists."""
        return {name: getattr(self, name).tolist() for name in ("rows", "labels", "confidence", "placed")}

    def between(self, start: int, end: int) -> slice:
        """Which of them lie in a block of the table."""
        return slice(*np.searchsorted(self.rows, [start, end]).tolist())


@dataclass(frozen=True)
class Assigner:
    """Group m is `numbers[m]`, called `names[m]`; made by `of_model` or `of_session`.

    There is no model where the session has its own word on every row.
    """

    numbers: list[int]
    names: list[str]
    model: Model | None
    id_column: str | None
    known: Known | None

    @classmethod
    def of_model(cls, model: Model, id_column: str | None = None) -> Self:
        """For new rows."""
        return cls(model.numbers, model.names, model, id_column, None)

    @classmethod
    def of_session(cls, snapshot: Snapshot) -> Self:
        """For the session's own table."""
        numbers = [group.number for group in snapshot.groups]
        names = [group.name for group in snapshot.groups]
        word = snapshot.word
        placed = np.isin(word.rows, snapshot.pool[placed_rows(snapshot)])
        known = Known(word.rows, word.labels, word.confidence, placed)
        model = None if len(word.rows) == len(snapshot.table) else Model.from_snapshot(snapshot)
        return cls(numbers, names, model, snapshot.id_column, known)

    @property
    def columns(self) -> list[str]:
        """Of the result."""
        has_id = self.id_column is not None or self.known is not None
        placed_by = [] if self.known is None else ["placed_by"]
        return [*(["id"] if has_id else []), "row", "group", "name", "confidence", *placed_by]

    @cached_property
    def mark(self) -> str:
        """What tells this one from all others, whatever it calls rows by."""
        return self.model.mark if self.known is None and self.model else digest(self.dumps())

    def judge(self, block: pd.DataFrame, first_row: int) -> Assigned:
        """The groups of rows of which the first has that number in the table."""
        rows = np.arange(first_row, first_row + len(block))
        ids = self._ids(block)
        if self.known is None:
            assert self.model is not None
            named = None if ids is None else [display(value) for value in ids]
            return Assigned(named, rows, *self.model.judge(block, first_row=first_row), None)
        own = self.known.between(first_row - 1, first_row - 1 + len(block))
        at = self.known.rows[own] - (first_row - 1)
        labels, shares = np.zeros(len(block), dtype=np.int64), np.ones(len(block))
        if len(at) < len(block) and self.model is not None:
            labels, shares = self.model.judge(block, first_row=first_row)
        labels[at], shares[at] = self.known.labels[own], self.known.confidence[own]
        placed = np.zeros(len(block), dtype=bool)
        placed[at] = self.known.placed[own]
        return Assigned(name_records(ids, rows - 1), rows, labels, shares, placed)

    def _ids(self, block: pd.DataFrame) -> pd.Series | None:
        if self.id_column is None:
            return None
        if self.id_column not in block.columns:
            raise TableProblem(
                f"the table has no column {self.id_column!r} to take as id: choose one of its columns"
            )
        return block[self.id_column]

    def to_frame(self, found: Assigned) -> pd.DataFrame:
        """What was found, as people read it."""
        parts: dict[str, Any] = {
            "id": None if found.ids is None else pd.Series(found.ids, dtype="str"),
            "row": found.rows,
            "group": np.array(self.numbers, dtype=np.int64)[found.labels],
            "name": pd.Series(np.array(self.names, dtype=object)[found.labels], dtype="str"),
            "confidence": found.shares,
        }
        if found.placed is not None:
            parts["placed_by"] = pd.Series(np.where(found.placed, "expert", "model"), dtype="str")
        return pd.DataFrame({name: parts[name] for name in self.columns})

    def dumps(self) -> str:
        """All of it as the text of a JSON file."""
        return json.dumps(
            {
                "numbers": self.numbers,
                "names": self.names,
                "model": None if self.model is None else self.model.to_json(),
                "id_column": self.id_column,
                "known": None if self.known is None else self.known.to_json(),
            }
        )

    @classmethod
    def loads(cls, text: str) -> Self:
        """What `dumps` wrote."""
        state = parse(text, "what assigns the rows")
        model = None if state["model"] is None else Model.from_json(state["model"])
        known = None if state["known"] is None else Known.from_json(state["known"])
        return cls(state["numbers"], state["names"], model, state["id_column"], known)


def placed_rows(snapshot: Snapshot) -> np.ndarray:
    """Places in the pool of the rows that the answers put into a group."""
    return np.concatenate([np.empty(0, dtype=np.intp), *snapshot.result.neighbourhoods])


def digest(text: str) -> str:
    """A short name for a text."""
    return sha256(text.encode()).hexdigest()
