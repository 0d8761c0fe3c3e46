"""The group of every row, and every answer, as tables.

Here alone rows are counted from 1, as people count them: a record without an identifier is called "row 1".
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from sameornot.export.assign import write_groups
from sameornot.export.assigner import Assigned, Assigner
from sameornot.export.sinks import csv_texts
from sameornot.service.snapshot import Answered, Snapshot


def labels_table(snapshot: Snapshot) -> pd.DataFrame:
    """The group of every row of the table, how sure it is, and who placed it: "expert" or "model"."""
    assigner = Assigner.of_session(snapshot)
    return pd.concat(map(assigner.to_frame, label_rows(assigner, snapshot)), ignore_index=True)


def label_rows(assigner: Assigner, snapshot: Snapshot) -> Iterator[Assigned]:
    """What a session says of all rows of its table, block by block."""
    return (assigner.judge(block, start + 1) for start, block in snapshot.table.blocks())


def labels_texts(snapshot: Snapshot) -> Iterator[str]:
    """The lines of `labels.csv`, those of a block at a time."""
    assigner = Assigner.of_session(snapshot)
    return csv_texts(assigner, label_rows(assigner, snapshot))


def write_labels(snapshot: Snapshot, out: Path, progress: Callable[[int], None] | None = None) -> np.ndarray:
    """Write the group of every row of the session's table to a file; says the sizes of the groups."""
    assigner = Assigner.of_session(snapshot)
    return write_groups(assigner, label_rows(assigner, snapshot), out, progress)


def answers_table(snapshot: Snapshot) -> pd.DataFrame:
    """Every answer that holds, in the order in which they were given."""
    lefts = snapshot.names([said.left for said in snapshot.answers])
    rights = snapshot.names([said.right for said in snapshot.answers])
    columns = ["n", "left", "left_row", "right", "right_row", "answer", "author", "at", "edited", "seconds"]
    return pd.DataFrame(
        [
            _answer_line(n, said, *names)
            for n, (said, *names) in enumerate(zip(snapshot.answers, lefts, rights, strict=True), start=1)
        ],
        columns=columns,
    )


def _answer_line(n: int, said: Answered, left: str, right: str) -> tuple[object, ...]:
    at = said.at.isoformat(timespec="seconds")
    pair = (left, said.left + 1, right, said.right + 1)
    return n, *pair, said.answer, said.author, at, said.edited, said.seconds
