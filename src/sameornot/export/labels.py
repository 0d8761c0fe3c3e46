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
from sameornot.service.snapshot import Snapshot

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
    "screen",
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
    """Every answer that has not been removed, in the order given: one line for each pair that it implies.

    The pairs of one choice have the same number in `screen`; the first of them has the seconds.
    """
    facts = [
        (screen, at == 0, fact, answered)
        for screen, answered in enumerate(snapshot.answers, start=1)
        for at, fact in enumerate(answered.reply.facts)
    ]
    lefts = snapshot.names([pair.left for _, _, (pair, _), _ in facts])
    rights = snapshot.names([pair.right for _, _, (pair, _), _ in facts])
    lines = [
        (
            *(n, left, pair.left + 1, right, pair.right + 1, answer.value, answered.author),
            *(answered.at.isoformat(timespec="seconds"), answered.edited),
            *(answered.seconds if is_first else None, screen),
        )
        for n, ((screen, is_first, (pair, answer), answered), left, right) in enumerate(
            zip(facts, lefts, rights, strict=True), start=1
        )
    ]
    return pd.DataFrame(lines, columns=list(ANSWER_COLUMNS))
