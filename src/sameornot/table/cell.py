"""One cell as text. It stays plain: whoever shows it on a page or writes it to a file escapes it."""

import math
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

# As many digits as float32 holds: 12.299999 in such a column was written as 12.3.
_DIGITS = 7


def display(value: Any) -> str:
    """Write one cell for people.

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
        return _number(float(value))
    if isinstance(value, date | np.datetime64):
        return _moment(pd.Timestamp(value))
    return as_text(value)


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def as_text(value: Any) -> str:
    """A cell as the text that levels are told apart by: 1 and 1.0 are the same one."""
    if type(value) is str and value.isascii():  # nearly every text there is
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float | np.floating) and math.isfinite(value) and float(value).is_integer():
        value = int(value)
    text = str(value)
    # A lone surrogate can be in a Python string but in no file.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _number(value: float) -> str:
    if math.isfinite(value) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if 1e-5 <= abs(value) < 1e15:
        digits = max(_DIGITS, len(str(int(abs(value)))))
        return np.format_float_positional(value, precision=digits, fractional=False, trim="-")
    return f"{value:.{_DIGITS}g}"


def _moment(value: pd.Timestamp) -> str:
    at_midnight = value == value.normalize()
    return value.strftime("%Y-%m-%d") if at_midnight else value.isoformat(sep=" ", timespec="seconds")
