"""A table of any size: some of its rows in memory, and all of them block by block.

A small table is held whole. Of a file too large for that, or of a folder of Parquet files, a bounded number
of rows is drawn: enough to learn what the columns are and to ask about; the rest is only ever streamed past.
The files are read to mark and count them, then to draw from them, by an engine if one is given.
"""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from sameornot.engine import each
from sameornot.table.cell import display
from sameornot.table.contents import fingerprint
from sameornot.table.problem import TableProblem
from sameornot.table.reading import count_rows, is_large, read_blocks, read_rows, read_table

# Rows that are held of a large table, and cells; cells of a table in parts that is held whole; rows a block.
HELD_ROWS = 20_000
HELD_CELLS = 4_000_000
FEWEST_ROWS = 2_000
SMALL_CELLS = 20_000_000
BLOCK = 50_000
PARQUET = (".parquet", ".pq")
_CHUNK = 1 << 24


@dataclass(frozen=True)
class Excerpt:
    """Rows of a table; made by `Excerpt.of` or `read_excerpt`.

    Attributes
    ----------
    frame : DataFrame
        The rows that are held.
    rows : array
        Which rows of the table they are, in rising order.
    n_rows : int
        Of the table.
    mark : str
        Tells the table from others.
    files : tuple of paths
        The parts of the table in order; none for one that is held whole.
    """

    frame: pd.DataFrame
    rows: np.ndarray
    n_rows: int
    mark: str
    files: tuple[Path, ...] = ()

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Self:
        """A table that is in memory."""
        return cls(frame, np.arange(len(frame)), len(frame), fingerprint(frame))

    def __len__(self) -> int:
        return self.n_rows

    def at(self, rows: np.ndarray) -> np.ndarray:
        """Where rows of the table stand in `frame`."""
        return np.searchsorted(self.rows, rows)

    def cell(self, row: int, column: str) -> Any:
        """One cell of a row that is held."""
        return self.frame[column].iat[int(np.searchsorted(self.rows, row))]

    def take(self, rows: np.ndarray) -> pd.DataFrame:
        """Rows of the table that are held."""
        return self.frame.iloc[self.at(rows)]

    def names(self, rows: np.ndarray, id_column: str | None) -> list[str]:
        """What some of the rows that are held are called."""
        return name_records(None if id_column is None else self.frame[id_column].iloc[self.at(rows)], rows)

    def including(self, rows: Collection[int]) -> Self:
        """With these rows among those that are held; an earlier version may have drawn others."""
        absent = np.setdiff1d(np.array(sorted(rows), dtype=np.intp), self.rows)
        absent = absent[absent < self.n_rows]
        if len(absent) == 0:
            return self
        parts = [Part(path, count_rows(path)) for path in self.files]
        frame = pd.concat([self.frame, draw(parts, absent, None)], ignore_index=True)
        held = np.concatenate([self.rows, absent])
        order = np.argsort(held)
        return replace(self, frame=frame.iloc[order].reset_index(drop=True), rows=held[order])

    def blocks(self) -> Iterator[tuple[int, pd.DataFrame]]:
        """All rows of the table: where each block begins, counted from 0, and the block."""
        start = 0
        for block in self._blocks(BLOCK):
            yield start, block
            start += len(block)
        if start != self.n_rows:
            raise TableProblem(
                f"the table has {start:,} rows now and had {self.n_rows:,} when it was opened: open it again"
            )

    def _blocks(self, n_rows: int) -> Iterator[pd.DataFrame]:
        for path in self.files:
            yield from read_blocks(path, n_rows)
        if not self.files:
            yield from (self.frame.iloc[start : start + n_rows] for start in range(0, self.n_rows, n_rows))


class Part(NamedTuple):
    """A file of a table, and how many rows it has."""

    path: Path
    n_rows: int

    def __str__(self) -> str:
        return self.path.name


class Wanted(NamedTuple):
    """Rows of a file, counted from its first."""

    path: Path
    rows: np.ndarray

    def __str__(self) -> str:
        return self.path.name


def read_excerpt(path: Path, engine: str | None = None) -> Excerpt:
    """The table of a file or of a folder of Parquet files: whole, or some of its rows where it is large.

    `engine` is who reads the files of a folder (`engine.py`).
    """
    if not path.is_dir():
        if not is_large(path):
            return Excerpt.of(read_table(path))
        engine = None
    files = find_files(path) if path.is_dir() else [path]
    scanned = dict(each(engine, str, "", scan, files))
    parts = [Part(file, scanned[file][0]) for file in files]
    n_rows = sum(part.n_rows for part in parts)
    if n_rows == 0:
        raise TableProblem(f"{path} has no rows: give it at least two that differ")
    rows = choose_rows(n_rows, max(n_columns for _, n_columns, _ in scanned.values()))
    marks = "\n".join(scanned[file][2] for file in files)
    frame = draw(parts, rows, engine)
    return Excerpt(frame, rows, n_rows, digest(marks.encode()), tuple(files))


def find_files(folder: Path) -> list[Path]:
    """The Parquet files of a folder, by name."""
    files = sorted(path.absolute() for path in folder.iterdir() if path.suffix.lower() in PARQUET)
    if not files:
        raise TableProblem(
            f"{folder.name} is a folder without Parquet files: give the table file that is in it, or write "
            "the table there in parts"
        )
    return files


def scan(_: str, path: Path) -> tuple[int, int, str]:
    """Rows and columns of a file, and the mark of its bytes."""
    sign = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        for chunk in iter(lambda: file.read(_CHUNK), b""):
            sign.update(chunk)
    first = next(iter(read_blocks(path, 1)), None)
    return count_rows(path), 0 if first is None else first.shape[1], sign.hexdigest()


def digest(text: bytes) -> str:
    """32 hexadecimal digits."""
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def choose_rows(n_rows: int, n_columns: int) -> np.ndarray:
    """Which rows are held: all if they are few, else a draw that is the same every time."""
    bound = min(HELD_ROWS, max(FEWEST_ROWS, HELD_CELLS // max(1, n_columns)))
    if n_rows <= bound or n_rows * n_columns <= SMALL_CELLS:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, bound, replace=False))


def draw(parts: Sequence[Part], rows: np.ndarray, engine: str | None) -> pd.DataFrame:
    """Some rows of the table in its parts, rising."""
    bounds = np.cumsum([0, *(part.n_rows for part in parts)])
    cuts = np.searchsorted(rows, bounds)
    wanted = [
        Wanted(part.path, rows[start:end] - first)
        for part, first, start, end in zip(parts, bounds, cuts, cuts[1:], strict=False)
        if end > start
    ]
    found = {one.path: frame for one, frame in each(engine, str, "", pick, wanted)}
    frames = [found[one.path] for one in wanted]
    for one, frame in zip(wanted, frames, strict=True):
        if list(frame.columns) != list(frames[0].columns):
            raise TableProblem(f"{one} has other columns than {wanted[0]}: give all parts the same")
    whole = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
    whole.attrs = frames[0].attrs
    return whole


def pick(_: str, wanted: Wanted) -> pd.DataFrame:
    """Some rows of a file."""
    return read_rows(wanted.path, wanted.rows)


def name_records(ids: pd.Series | None, rows: np.ndarray) -> list[str]:
    """What records are called: by their identifiers, or where they stand in the table, counted from 1."""
    if ids is None:
        return [f"row {row + 1}" for row in rows.tolist()]
    named = (display(value) for value in ids)
    return [name or f"row {row + 1}" for row, name in zip(rows.tolist(), named, strict=True)]
