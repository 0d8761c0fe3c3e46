"""Tables as CSV that a spreadsheet takes for text, whatever the cells hold."""

import pandas as pd

# What a spreadsheet reads as the beginning of a formula, also in the full width of East Asian keyboards, and
# the white space that some of them skip on the way to it.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"


def write_csv(frame: pd.DataFrame, *, header: bool = True) -> str:
    """The table as CSV, with a ' before text that a spreadsheet would take for a formula."""
    safe = frame.copy(deep=False)
    for m, kind in enumerate(frame.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            safe.isetitem(m, as_text(frame.iloc[:, m]).array)
    safe.columns = pd.Index(as_text(pd.Series([str(column) for column in frame.columns], dtype="str")))
    # With this line end Python also quotes a lone carriage return, which would end the line for readers.
    return str(safe.to_csv(index=False, header=header, lineterminator="\r\n"))


def as_text(cells: pd.Series) -> pd.Series:
    """The cells with a ' before what looks like a formula; numbers, such as -5, are let be."""
    text = cells.astype("str")
    suspect = text.str.startswith(FORMULA, na=False) & ~text.str.fullmatch(NUMBER, na=False)
    return text.where(~suspect, "'" + text)
