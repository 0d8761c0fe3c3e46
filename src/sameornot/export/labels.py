"""The group of every row, and every answer, as tables.

Row numbers in these tables count from 1, as people count: a record without an identifier is called "row 1".
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from sameornot.export.assign import Progress, write_assignments
from sameornot.export.assigner import Assigner, Assignment
from sameornot.export.writers import csv_chunks
from sameornot.service.snapshot import GivenAnswer, Snapshot

ANSWER_COLUMNS = (
    "n",
    "left",
    "left_row",
    "right",
    "right_row",
    "answer",
    "author",
    "at",
    "edited",
    "seconds",
)


def labels_table(snapshot: Snapshot) -> pd.DataFrame:
    """The group of every row, its confidence, and whether the "expert" or the "model" placed it."""
    assigner = Assigner.of_session(snapshot)
    return pd.concat(map(assigner.to_frame, predict_table(assigner, snapshot)), ignore_index=True)


def predict_table(assigner: Assigner, snapshot: Snapshot) -> Iterator[Assignment]:
    """Assign all rows of the session's table, block by block."""
    return (assigner.predict(block, start + 1) for start, block in snapshot.table.blocks())


def labels_csv_chunks(snapshot: Snapshot) -> Iterator[str]:
    """The text of `labels.csv`, a block at a time."""
    assigner = Assigner.of_session(snapshot)
    return csv_chunks(assigner, predict_table(assigner, snapshot))


def write_labels(snapshot: Snapshot, out: Path, progress: Progress | None = None) -> np.ndarray:
    """Write the group of every row of the session's table to a file; returns the group sizes."""
    assigner = Assigner.of_session(snapshot)
    return write_assignments(assigner, predict_table(assigner, snapshot), out, progress)


def answers_table(snapshot: Snapshot) -> pd.DataFrame:
    """Every answer that has not been removed, in the order given."""
    lefts = snapshot.names([answered.left for answered in snapshot.answers])
    rights = snapshot.names([answered.right for answered in snapshot.answers])
    return pd.DataFrame(
        [
            _answer_line(n, answered, *names)
            for n, (answered, *names) in enumerate(zip(snapshot.answers, lefts, rights, strict=True), start=1)
        ],
        columns=list(ANSWER_COLUMNS),
    )


def _answer_line(n: int, answered: GivenAnswer, left: str, right: str) -> tuple[object, ...]:
    at = answered.at.isoformat(timespec="seconds")
    pair = (left, answered.left + 1, right, answered.right + 1)
    return n, *pair, answered.answer, answered.author, at, answered.edited, answered.seconds
