"""Cells that hold a vector: a list, a tuple or an array of numbers, or the text of one, as CSV files have it.

A column is one of vectors if nearly all of its cells are, with the same number of numbers. The few others are
then errors, which name the cell: nobody means to give an embedding that is cut short.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sameornot.table.errors import TableError

_MOST = 0.9  # share of the cells that must be vectors of one length
_SHORTEST_TEXT = 8  # numbers: "[0, 1]" in a text cell is rather the name of an interval
_SHOWN = 3

Vector = Sequence[float] | np.ndarray


class VectorError(TableError):
    """A cell is not the vector that it should be; `row` is its position in the rows that were read."""

    def __init__(self, column: str, row: int, what: str, number: int | None = None) -> None:
        self.column, self.row, self.what = column, row, what
        super().__init__(f"column {column!r} holds {what} in row {(row if number is None else number) + 1:,}")

    def at(self, row: int) -> "VectorError":
        """The same error, told with the row number of the table (counted from 0)."""
        return VectorError(self.column, self.row, self.what, row)


def vector_length(column: pd.Series) -> int | None:
    """The number of numbers of a column's vectors; None if it is not a column of vectors."""
    if column.dtype != object and not pd.api.types.is_string_dtype(column.dtype):
        return None
    first = column.first_valid_index()
    if first is None or _parse(column.loc[first]) is None:  # the common case first
        return None
    cells = column.to_numpy(dtype=object)[~column.isna().to_numpy()]
    lengths = np.array([0 if (vector := _parse(cell)) is None else len(vector) for cell in cells])
    commonest = int(np.bincount(lengths).argmax())
    return commonest if commonest > 0 and (lengths == commonest).mean() >= _MOST else None


def read_vectors(column: pd.Series, length: int) -> np.ndarray:
    """The vectors of a column (n × length), NaN for a missing cell; a VectorError names any other cell."""
    known = np.flatnonzero(~column.isna().to_numpy())
    cells = column.to_numpy(dtype=object)[known]
    vectors: list[Vector] = []
    for row, cell in zip(known.tolist(), cells, strict=True):
        vector = _parse(cell)
        if vector is None or len(vector) != length:
            raise VectorError(str(column.name), row, _describe(cell, vector, length))
        vectors.append(vector)
    found = np.empty((0, length))
    if vectors:
        found = np.concatenate(vectors).reshape(len(known), length).astype(np.float64, copy=False)
    finite = np.isfinite(found)
    if not finite.all():
        at, place = np.argwhere(~finite)[0].tolist()
        what = f"{found[at, place]} in place {place + 1} of the vector"
        raise VectorError(str(column.name), int(known[at]), what)
    if len(known) == len(column):
        return found
    result = np.full((len(column), length), np.nan)
    result[known] = found
    return result


def display_vector(value: Any) -> str | None:
    """A cell that holds a vector, for people: its first numbers and how many there are; else None."""
    vector = None if isinstance(value, str) else _parse(value)
    if vector is None:
        return None
    shown = ", ".join(f"{number:.3g}" for number in vector[:_SHOWN])
    return f"{shown}, … ({len(vector):,} numbers)" if len(vector) > _SHOWN else shown


def _parse(cell: Any) -> Vector | None:
    """A cell as a vector; None if it is none."""
    if isinstance(cell, np.ndarray):
        return cell if cell.ndim == 1 and len(cell) and cell.dtype.kind in "biuf" else None
    if isinstance(cell, list | tuple):
        is_vector = len(cell) > 0 and all(isinstance(part, int | float | np.number) for part in cell)
        return cell if is_vector else None
    return _parse_text(cell) if isinstance(cell, str) else None


def _parse_text(text: str) -> np.ndarray | None:
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        vector = np.array([float(part) for part in re.split(r"[,\s]+", text[1:-1].strip())])
    except ValueError:
        return None
    return vector if len(vector) >= _SHORTEST_TEXT else None


def _describe(cell: Any, vector: Vector | None, length: int) -> str:
    if vector is None:
        return f"{str(cell)[:40]!r} where a vector of {length:,} numbers is expected"
    return f"a vector of {len(vector):,} numbers where {length:,} are expected"
