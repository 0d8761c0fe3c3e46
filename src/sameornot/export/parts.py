"""Groups for a table in parts: a folder of Parquet files becomes a folder of Parquet files, one for each.

A part appears whole or not at all and says what made it, so a run that was cut off is taken up by running it
again.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sameornot.engine import ClusterLost, EngineProblem, each
from sameornot.export.assign import judge_file, write_groups
from sameornot.export.assigner import Assigner
from sameornot.export.files import clear_leftovers
from sameornot.export.model import Model
from sameornot.export.sinks import MARK, SIZES
from sameornot.service.snapshot import Snapshot
from sameornot.table import TableProblem
from sameornot.table.excerpt import find_files
from sameornot.table.reading import count_rows


class Part(NamedTuple):
    """One file, where its groups go, and the number of its first row in the whole table."""

    source: Path
    target: Path
    first_row: int
    n_rows: int

    def __str__(self) -> str:
        return self.source.name


def assign_parts(
    model: Model,
    source: Path,
    out: Path,
    *,
    engine: str | None = None,
    id_column: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> np.ndarray:
    """Write the group of every row of the Parquet files in `source` to files of their names in `out`.

    `engine` is where the work is done (`engine.py`). `progress` is told how many rows are done; these, and
    the sizes of the groups that are returned, include parts that an earlier run of the same model had done.
    """
    return write_parts(Assigner.of_model(model, id_column), find_files(source), out, engine, progress)


def label_parts(
    snapshot: Snapshot,
    out: Path,
    *,
    engine: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> np.ndarray:
    """Write the group of every row of a session's own table in parts, as `labels_table` gives it."""
    return write_parts(Assigner.of_session(snapshot), snapshot.table.files, out, engine, progress)


def write_parts(
    assigner: Assigner,
    files: Sequence[Path],
    out: Path,
    engine: str | None,
    progress: Callable[[int], None] | None,
) -> np.ndarray:
    """Do the parts that are not done yet."""
    parts = plan_parts(files, out)
    out.mkdir(parents=True, exist_ok=True)
    earlier = {part: sizes_of(part, assigner.mark) for part in parts}
    done = [sizes for sizes in earlier.values() if sizes is not None]
    sizes = np.sum([np.zeros(len(assigner.numbers), dtype=np.int64), *done], axis=0)
    waiting = [part for part in parts if earlier[part] is None]
    if waiting:
        try:
            for _, found in each(engine, Assigner.loads, assigner.dumps(), write_part, waiting):
                sizes = sizes + found
                if progress is not None:
                    progress(int(sizes.sum()))
        except ClusterLost as lost:
            raise EngineProblem(f"{lost}; parts that are done are not repeated") from None
        for part in parts:
            clear_leftovers(part.target)  # of workers that died
    return sizes


def write_part(assigner: Assigner, part: Part) -> np.ndarray:
    """Do one part; says the sizes of its groups."""
    try:
        return write_groups(assigner, judge_file(assigner, part.source, part.first_row), part.target)
    except TableProblem as problem:
        raise TableProblem(f"{part}: {problem}") from None


def plan_parts(files: Sequence[Path], out: Path) -> list[Part]:
    """Where each file goes and which rows it holds."""
    if out.exists() and any(out.samefile(path.parent) for path in files):
        raise TableProblem(f"{out} is the table itself: give another folder for the result")
    parts, first_row = [], 1
    for path in files:
        target = (out / path.with_suffix(".parquet").name).absolute()
        parts.append(Part(path, target, first_row, count_rows(path)))
        first_row += parts[-1].n_rows
    return parts


def sizes_of(part: Part, mark: str) -> np.ndarray | None:
    """The sizes of the groups in a part that was done before by the same model; None if it is to be done."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_metadata(part.target)
    except (pa.ArrowException, OSError):
        return None
    said = found.metadata or {}
    if found.num_rows != part.n_rows or said.get(MARK) != mark.encode() or SIZES not in said:
        return None
    return np.array(json.loads(said[SIZES]), dtype=np.int64)
