"""CSV that a spreadsheet does not execute: cells that look like formulas are written as text.

See OWASP, "CSV Injection".
"""

import csv
from typing import Literal

import pandas as pd

# First characters of a formula, also in their full-width East Asian forms, and white space that some
# spreadsheets skip before it.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
HIDDEN_FORMULA = r"[;\t|]\s*['\"]?[=+\-@＝＋－＠]"  # behind another separator than the comma
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"


def write_csv(frame: pd.DataFrame, *, header: bool = True) -> str:
    """Write CSV, with a ' before text that a spreadsheet would take for a formula."""
    safe = frame.copy(deep=False)
    for m in _text_columns(frame):
        safe.isetitem(m, escape_formulas(frame.iloc[:, m]).array)
    names = pd.Series([str(column) for column in frame.columns], dtype="str")
    safe.columns = pd.Index(escape_formulas(names))
    # A spreadsheet that splits at ; or tab takes what follows one in an unquoted cell for a cell.
    texts = [names, *(frame.iloc[:, m] for m in _text_columns(frame))]
    has_hidden = any(column.astype("str").str.contains(HIDDEN_FORMULA, na=False).any() for column in texts)
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if has_hidden else csv.QUOTE_MINIMAL
    # With this line end Python also quotes a lone carriage return, which readers would take for a line end.
    return str(safe.to_csv(index=False, header=header, lineterminator="\r\n", quoting=quoting))


def _text_columns(frame: pd.DataFrame) -> list[int]:
    return [m for m, kind in enumerate(frame.dtypes) if not pd.api.types.is_numeric_dtype(kind)]


def escape_formulas(cells: pd.Series) -> pd.Series:
    """Put a ' before cells that look like a formula; numbers, such as -5, are left unchanged."""
    text = cells.astype("str")
    suspect = text.str.startswith(FORMULA, na=False) & ~text.str.fullmatch(NUMBER, na=False)
    return text.where(~suspect, "'" + text)
