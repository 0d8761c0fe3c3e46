"""The table of a session: encoded rows for the session, records with their fields and pictures for people."""

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from sameornot.embedding import EmbeddingModels
from sameornot.service.distances import Scale, VectorDistances
from sameornot.service.options import Options
from sameornot.service.pictures import RecordPictures
from sameornot.table import Column, TableEncoder, TableSample, display
from sameornot.table.kinds import Kind, find_kind
from sameornot.table.vector_cells import VectorError

# Cells of the matrix of the rows that questions are about, at most.
POOL_CELLS = 4_000_000
# Rows by which distances between vectors are judged.
N_DISTANCES = 500
# Columns of a pair that are sent to the page, and characters of a cell.
N_FIELDS = 60
LONGEST_CELL = 20_000


class TableView:
    """A table with the options of a session: the session's row source, and what people see of it.

    Parameters
    ----------
    table : TableSample
    options : Options
        Which columns name a record, name its pictures, are shown, and are not learned from.
    models : EmbeddingModels, optional
        How texts and pictures become vectors, and the folder of the pictures.
    rows : set of int
        Rows that are in memory in any case: people have seen them.
    """

    def __init__(
        self,
        table: TableSample,
        options: Options,
        *,
        models: EmbeddingModels | None = None,
        rows: Collection[int] = (),
    ) -> None:
        self.table = table.including(rows)
        self.models = models or EmbeddingModels()
        self.id_column, self.features = options.id, options.features
        self.pictures = RecordPictures(self.table, options.images, self.models.pictures)
        self.encoder = self._fit_encoder(options)
        self.columns_shown = None if options.show is None else list(options.show)
        if self.features is not None and options.show is None:
            self.columns_shown = self._readable
        self.available = None if len(self.table.rows) == len(table) else self.table.rows
        bound = max(2, POOL_CELLS // max(1, self.encoder.n_features))
        self.pool_size = bound if options.pool is None else min(options.pool, bound)
        self._taken: tuple[np.ndarray, np.ndarray] | None = None

    def _fit_encoder(self, options: Options) -> TableEncoder:
        """Learn from all columns that are not there for another purpose; from the features alone if given."""
        frame, images = self.table.frame, options.images
        keep_out = [] if options.id is None else [options.id]
        ignore = options.ignore or ()
        if options.features is not None:
            keep_out, ignore, images = [name for name in frame.columns if name != options.features], (), ()
        try:
            return TableEncoder.fit(
                frame, ignore=ignore, keep_out=keep_out, images=images, models=self.models
            )
        except VectorError as error:
            raise error.at(int(self.table.rows[error.row])) from None

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

    @property
    def text_model(self) -> str | None:
        """What embeds the texts; None if there are none, or if they are compared by words."""
        return self.encoder.embedded_by("text")

    def name(self, row: int) -> str:
        """What a record is called."""
        return self.table.names(np.array([row]), self.id_column)[0]

    def notices(self, n_pool: int) -> list[str]:
        """What a person should know about how the table was read; questions are about `n_pool` rows."""
        notices = list(self.encoder.notices)
        if self.features is not None:
            notices.append(
                f"The model learns from the vectors of {self.features}; other columns are only shown."
            )
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
        """A record's head: what it is called, and the keys of its pictures."""
        images = [f"{row}-{number}" for number in range(len(self.pictures.of(row)))]
        return {"row": row, "id": self.name(row), "images": images, "placed": placed}

    def columns(self, weights: pd.Series) -> list[str]:
        """The columns to show: those that are there for people alone, then the ones that matter most."""
        used = weights.sort_values(ascending=False, kind="stable").index.tolist()
        if self.columns_shown is None:
            # The numbers of a vector say nothing to a person, and pictures are shown as such.
            readable = [name for name in used if self.kind(name) != "image"]
            return sorted(readable, key=lambda name: self.kind(name) == "vector")
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
        """What a column holds; "text" for a column of no use to the model that is only shown."""
        known = self._kinds.get(column) or self.described.get(column)
        return "text" if known is None else known.kind

    @cached_property
    def described(self) -> dict[str, Column]:
        """The columns by which groups are described: those of the model, or those beside its features."""
        if self.features is None:
            hidden = ("vector", "image")
            return {name: column for name, column in self._kinds.items() if column.kind not in hidden}
        frame = self.table.frame
        kinds = {name: find_kind(name, frame[name]) for name in self._readable}
        return {
            name: Column(name, kind.name, 0, 0, "")
            for name, kind in kinds.items()
            if isinstance(kind, Kind) and kind.name != "vector"
        }

    def described_weights(self, weights: pd.Series) -> pd.Series:
        """How much each of these columns matters, largest first; the same if the model uses none of them."""
        if self.features is not None:
            return pd.Series(1.0, index=list(self.described), name="weight")
        kept = weights[[name in self.described for name in weights.index]]
        return kept.sort_values(ascending=False, kind="stable")

    @cached_property
    def _readable(self) -> list[str]:
        """The columns that people read, but for the name and the pictures of a record."""
        others = {self.id_column, self.features, *self.pictures.columns}
        return [name for name in self.table.frame.columns if name not in others]

    @cached_property
    def _available(self) -> frozenset[int]:
        return frozenset(self.table.rows.tolist())

    @cached_property
    def _kinds(self) -> dict[str, Column]:
        return {column.name: column for column in self.encoder.columns}

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
    def _scales(self) -> dict[str, Scale]:
        """The scale of each column of numbers that is only shown."""
        frame, known = self.table.frame, self.described if self.features is not None else {}
        return {name: Scale.of(frame[name]) for name, column in known.items() if column.kind == "number"}

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
        if column in self._scales:
            return self._scales[column].gap(*cells)
        if column not in self._measured:
            return float(cells[0] != cells[1]) if self.kind(column) in ("category", "yes/no") else None
        feature = self._measured[column]
        one, other = encoded[:, feature]
        span = self._spans[feature]
        return float(min(1.0, abs(one - other) / span)) if span > 0 else float(one != other)
