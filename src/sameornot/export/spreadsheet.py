"""CSV that a spreadsheet does not execute: cells that look like formulas are written as text.

See OWASP, "CSV Injection".
"""

import pandas as pd

# First characters of a formula, also in their full-width East Asian forms, and white space that some
# spreadsheets skip before it.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"


def write_csv(frame: pd.DataFrame, *, header: bool = True) -> str:
    """Write CSV, with a ' before text that a spreadsheet would take for a formula."""
    safe = frame.copy(deep=False)
    for m, kind in enumerate(frame.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            safe.isetitem(m, escape_formulas(frame.iloc[:, m]).array)
    names = pd.Series([str(column) for column in frame.columns], dtype="str")
    safe.columns = pd.Index(escape_formulas(names))
    # With this line end Python also quotes a lone carriage return, which readers would take for a line end.
    return str(safe.to_csv(index=False, header=header, lineterminator="\r\n"))


def escape_formulas(cells: pd.Series) -> pd.Series:
    """Put a ' before cells that look like a formula; numbers, such as -5, are left unchanged."""
    text = cells.astype("str")
    suspect = text.str.startswith(FORMULA, na=False) & ~text.str.fullmatch(NUMBER, na=False)
    return text.where(~suspect, "'" + text)
