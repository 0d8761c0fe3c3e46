"""The table of a session: encoded rows for the session, records with their fields and pictures for people."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sameornot.service.options import Options
from sameornot.table import TableEncoder, TableSample, display

# Cells of the matrix of the rows that questions are about, at most.
POOL_CELLS = 4_000_000
# Rows by which distances between vectors are judged.
N_DISTANCES = 500
# Columns of a pair that are sent to the page, and characters of a cell.
N_FIELDS = 60
LONGEST_CELL = 20_000


@dataclass(frozen=True)
class VectorDistances:
    """The distances between some rows in one block of features, rising."""

    features: np.ndarray
    distances: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray, features: np.ndarray) -> "VectorDistances":
        """The distances of each row to the one after it."""
        block = rows[:, features]
        return cls(features, np.sort(np.linalg.norm(block - np.roll(block, 1, axis=0), axis=1)))

    def share_nearer(self, pair: np.ndarray) -> float:
        """How many of the other pairs are nearer than this one, from 0 to 1."""
        distance = float(np.linalg.norm(pair[0, self.features] - pair[1, self.features]))
        return float(np.searchsorted(self.distances, distance) / len(self.distances))


class TableView:
    """A table with the options of a session: the session's row source, and what people see of it.

    Parameters
    ----------
    table : TableSample
    options : Options
        Which columns name a record, hold its picture, are shown, and are not learned from.
    folder : Path, optional
        Where pictures lie.
    rows : set of int
        Rows that are in memory in any case: people have seen them.
    """

    def __init__(
        self, table: TableSample, options: Options, *, folder: Path | None = None, rows: Collection[int] = ()
    ) -> None:
        self.table = table.including(rows)
        self.id_column, self.image_column, self.folder = options.id, options.image, folder
        keep_out = [column for column in (options.id, options.image) if column is not None]
        self.encoder = TableEncoder.fit(self.table.frame, ignore=options.ignore or (), keep_out=keep_out)
        self.columns_shown = None if options.show is None else list(options.show)
        self.available = None if len(self.table.rows) == len(table) else self.table.rows
        bound = max(2, POOL_CELLS // max(1, self.encoder.n_features))
        self.pool_size = bound if options.pool is None else min(options.pool, bound)
        self._taken: tuple[np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self.table)

    def __contains__(self, row: object) -> bool:
        """Whether a row of the table is in memory."""
        if self.available is None:
            return isinstance(row, int) and 0 <= row < len(self)
        return row in self._available

    @property
    def n_available(self) -> int:
        """Rows in memory."""
        return len(self.table.rows)

    @property
    def feature_names(self) -> list[str]:
        """The name of each encoded feature."""
        return self.encoder.feature_names

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Encoded rows; those that were taken last, or some of them, are not encoded again."""
        if self._taken is not None:
            taken, X = self._taken
            if np.array_equal(taken, rows):
                return X
            at = np.minimum(np.searchsorted(taken, rows), len(taken) - 1)
            if (taken[at] == rows).all():
                return X[at]
        X = self.encoder.transform(self.table.take(rows))
        if len(rows) > 2 and X.size <= POOL_CELLS:
            self._taken = rows, X
        return X

    def name(self, row: int) -> str:
        """What a record is called."""
        return self.table.names(np.array([row]), self.id_column)[0]

    def notices(self, n_pool: int) -> list[str]:
        """What a person should know about how the table was read; questions are about `n_pool` rows."""
        notices = list(self.encoder.notices)
        if len(self.table.rows) < len(self.table):
            notices.append(
                f"The table is large: what its columns hold was learned from {len(self.table.rows):,} of its "
                "rows, drawn at random."
            )
        if n_pool < len(self.table):
            notices.append(
                f"Questions are about {n_pool:,} of the {len(self.table):,} rows, drawn at random; "
                "the download has the group of every row."
            )
        return notices

    def record(self, row: int, *, placed: bool) -> dict[str, Any]:
        """A record's head: what it is called, and where its picture is."""
        image = f"image/{row}" if self.image(row) is not None else None
        return {"row": row, "id": self.name(row), "image": image, "placed": placed}

    def columns(self, weights: pd.Series) -> list[str]:
        """The columns to show: those that are there for people alone, then the ones that matter most."""
        used = weights.sort_values(ascending=False, kind="stable").index.tolist()
        if self.columns_shown is None:
            # The numbers of a vector say nothing to a person.
            return sorted(used, key=lambda name: self.kind(name) == "vector")
        return sorted(self.columns_shown, key=lambda name: -weights.get(name, np.inf))

    def fields(self, row: int, weights: pd.Series) -> list[dict[str, Any]]:
        """All fields of one record."""
        return [
            {
                "column": name,
                "kind": self.kind(name),
                "value": self.cell(row, name),
                "weight": float(weights.get(name, 0.0)),
            }
            for name in self.columns(weights)
        ]

    def compare(self, left: int, right: int, weights: pd.Series) -> tuple[list[dict[str, Any]], int]:
        """The fields of two records side by side, and how many columns there are beyond those."""
        columns = self.columns(weights)
        encoded = self.take(np.array([left, right]))
        fields = [self._field(name, (left, right), encoded, weights) for name in columns[:N_FIELDS]]
        return fields, len(columns) - len(fields)

    def cell(self, row: int, column: str) -> str:
        """A cell as text, as much of it as a page can show."""
        text = display(self.table.cell(row, column))
        return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"

    def kind(self, column: str) -> str:
        """What a column holds, as the encoder has read it; "text" for a column that is only shown."""
        return self._kinds.get(column, "text")

    def image(self, row: int) -> Path | None:
        """The picture of a record, if its file is there and lies under the table's folder."""
        if self.image_column is None or self.folder is None:
            return None
        named = display(self.table.cell(row, self.image_column))
        if not named:
            return None
        try:
            path = (self.folder / named).resolve()
            inside = path.is_relative_to(self.folder.resolve()) and path.is_file()
        except (OSError, ValueError, RuntimeError):  # a name that no file can have, or links in a circle
            return None
        return path if inside else None

    @cached_property
    def _available(self) -> frozenset[int]:
        return frozenset(self.table.rows.tolist())

    @cached_property
    def _kinds(self) -> dict[str, str]:
        return {column.name: column.kind for column in self.encoder.columns}

    @cached_property
    def _fills(self) -> dict[str, str]:
        return {column.name: column.fill for column in self.encoder.columns}

    @cached_property
    def _measured(self) -> dict[str, int]:
        """The feature of each column that is measured on one scale."""
        first = np.searchsorted(self.encoder.owner, np.arange(len(self.encoder.columns)))
        pairs = zip(self.encoder.columns, first.tolist(), strict=True)
        return {column.name: at for column, at in pairs if column.kind in ("number", "date")}

    @cached_property
    def _vectors(self) -> dict[str, VectorDistances]:
        """How far apart vectors are in each column of them."""
        some = self.table.rows[:: max(1, self.n_available // N_DISTANCES)]
        encoded = self.encoder.transform(self.table.take(some))
        parts = {
            column.name: np.flatnonzero(self.encoder.owner == at)
            for at, column in enumerate(self.encoder.columns)
            if column.kind == "vector"
        }
        return {name: VectorDistances.of(encoded, features) for name, features in parts.items()}

    @cached_property
    def _spans(self) -> np.ndarray:
        """How far apart nearly all values of each feature lie."""
        some = self.table.rows[:: max(1, self.n_available // self.pool_size)]
        encoded = self.encoder.transform(self.table.take(some))
        low, high = np.quantile(encoded, [0.05, 0.95], axis=0)
        return np.asarray(high - low)

    def _field(
        self, column: str, pair: Sequence[int], encoded: np.ndarray, weights: pd.Series
    ) -> dict[str, Any]:
        a, b = (self.cell(row, column) for row in pair)
        fill = self._fills.get(column, "")
        return {
            "column": column,
            "kind": self.kind(column),
            "left": a or fill,
            "right": b or fill,
            "differs": (a or fill) != (b or fill),
            "gap": self._gap(column, (a, b), encoded),
            "weight": float(weights.get(column, 0.0)),
            "left_filled": not a and bool(fill),
            "right_filled": not b and bool(fill),
        }

    def _gap(self, column: str, cells: tuple[str, str], encoded: np.ndarray) -> float | None:
        """How far apart two cells are, against nearly all of the column; None where that has no meaning."""
        if self.kind(column) == "vector":
            return self._vectors[column].share_nearer(encoded)
        if column not in self._measured:
            return float(cells[0] != cells[1]) if self.kind(column) in ("category", "yes/no") else None
        feature = self._measured[column]
        one, other = encoded[:, feature]
        span = self._spans[feature]
        return float(min(1.0, abs(one - other) / span)) if span > 0 else float(one != other)
