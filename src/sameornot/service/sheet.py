"""The table as a person sees it: records, their fields side by side, pictures; and as the session sees it."""

from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sameornot._pool import POOL, Pool
from sameornot._types import Pair
from sameornot.table import Excerpt, TableEncoder, display

# Cells of the matrix of the rows that questions are about, at most.
POOL_CELLS = 4_000_000
# Columns of a pair that are sent to the page, and characters of a cell.
N_FIELDS = 60
LONGEST_CELL = 20_000


class Sheet:
    """A table, what of it is learned from, and what of it is shown.

    Parameters
    ----------
    table : Excerpt
    id_column, image : str, optional
        Columns that name a record, and that hold the path of its picture, relative to `folder`.
    show : list of str, optional
        The columns that are shown; those that are learned from unless given.
    ignore : list of str
        Columns that are not learned from.
    pool_size : int
        How many rows questions may be about, at most.
    seed : int
        Which rows those are.
    rows : set of int
        Rows that are among them in any case: people have seen them.
    """

    def __init__(
        self,
        table: Excerpt,
        *,
        id_column: str | None = None,
        show: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        image: str | None = None,
        folder: Path | None = None,
        pool_size: int = POOL,
        seed: int = 0,
        rows: Collection[int] = (),
    ) -> None:
        self.table = table.including(rows)
        self.id_column, self.image_column = id_column, image
        self.folder = folder
        keep_out = [column for column in (id_column, image) if column is not None]
        self.encoder = TableEncoder.fit(self.table.frame, ignore=ignore, keep_out=keep_out)
        self.shown = None if show is None else list(show)
        bound = min(pool_size, max(2, POOL_CELLS // max(1, self.encoder.n_features)))
        among = None if len(self.table.rows) == len(table) else self.table.rows
        self._pool = Pool(len(table), bound, seed, rows, among=among)
        self.pool, self.position = self._pool.rows, self._pool.position
        self.X = self.encoder.transform(self.table.take(self.pool))

    def __len__(self) -> int:
        return len(self.table)

    @property
    def wide(self) -> np.ndarray:
        """The rows that groups are carried to as they were found, the pool among them."""
        return self._pool.widened(self.encoder.n_features).rows

    def name(self, row: int) -> str:
        """What a record is called."""
        return self.table.names(np.array([row]), self.id_column)[0]

    @cached_property
    def notices(self) -> list[str]:
        """What a person should know about how her table was read."""
        notices = list(self.encoder.notices)
        if len(self.table.rows) < len(self.table):
            notices.append(
                f"The table is large: what its columns hold was learned from {len(self.table.rows):,} of its "
                "rows, drawn at random."
            )
        if len(self.pool) < len(self.table):
            notices.append(
                f"Questions are about {len(self.pool):,} of the {len(self.table):,} rows, drawn at random; "
                "the download has the group of every row."
            )
        return notices

    def to_pool(self, pair: Pair) -> Pair:
        """Rows of the table, as rows of the pool."""
        return self._pool.to_pool(pair)

    def to_table(self, pair: Pair) -> Pair:
        """Rows of the pool, as rows of the table."""
        return self._pool.to_table(pair)

    def record(self, row: int, *, placed: bool) -> dict[str, Any]:
        """A record's head: what it is called, and where its picture is."""
        image = f"/image/{row}" if self.image(row) is not None else None
        return {"row": row, "id": self.name(row), "image": image, "placed": placed}

    def columns(self, weights: pd.Series) -> list[str]:
        """The columns to show: those that are there for the person alone, then the ones that matter most."""
        used = weights.sort_values(ascending=False, kind="stable").index.tolist()
        if self.shown is None:
            return used
        return sorted(self.shown, key=lambda name: -weights.get(name, np.inf))

    def compare(self, left: int, right: int, weights: pd.Series) -> tuple[list[dict[str, Any]], int]:
        """The fields of two records side by side, and how many columns there are beyond those."""
        columns = self.columns(weights)
        fields = [self._field(name, left, right, weights) for name in columns[:N_FIELDS]]
        return fields, len(columns) - len(fields)

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
    def _spans(self) -> np.ndarray:
        """How far apart nearly all values of each feature lie."""
        low, high = np.quantile(self.X, [0.05, 0.95], axis=0)
        return np.asarray(high - low)

    def _field(self, column: str, left: int, right: int, weights: pd.Series) -> dict[str, Any]:
        a, b = self.cell(left, column), self.cell(right, column)
        fill = self._fills.get(column, "")
        return {
            "column": column,
            "kind": self.kind(column),
            "left": a or fill,
            "right": b or fill,
            "differs": (a or fill) != (b or fill),
            "gap": self._gap(column, left, right),
            "weight": float(weights.get(column, 0.0)),
            "left_filled": not a and bool(fill),
            "right_filled": not b and bool(fill),
        }

    def _gap(self, column: str, left: int, right: int) -> float | None:
        """How far apart two cells are, against nearly all of the column; None where that has no meaning."""
        if column not in self._measured:
            differ = self.cell(left, column) != self.cell(right, column)
            return float(differ) if self.kind(column) in ("category", "yes/no") else None
        feature = self._measured[column]
        one, other = (self.X[self.position[row], feature] for row in (left, right))
        span = self._spans[feature]
        return float(min(1.0, abs(one - other) / span)) if span > 0 else float(one != other)
