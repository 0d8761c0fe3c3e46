"""Groups for the rows of a new file, block by block: never the whole file in memory."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from sameornot.export.assigner import Assigned, Assigner
from sameornot.export.files import replacing
from sameornot.export.model import Model
from sameornot.export.sinks import choose_sink
from sameornot.table import TableProblem, read_blocks

BLOCK = 50_000


def assign_file(
    model: Model,
    source: Path,
    out: Path,
    *,
    id_column: str | None = None,
    n_rows: int = BLOCK,
    progress: Callable[[int], None] | None = None,
) -> np.ndarray:
    """Write the group of every row of `source` to `out` (CSV or Parquet, by its suffix).

    Columns: id (of `id_column`, if one is given), row (from 1 on), group, name, confidence. A Parquet file
    also says which model made it. `progress` is told how many rows are done. `out` appears when all of them
    are: a failure leaves what was there. Returned are the sizes of the groups, in the order of the model.
    """
    choose_sink(out)
    if out.exists() and source.exists() and out.samefile(source):
        raise TableProblem(f"{out} is the table itself: give another name for the result")
    assigner = Assigner.of_model(model, id_column)
    return write_groups(assigner, judge_file(assigner, source, 1, n_rows), out, progress)


def judge_file(
    assigner: Assigner, source: Path, first_row: int = 1, n_rows: int = BLOCK
) -> Iterator[Assigned]:
    """The groups of a file's rows, of which the first has that number in the table."""
    for block in read_blocks(source, n_rows):
        yield assigner.judge(block, first_row)
        first_row += len(block)


def write_groups(
    assigner: Assigner,
    found: Iterable[Assigned],
    out: Path,
    progress: Callable[[int], None] | None = None,
) -> np.ndarray:
    """Write what was found to a file, whole or not at all; says the sizes of the groups."""
    write_to = choose_sink(out)
    sizes = np.zeros(len(assigner.numbers), dtype=np.int64)

    def counted() -> Iterator[Assigned]:
        for one in found:
            yield one
            np.add(sizes, np.bincount(one.labels, minlength=len(sizes)), out=sizes)
            if progress is not None:
                progress(int(sizes.sum()))

    with replacing(out) as beside:
        write_to(beside, assigner, counted(), sizes)
    return sizes
