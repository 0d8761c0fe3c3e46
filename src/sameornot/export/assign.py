"""Assign the rows of a file to the groups of a model, in blocks of bounded memory."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from sameornot.export.assigner import Assigner, Assignment
from sameornot.export.atomic import atomic_replace
from sameornot.export.model import Model
from sameornot.export.writers import choose_writer
from sameornot.table import FeatureFile, TableError, read_blocks, read_features
from sameornot.table.reading import count_rows

BLOCK_ROWS = 50_000

Progress = Callable[[int], None]


def assign_file(
    model: Model,
    source: Path,
    out: Path,
    *,
    id_column: str | None = None,
    features: Path | None = None,
    n_rows: int = BLOCK_ROWS,
    progress: Progress | None = None,
) -> np.ndarray:
    """Write the group of every row of a file to a CSV or Parquet file.

    The result has the columns id (if there is an `id_column`), row (counted from 1), group, name and
    confidence. A Parquet file also holds the fingerprint of the model. The file appears when it is
    complete; a failure leaves the earlier one as it was.

    Parameters
    ----------
    model : Model
    source : Path
        The table file.
    out : Path
        The result; its suffix, .csv or .parquet, is the format.
    id_column : str, optional
        The column of identifiers.
    features : Path, optional
        The vectors of the rows, for a model that learned from a file of vectors.
    n_rows : int
        Rows per block.
    progress : callable, optional
        Called with the number of rows done after each block.

    Returns
    -------
    sizes : array
        Number of rows of each group, in the order of the model.
    """
    choose_writer(out)
    if out.exists() and source.exists() and out.samefile(source):
        raise TableError(f"{out} is the table itself: give another name for the result")
    assigner = Assigner.of_model(model, id_column)
    vectors = None if features is None else read_vectors_for(model, features, source, id_column)
    return write_assignments(assigner, predict_file(assigner, source, 1, n_rows, vectors), out, progress)


def read_vectors_for(model: Model, features: Path, source: Path, id_column: str | None) -> FeatureFile:
    """The vectors of new rows, under the name of the column that the model learned from."""
    columns = [column.name for column in model.encoder.columns if column.kind == "vector"]
    if len(columns) != 1:
        raise TableError(
            f"the model has learned from {len(columns)} columns of vectors: leave --features out"
        )
    found = replace(read_features(features, id_column), column=columns[0])
    found.check(count_rows(source), source.name)
    return found


def predict_file(
    assigner: Assigner,
    source: Path,
    first_row: int = 1,
    n_rows: int = BLOCK_ROWS,
    features: FeatureFile | None = None,
) -> Iterator[Assignment]:
    """Assign the rows of a file, whose first has number `first_row` in the whole table."""
    for block in read_blocks(source, n_rows):
        if features is not None:
            block = features.beside(block, slice(first_row - 1, first_row - 1 + len(block)))
        yield assigner.predict(block, first_row)
        first_row += len(block)


def write_assignments(
    assigner: Assigner,
    assignments: Iterable[Assignment],
    out: Path,
    progress: Progress | None = None,
) -> np.ndarray:
    """Write assignments to a file atomically; returns the group sizes."""
    write_to = choose_writer(out)
    sizes = np.zeros(len(assigner.numbers), dtype=np.int64)

    def counted() -> Iterator[Assignment]:
        for assignment in assignments:
            yield assignment
            np.add(sizes, np.bincount(assignment.labels, minlength=len(sizes)), out=sizes)
            if progress is not None:
                progress(int(sizes.sum()))

    with atomic_replace(out) as temporary:
        write_to(temporary, assigner, counted(), sizes)
    return sizes
