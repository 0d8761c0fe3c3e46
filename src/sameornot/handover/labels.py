"""The group of every row, and every answer, as tables; and tables as CSV that a spreadsheet takes for text.

Here alone rows are counted from 1, as people count them: a record without an identifier is called "row 1".
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from sameornot.desk.snapshot import Answered, Snapshot
from sameornot.handover.model import Model

# Rows outside the pool that are encoded at a time.
BLOCK = 50_000

# What a spreadsheet reads as the beginning of a formula, also in the full width of East Asian keyboards, and
# the white space that some of them skip on the way to it.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"


def labels_table(snapshot: Snapshot) -> pd.DataFrame:
    """The group of every row of the table, how sure it is, and who placed it: "expert" or "model"."""
    n_rows = len(snapshot.frame)
    group, confidence = np.zeros(n_rows, dtype=np.int64), np.ones(n_rows)
    name, placed_by = np.full(n_rows, "", dtype=object), np.full(n_rows, "model", dtype=object)
    result, pool = snapshot.result, snapshot.pool
    group[pool] = np.array([g.number for g in snapshot.groups])[result.labels]
    name[pool] = np.array([g.name for g in snapshot.groups], dtype=object)[result.labels]
    confidence[pool] = result.confidence
    placed_by[pool[placed_rows(snapshot)]] = "expert"
    for rows, assigned in _assign_others(snapshot):
        group[rows], name[rows], confidence[rows] = (
            assigned["group"],
            assigned["name"],
            assigned["confidence"],
        )
    return pd.DataFrame(
        {
            "id": pd.Series(snapshot.ids, dtype="str"),
            "row": np.arange(1, n_rows + 1),
            "group": group,
            "name": pd.Series(name, dtype="str"),
            "confidence": confidence,
            "placed_by": pd.Series(placed_by, dtype="str"),
        }
    )


def placed_rows(snapshot: Snapshot) -> np.ndarray:
    """Places in the pool of the rows that the answers put into a group."""
    return np.concatenate([np.empty(0, dtype=np.intp), *snapshot.result.neighbourhoods])


def _assign_others(snapshot: Snapshot) -> Iterator[tuple[np.ndarray, pd.DataFrame]]:
    """Rows outside the pool and what the model says of them, block by block."""
    outside = np.ones(len(snapshot.frame), dtype=bool)
    outside[snapshot.pool] = False
    others = np.flatnonzero(outside)
    if len(others) == 0:
        return
    model = Model.from_snapshot(snapshot)
    for start in range(0, len(others), BLOCK):
        rows = others[start : start + BLOCK]
        yield rows, model.assign(snapshot.frame.iloc[rows])


def answers_table(snapshot: Snapshot) -> pd.DataFrame:
    """Every answer that holds, in the order in which they were given."""
    ids = snapshot.ids
    columns = ["n", "left", "left_row", "right", "right_row", "answer", "author", "at", "edited", "seconds"]
    return pd.DataFrame(
        [_answer_line(n, said, ids) for n, said in enumerate(snapshot.answers, start=1)], columns=columns
    )


def _answer_line(n: int, said: Answered, ids: list[str]) -> tuple[object, ...]:
    at = said.at.isoformat(timespec="seconds")
    pair = (ids[said.left], said.left + 1, ids[said.right], said.right + 1)
    return n, *pair, said.answer, said.author, at, said.edited, said.seconds


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
