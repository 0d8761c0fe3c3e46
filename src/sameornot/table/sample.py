"""A table of any size: a sample of its rows in memory, and all rows block by block.

A small table is held whole. Of a file too large for that, or of a folder of Parquet files, a bounded random
sample is held: enough to learn the encoding of the columns and to ask questions about. The other rows are
only streamed. An engine, if given, reads the files: once to count and hash them, once for the sample.
"""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from sameornot.table.errors import TableError
from sameornot.table.features import FeatureFile
from sameornot.table.file_parts import (
    FilePart,
    combine_fingerprints,
    find_parquet_files,
    read_selected_rows,
    summarise_files,
)
from sameornot.table.formatting import display
from sameornot.table.hashing import fingerprint
from sameornot.table.limits import BLOCK_ROWS, SampleLimits
from sameornot.table.reading import count_rows, is_large, read_blocks, read_table

DEFAULT_LIMITS = SampleLimits()


@dataclass(frozen=True)
class TableSample:
    """Rows of a table; made by `TableSample.of` or `read_sample`.

    Attributes
    ----------
    frame : DataFrame
        The rows in memory.
    rows : array
        Their row numbers in the table, ascending.
    n_rows : int
        Number of rows of the table.
    fingerprint : str
        Hash of the whole table.
    files : tuple of paths
        The files of the table in order; empty if all rows are in memory.
    block_rows : int
        Rows per block of `blocks`.
    features : FeatureFile, optional
        Vectors of all rows, from a file of their own; they are a column of `frame` and of `blocks`.
    whole : DataFrame, optional
        All rows without their vectors, where `frame` holds some rows although no files have to be read.
    """

    frame: pd.DataFrame
    rows: np.ndarray
    n_rows: int
    fingerprint: str
    files: tuple[Path, ...] = ()
    block_rows: int = BLOCK_ROWS
    features: FeatureFile | None = None
    whole: pd.DataFrame | None = None

    @classmethod
    def of(cls, frame: pd.DataFrame, block_rows: int = BLOCK_ROWS) -> Self:
        """A table that is in memory as a whole."""
        rows = np.arange(len(frame))
        return cls(frame, rows, len(frame), fingerprint(frame), block_rows=block_rows)

    def __len__(self) -> int:
        return self.n_rows

    def with_features(
        self,
        features: FeatureFile,
        *,
        title: str,
        id_column: str | None = None,
        limits: SampleLimits = DEFAULT_LIMITS,
    ) -> Self:
        """The same table with vectors beside it; raises if there is not one for each row, in order."""
        features.check(self.n_rows, title)
        if features.column in self.frame.columns:
            raise TableError(
                f"{title} has a column {features.column!r} too: rename {features.path.name} or the column"
            )
        if id_column is not None and id_column in self.frame.columns:
            features.check_order(self.rows, self.frame[id_column])
        rows, frame, whole = self.rows, self.frame, None
        chosen = choose_rows(self.n_rows, features.n_features + frame.shape[1], limits)
        if len(rows) == self.n_rows > len(chosen):  # the table fits into memory, and the vectors do not
            rows, frame, whole = chosen, frame.iloc[chosen].reset_index(drop=True), frame
            frame.attrs = self.frame.attrs
        frame = features.beside(frame, rows)
        both = hashlib.blake2b(f"{self.fingerprint} {features.fingerprint}".encode(), digest_size=16)
        fingerprint = both.hexdigest()
        return replace(self, frame=frame, rows=rows, fingerprint=fingerprint, features=features, whole=whole)

    def at(self, rows: np.ndarray) -> np.ndarray:
        """Positions in `frame` of table rows that are in memory."""
        return np.searchsorted(self.rows, rows)

    def cell(self, row: int, column: str) -> Any:
        """One cell of a row that is in memory."""
        return self.frame[column].iat[int(np.searchsorted(self.rows, row))]

    def take(self, rows: np.ndarray) -> pd.DataFrame:
        """Table rows that are in memory."""
        return self.frame.iloc[self.at(rows)]

    def names(self, rows: np.ndarray, id_column: str | None) -> list[str]:
        """Names of rows that are in memory."""
        return name_records(None if id_column is None else self.frame[id_column].iloc[self.at(rows)], rows)

    def including(self, rows: Collection[int]) -> Self:
        """The sample extended by these rows: an earlier version may have drawn other ones."""
        absent = np.setdiff1d(np.array(sorted(rows), dtype=np.intp), self.rows)
        absent = absent[absent < self.n_rows]
        if len(absent) == 0:
            return self
        added = self._read(absent)
        if self.features is not None:
            added = self.features.beside(added, absent)
        frame = pd.concat([self.frame, added], ignore_index=True)
        known = np.concatenate([self.rows, absent])
        order = np.argsort(known)
        return replace(self, frame=frame.iloc[order].reset_index(drop=True), rows=known[order])

    def _read(self, rows: np.ndarray) -> pd.DataFrame:
        """Some rows that are not held, without their vectors."""
        if self.whole is not None:
            return self.whole.iloc[rows].reset_index(drop=True)
        parts = [FilePart(path, count_rows(path)) for path in self.files]
        return read_selected_rows(parts, rows, None, self.block_rows)

    def blocks(self) -> Iterator[tuple[int, pd.DataFrame]]:
        """Stream all rows of the table: (number of the first row, counted from 0, block)."""
        start = 0
        for block in self._blocks():
            if self.features is not None and self.features.column not in block.columns:
                block = self.features.beside(block, slice(start, start + len(block)))
            yield start, block
            start += len(block)
        if start != self.n_rows:
            raise TableError(
                f"the table has {start:,} rows now and had {self.n_rows:,} when it was opened: open it again"
            )

    def _blocks(self) -> Iterator[pd.DataFrame]:
        step = self.block_rows
        for path in self.files:
            yield from read_blocks(path, step)
        if not self.files:
            frame = self.frame if self.whole is None else self.whole
            yield from (frame.iloc[start : start + step] for start in range(0, self.n_rows, step))


def read_sample(path: Path, engine: str | None = None, limits: SampleLimits = DEFAULT_LIMITS) -> TableSample:
    """Read a file or a folder of Parquet files: whole, or a sample of its rows if it is large.

    The engine (see `engine.py`) reads the files of a folder; a single file is read by this process.
    """
    if not path.is_dir():
        if not is_large(path, limits):
            return TableSample.of(read_table(path), limits.block_rows)
        engine = None
    files = find_parquet_files(path) if path.is_dir() else [path]
    summaries = summarise_files(files, engine)
    n_rows = sum(file.n_rows for file in summaries)
    if n_rows == 0:
        raise TableError(f"{path} has no rows: give it at least two that differ")
    rows = choose_rows(n_rows, max(file.n_columns for file in summaries), limits)
    parts = [FilePart(file, summary.n_rows) for file, summary in zip(files, summaries, strict=True)]
    frame = read_selected_rows(parts, rows, engine, limits.block_rows)
    return TableSample(frame, rows, n_rows, combine_fingerprints(summaries), tuple(files), limits.block_rows)


def choose_rows(n_rows: int, n_columns: int, limits: SampleLimits) -> np.ndarray:
    """The rows to hold: all of a small table, else a random sample that is always the same."""
    size = min(limits.sample_rows, max(limits.min_rows, limits.sample_cells // max(1, n_columns)))
    if n_rows <= size or n_rows * n_columns <= limits.whole_cells:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, size, replace=False))


def name_records(ids: pd.Series | None, rows: np.ndarray) -> list[str]:
    """Name records by their identifiers, or by row number counted from 1 where there is none."""
    if ids is None:
        return [f"row {row + 1}" for row in rows.tolist()]
    names = (display(value) for value in ids)
    return [name or f"row {row + 1}" for row, name in zip(rows.tolist(), names, strict=True)]
