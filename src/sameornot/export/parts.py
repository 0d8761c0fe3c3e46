"""Assign a folder of Parquet files: the result is a folder with one Parquet file for each.

Each file appears complete or not at all and holds the fingerprint of what made it, so an interrupted run is
resumed by running it again.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sameornot.engine import ClusterLost, EngineError, map_unordered
from sameornot.export.assign import Progress, predict_file, write_assignments
from sameornot.export.assigner import Assigner
from sameornot.export.atomic import remove_partial_files
from sameornot.export.model import Model
from sameornot.export.writers import FINGERPRINT_KEY, SIZES_KEY
from sameornot.service.snapshot import Snapshot
from sameornot.table import TableError
from sameornot.table.file_parts import find_parquet_files
from sameornot.table.reading import count_rows


class Part(NamedTuple):
    """A file to assign, the file of its result, and the number of its first row in the whole table."""

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
    progress: Progress | None = None,
) -> np.ndarray:
    """Write the group of every row of a folder of Parquet files.

    Parameters
    ----------
    model : Model
    source : Path
        The folder of Parquet files.
    out : Path
        The folder of the result, whose files have the names of those in `source`.
    engine : str, optional
        Where the work is done: see `engine.py`.
    id_column : str, optional
        The column of identifiers.
    progress : callable, optional
        Called with the number of rows done, files of an earlier run with the same model included.

    Returns
    -------
    sizes : array
        Number of rows of each group, in the order of the model.
    """
    return write_parts(Assigner.of_model(model, id_column), find_parquet_files(source), out, engine, progress)


def label_parts(
    snapshot: Snapshot,
    out: Path,
    *,
    engine: str | None = None,
    progress: Progress | None = None,
) -> np.ndarray:
    """Write the labels of a session's own table, which is a folder of files; compare `labels_table`."""
    return write_parts(Assigner.of_session(snapshot), snapshot.table.files, out, engine, progress)


def write_parts(
    assigner: Assigner,
    files: Sequence[Path],
    out: Path,
    engine: str | None,
    progress: Progress | None,
) -> np.ndarray:
    """Assign the files that have not been done yet; returns the group sizes of all."""
    parts = plan_parts(files, out)
    out.mkdir(parents=True, exist_ok=True)
    earlier = {part: sizes_of_finished(part, assigner.fingerprint) for part in parts}
    finished = [sizes for sizes in earlier.values() if sizes is not None]
    sizes = np.sum([np.zeros(len(assigner.numbers), dtype=np.int64), *finished], axis=0)
    pending = [part for part in parts if earlier[part] is None]
    if pending:
        try:
            for _, found in map_unordered(engine, Assigner.loads, assigner.dumps(), write_part, pending):
                sizes = sizes + found
                if progress is not None:
                    progress(int(sizes.sum()))
        except ClusterLost as lost:
            raise EngineError(f"{lost}; parts that are done are not repeated") from None
        for part in parts:
            remove_partial_files(part.target)  # left by workers that died
    return sizes


def write_part(assigner: Assigner, part: Part) -> np.ndarray:
    """Assign one file; returns its group sizes."""
    try:
        assignments = predict_file(assigner, part.source, part.first_row)
        return write_assignments(assigner, assignments, part.target)
    except TableError as error:
        raise TableError(f"{part}: {error}") from None


def plan_parts(files: Sequence[Path], out: Path) -> list[Part]:
    """Pair each file with its result, and number its rows."""
    if out.exists() and any(out.samefile(path.parent) for path in files):
        raise TableError(f"{out} is the table itself: give another folder for the result")
    parts, first_row = [], 1
    for path in files:
        target = (out / path.with_suffix(".parquet").name).absolute()
        parts.append(Part(path, target, first_row, count_rows(path)))
        first_row += parts[-1].n_rows
    return parts


def sizes_of_finished(part: Part, fingerprint: str) -> np.ndarray | None:
    """The group sizes of a file that an earlier run with the same model finished; None if there is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_metadata(part.target)
    except (pa.ArrowException, OSError):
        return None
    metadata = found.metadata or {}
    is_current = metadata.get(FINGERPRINT_KEY) == fingerprint.encode() and SIZES_KEY in metadata
    if found.num_rows != part.n_rows or not is_current:
        return None
    return np.array(json.loads(metadata[SIZES_KEY]), dtype=np.int64)
