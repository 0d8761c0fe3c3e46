"""Assign blocks of rows to groups, in this process or on a worker.

New rows are assigned by the model. Rows of a session's own table keep the labels of the session where it has
some, and get those of the model elsewhere; the result says who placed each row.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from sameornot.export.model import Model
from sameornot.export.model_format import parse_json
from sameornot.service.snapshot import Snapshot
from sameornot.table import TableError, display, name_records


class Assignment(NamedTuple):
    """Groups of a block of rows: `rows` count from 1, `labels` from 0; `placed` means by an answer."""

    ids: list[str] | None
    rows: np.ndarray
    labels: np.ndarray
    confidence: np.ndarray
    placed: np.ndarray | None


@dataclass(frozen=True)
class SessionLabels:
    """The session's own labels of some table rows, ascending and counted from 0."""

    rows: np.ndarray
    labels: np.ndarray
    confidence: np.ndarray
    placed: np.ndarray

    @classmethod
    def from_json(cls, state: dict[str, list[Any]]) -> Self:
        """Rebuild what `to_json` wrote."""
        return cls(*(np.array(state[name]) for name in ("rows", "labels", "confidence", "placed")))

    def to_json(self) -> dict[str, list[Any]]:
        """The arrays as plain lists."""
        return {name: getattr(self, name).tolist() for name in ("rows", "labels", "confidence", "placed")}

    def between(self, start: int, end: int) -> slice:
        """The positions of table rows `start` (included) to `end` (excluded)."""
        return slice(*np.searchsorted(self.rows, [start, end]).tolist())


@dataclass(frozen=True)
class Assigner:
    """Label m is group `numbers[m]` with the name `names[m]`; made by `of_model` or `of_session`.

    There is no model if the session has labelled every row itself.
    """

    numbers: list[int]
    names: list[str]
    model: Model | None
    id_column: str | None
    known: SessionLabels | None

    @classmethod
    def of_model(cls, model: Model, id_column: str | None = None) -> Self:
        """An assigner of new rows."""
        return cls(model.numbers, model.names, model, id_column, None)

    @classmethod
    def of_session(cls, snapshot: Snapshot) -> Self:
        """An assigner of the rows of the session's own table."""
        numbers = [group.number for group in snapshot.groups]
        names = [group.name for group in snapshot.groups]
        final = snapshot.final_labels
        placed = np.isin(final.rows, snapshot.placed_rows)
        known = SessionLabels(final.rows, final.labels, final.confidence, placed)
        model = None if len(final.rows) == len(snapshot.table) else Model.from_snapshot(snapshot)
        return cls(numbers, names, model, snapshot.id_column, known)

    @property
    def columns(self) -> list[str]:
        """Column names of the result."""
        has_id = self.id_column is not None or self.known is not None
        placed_by = [] if self.known is None else ["placed_by"]
        return [*(["id"] if has_id else []), "row", "group", "name", "confidence", *placed_by]

    @cached_property
    def fingerprint(self) -> str:
        """Hash of what decides the groups; for new rows the id column is not part of it."""
        return self.model.fingerprint if self.known is None and self.model else digest(self.dumps())

    def predict(self, block: pd.DataFrame, first_row: int) -> Assignment:
        """Assign a block of rows, whose first has number `first_row` in the table."""
        rows = np.arange(first_row, first_row + len(block))
        ids = self._ids(block)
        if self.known is None:
            assert self.model is not None
            names = None if ids is None else [display(value) for value in ids]
            return Assignment(names, rows, *self.model.predict(block, first_row=first_row), None)
        labels, confidence, placed = self._predict_own(block, first_row, self.known)
        return Assignment(name_records(ids, rows - 1), rows, labels, confidence, placed)

    def _predict_own(
        self, block: pd.DataFrame, first_row: int, known: SessionLabels
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        own = known.between(first_row - 1, first_row - 1 + len(block))
        at = known.rows[own] - (first_row - 1)
        labels, confidence = np.zeros(len(block), dtype=np.int64), np.ones(len(block))
        if len(at) < len(block) and self.model is not None:
            labels, confidence = self.model.predict(block, first_row=first_row)
        labels[at], confidence[at] = known.labels[own], known.confidence[own]
        placed = np.zeros(len(block), dtype=bool)
        placed[at] = known.placed[own]
        return labels, confidence, placed

    def _ids(self, block: pd.DataFrame) -> pd.Series | None:
        if self.id_column is None:
            return None
        if self.id_column not in block.columns:
            raise TableError(
                f"the table has no column {self.id_column!r} to take as id: choose one of its columns"
            )
        return block[self.id_column]

    def to_frame(self, assignment: Assignment) -> pd.DataFrame:
        """An assignment as a table for people."""
        ids, rows, labels, confidence, placed = assignment
        parts: dict[str, Any] = {
            "id": None if ids is None else pd.Series(ids, dtype="str"),
            "row": rows,
            "group": np.array(self.numbers, dtype=np.int64)[labels],
            "name": pd.Series(np.array(self.names, dtype=object)[labels], dtype="str"),
            "confidence": confidence,
        }
        if placed is not None:
            parts["placed_by"] = pd.Series(np.where(placed, "expert", "model"), dtype="str")
        return pd.DataFrame({name: parts[name] for name in self.columns})

    def dumps(self) -> str:
        """Serialise to JSON text, for workers."""
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
        """Rebuild what `dumps` wrote."""
        state = parse_json(text, "the assigner")
        model = None if state["model"] is None else Model.from_json(state["model"])
        known = None if state["known"] is None else SessionLabels.from_json(state["known"])
        return cls(state["numbers"], state["names"], model, state["id_column"], known)


def digest(text: str) -> str:
    """Hash a text."""
    return sha256(text.encode()).hexdigest()
