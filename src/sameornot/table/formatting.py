"""One cell as plain text. Whoever puts it on a page or into a file escapes it."""

import math
from datetime import MAXYEAR, MINYEAR, date
from typing import Any

import numpy as np
import pandas as pd

from sameornot.table.vector_cells import display_vector

# The precision of float32: 12.299999 in such a column was written as 12.3.
_DIGITS = 7


def display(value: Any) -> str:
    """Format one cell for people.

    Examples
    --------
    >>> [display(cell) for cell in (12.299999999, 4.0, None, True, "<b>")]
    ['12.3', '4', '', 'yes', '<b>']
    """
    if is_missing(value):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return _format_number(float(value))
    if isinstance(value, date | np.datetime64):
        return _format_timestamp(pd.Timestamp(value))
    return display_vector(value) or as_text(value)


def is_missing(value: Any) -> bool:
    """Whether a cell is empty."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def as_text(value: Any) -> str:
    """A cell as the text that identifies a category: 1 and 1.0 are the same one."""
    if type(value) is str and value.isascii():  # the common case first
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float | np.floating) and math.isfinite(value) and float(value).is_integer():
        value = int(value)
    text = str(value)
    # A Python string can hold a lone surrogate, a file cannot.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _format_number(value: float) -> str:
    if math.isfinite(value) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if 1e-5 <= abs(value) < 1e15:
        digits = max(_DIGITS, len(str(int(abs(value)))))
        return np.format_float_positional(value, precision=digits, fractional=False, trim="-")
    return f"{value:.{_DIGITS}g}"


def _format_timestamp(value: pd.Timestamp) -> str:
    at_midnight = value == value.normalize()
    if not MINYEAR <= value.year <= MAXYEAR:  # pandas holds such dates, but cannot write them
        text = np.datetime_as_string(value.to_datetime64(), unit="s").replace("T", " ")
        return str(text.removesuffix(" 00:00:00") if at_midnight else text)
    return value.strftime("%Y-%m-%d") if at_midnight else value.isoformat(sep=" ", timespec="seconds")
