"""What the cells of one column say: as distinct texts, as numbers, as moments, as yes or no.

A cell that cannot be read in the way asked for is missing (NaN), never an error: new rows may hold anything.
Texts are looked at once for each distinct one, so a million rows of few levels cost little.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from sameornot.table.cell import as_text

_YES = {"yes", "y", "true", "t", "ja", "j", "wahr", "oui", "vrai", "si", "sí", "on"}
_NO = {"no", "n", "false", "f", "nein", "falsch", "non", "faux", "off"}
WORDS = dict.fromkeys(_YES, 1.0) | dict.fromkeys(_NO, 0.0)

ISO = "ISO8601"
DATE_FORMATS = [
    ISO,
    "%d.%m.%Y",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%d/%m/%Y",  # before the American order: where every day is at most 12 both read all cells
    "%d/%m/%Y %H:%M",
    "%m/%d/%Y",
    "%m/%d/%Y %H:%M",
    "%Y/%m/%d",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
]


@dataclass(frozen=True)
class Cells:
    """One column as its distinct texts: cell i holds `texts[codes[i]]`, or nothing where the code is -1."""

    codes: np.ndarray
    texts: list[str]

    @cached_property
    def counts(self) -> np.ndarray:
        """How often each text occurs."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))

    def spread(self, values: np.ndarray, missing: float = np.nan) -> np.ndarray:
        """One value a text → one a cell."""
        return np.append(values, missing)[self.codes]


def read_cells(column: pd.Series) -> Cells:
    """The distinct texts of a column, without the spaces around them; a blank cell is missing."""
    codes, texts = _distinct(column)
    stripped = [text.strip() for text in texts]
    again, distinct = pd.factorize(np.array([text or None for text in stripped], dtype=object))
    return Cells(np.append(again, -1)[codes], [str(text) for text in distinct])


def _distinct(column: pd.Series) -> tuple[np.ndarray, list[str]]:
    if column.dtype == object:  # cells of any type, such as lists, which cannot be told apart by hashing
        empty = column.isna().to_numpy()
        cells = [None if gone else as_text(cell) for cell, gone in zip(column, empty, strict=True)]
        codes, distinct = pd.factorize(np.array(cells, dtype=object))
        return codes, list(distinct)
    codes, found = pd.factorize(column)
    return codes, [as_text(text) for text in found.to_numpy(dtype=object)]


def is_number(column: pd.Series) -> bool:
    """Whether the column's own type says number (a length of time is one, in seconds)."""
    kind = pd.api.types
    if kind.is_bool_dtype(column.dtype) or kind.is_complex_dtype(column.dtype):
        return False
    return bool(kind.is_numeric_dtype(column.dtype) or kind.is_timedelta64_dtype(column.dtype))


def is_moment(column: pd.Series) -> bool:
    """Whether the column's own type says date."""
    return bool(pd.api.types.is_datetime64_any_dtype(column.dtype))


def numbers(column: pd.Series) -> np.ndarray:
    """Each cell as a finite number, or NaN."""
    if is_number(column):
        if pd.api.types.is_timedelta64_dtype(column.dtype):
            column = column.dt.total_seconds()
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    elif column.dtype != object and pd.api.types.is_string_dtype(column.dtype):
        values = parse_numbers(column.astype(object))
    else:
        cells = read_cells(column)
        values = cells.spread(parse_numbers(cells.texts))
    return np.where(np.isfinite(values), values, np.nan)


def parse_numbers(texts: Iterable[str]) -> np.ndarray:
    """Each text as a number, NaN where it is none."""
    found = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce")
    return found.to_numpy(dtype=np.float64, na_value=np.nan)


def moments(column: pd.Series, date_format: str) -> np.ndarray:
    """Each cell as seconds since 1970, or NaN."""
    if not is_moment(column):
        cells = read_cells(column)
        return cells.spread(parse_moments(cells.texts, date_format))
    if getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    return _seconds(column.to_numpy(dtype="datetime64[us]"))


def parse_moments(texts: list[str], date_format: str) -> np.ndarray:
    """Each text as seconds since 1970, NaN where it is no date of this format."""
    found = pd.to_datetime(pd.Series(texts, dtype=object), format=date_format, errors="coerce", utc=True)
    return _seconds(found.dt.tz_localize(None).to_numpy(dtype="datetime64[us]"))


def _seconds(values: np.ndarray) -> np.ndarray:
    return np.where(np.isnat(values), np.nan, values.astype(np.int64) / 1e6)


def truths(column: pd.Series) -> np.ndarray:
    """Each cell as 1 for yes and 0 for no, NaN for anything else."""
    cells = read_cells(column)
    return cells.spread(np.array([WORDS.get(text.lower(), np.nan) for text in cells.texts], dtype=np.float64))
