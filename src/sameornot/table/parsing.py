"""The cells of one column as distinct texts, numbers, timestamps or booleans.

A cell that cannot be parsed is missing (NaN), never an error: new rows may hold anything. Each distinct text
is parsed once, so a million rows of few categories cost little.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from sameornot.table.formatting import as_text

_YES = {"yes", "y", "true", "t", "ja", "j", "wahr", "oui", "vrai", "si", "sí", "on"}
_NO = {"no", "n", "false", "f", "nein", "falsch", "non", "faux", "off"}
BOOLEAN_WORDS = dict.fromkeys(_YES, 1.0) | dict.fromkeys(_NO, 0.0)

ISO = "ISO8601"
DATE_FORMATS = [
    ISO,
    "%d.%m.%Y",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%d/%m/%Y",  # before the American order: if every day is at most 12, both formats parse all cells
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
class FactorizedColumn:
    """A dictionary-encoded column: cell i holds `texts[codes[i]]`, and code -1 means missing."""

    codes: np.ndarray
    texts: list[str]

    @cached_property
    def counts(self) -> np.ndarray:
        """How often each text occurs."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))

    def broadcast(self, values: np.ndarray, missing: float = np.nan) -> np.ndarray:
        """From one value per distinct text to one value per cell."""
        return np.append(values, missing)[self.codes]


def factorize(column: pd.Series) -> FactorizedColumn:
    """Dictionary-encode a column; texts are stripped, and a blank cell is missing."""
    codes, texts = _distinct_texts(column)
    stripped = [text.strip() for text in texts]
    merged, distinct = pd.factorize(np.array([text or None for text in stripped], dtype=object))
    return FactorizedColumn(np.append(merged, -1)[codes], [str(text) for text in distinct])


def _distinct_texts(column: pd.Series) -> tuple[np.ndarray, list[str]]:
    if column.dtype == object:  # cells of any type, some of which (lists) cannot be hashed
        missing = column.isna().to_numpy()
        cells = [None if empty else as_text(cell) for cell, empty in zip(column, missing, strict=True)]
        codes, distinct = pd.factorize(np.array(cells, dtype=object))
        return codes, list(distinct)
    codes, found = pd.factorize(column)
    return codes, [as_text(text) for text in found.to_numpy(dtype=object)]


def is_number(column: pd.Series) -> bool:
    """Whether the column's dtype is numeric; a timedelta counts as seconds."""
    kind = pd.api.types
    if kind.is_bool_dtype(column.dtype) or kind.is_complex_dtype(column.dtype):
        return False
    return bool(kind.is_numeric_dtype(column.dtype) or kind.is_timedelta64_dtype(column.dtype))


def is_datetime(column: pd.Series) -> bool:
    """Whether the column's dtype is a date or time."""
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
        cells = factorize(column)
        values = cells.broadcast(parse_numbers(cells.texts))
    return np.where(np.isfinite(values), values, np.nan)


def parse_numbers(texts: Iterable[str]) -> np.ndarray:
    """Each text as a number; NaN if it is not one."""
    found = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce")
    return found.to_numpy(dtype=np.float64, na_value=np.nan)


def timestamps(column: pd.Series, date_format: str) -> np.ndarray:
    """Each cell as seconds since 1970, or NaN."""
    if not is_datetime(column):
        cells = factorize(column)
        return cells.broadcast(parse_timestamps(cells.texts, date_format))
    if getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    return _seconds(column.to_numpy(dtype="datetime64[us]"))


def parse_timestamps(texts: list[str], date_format: str) -> np.ndarray:
    """Each text as seconds since 1970; NaN if it is not a date in this format."""
    found = pd.to_datetime(pd.Series(texts, dtype=object), format=date_format, errors="coerce", utc=True)
    return _seconds(found.dt.tz_localize(None).to_numpy(dtype="datetime64[us]"))


def _seconds(values: np.ndarray) -> np.ndarray:
    return np.where(np.isnat(values), np.nan, values.astype(np.int64) / 1e6)


def booleans(column: pd.Series) -> np.ndarray:
    """Each cell as 1 for yes, 0 for no and NaN for anything else."""
    cells = factorize(column)
    return cells.broadcast(
        np.array([BOOLEAN_WORDS.get(text.lower(), np.nan) for text in cells.texts], dtype=np.float64)
    )
