"""Tables in parts: the files of a table, their sizes, and selected rows of them, read by an engine.

Functions and tuples here are sent to the workers of a cluster.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from sameornot.engine import map_unordered
from sameornot.table.errors import TableError
from sameornot.table.limits import BLOCK_ROWS
from sameornot.table.reading import count_rows, read_blocks, read_rows
from sameornot.table.vector_cells import vector_length

PARQUET = (".parquet", ".pq")
_CHUNK = 1 << 24


class FilePart(NamedTuple):
    """A file of a table, and its number of rows."""

    path: Path
    n_rows: int

    def __str__(self) -> str:
        return self.path.name


class RowSelection(NamedTuple):
    """Rows of a file, counted from its first; `block_rows` are read at a time."""

    path: Path
    rows: np.ndarray
    block_rows: int

    def __str__(self) -> str:
        return self.path.name


class FileSummary(NamedTuple):
    """Size of a file, and a hash of its bytes."""

    n_rows: int
    n_columns: int
    fingerprint: str


def find_parquet_files(folder: Path) -> list[Path]:
    """List the Parquet files of a folder by name."""
    files = sorted(path.absolute() for path in folder.iterdir() if path.suffix.lower() in PARQUET)
    if not files:
        raise TableError(
            f"{folder.name} is a folder without Parquet files: give the table file that is in it, or write "
            "the table there in parts"
        )
    return files


def summarise_files(files: Sequence[Path], engine: str | None) -> list[FileSummary]:
    """Count and hash each file."""
    found = dict(map_unordered(engine, str, "", summarise_file, files))
    return [found[path] for path in files]


def summarise_file(_: str, path: Path) -> FileSummary:
    """Count and hash one file."""
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        for chunk in iter(lambda: file.read(_CHUNK), b""):
            digest.update(chunk)
    first = next(iter(read_blocks(path, 1)), None)
    return FileSummary(count_rows(path), 0 if first is None else _count_columns(first), digest.hexdigest())


def _count_columns(frame: pd.DataFrame) -> int:
    """The columns of a table; a column of vectors counts as one for each of their numbers."""
    return sum(vector_length(frame[name]) or 1 for name in frame.columns)


def combine_fingerprints(files: Sequence[FileSummary]) -> str:
    """One hash for a table in parts, in 32 hexadecimal digits."""
    lines = "\n".join(file.fingerprint for file in files)
    return hashlib.blake2b(lines.encode(), digest_size=16).hexdigest()


def read_selected_rows(
    parts: Sequence[FilePart], rows: np.ndarray, engine: str | None, block_rows: int = BLOCK_ROWS
) -> pd.DataFrame:
    """Read rows of a table in parts; `rows` are ascending and counted across all parts."""
    bounds = np.cumsum([0, *(part.n_rows for part in parts)])
    cuts = np.searchsorted(rows, bounds)
    selections = [
        RowSelection(part.path, rows[start:end] - first, block_rows)
        for part, first, start, end in zip(parts, bounds, cuts, cuts[1:], strict=False)
        if end > start
    ]
    found = {each.path: frame for each, frame in map_unordered(engine, str, "", read_selection, selections)}
    frames = [found[selection.path] for selection in selections]
    for selection, frame in zip(selections, frames, strict=True):
        if list(frame.columns) != list(frames[0].columns):
            raise TableError(f"{selection} has other columns than {selections[0]}: give all parts the same")
    whole = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
    whole.attrs = frames[0].attrs
    return whole


def read_selection(_: str, selection: RowSelection) -> pd.DataFrame:
    """Read the selected rows of one file."""
    return read_rows(selection.path, selection.rows, selection.block_rows)
