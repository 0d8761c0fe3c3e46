"""Groups for the rows of a new file, block by block: never the whole file in memory."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sameornot.handover.files import replacing
from sameornot.handover.labels import write_csv
from sameornot.handover.model import Model
from sameornot.table import TableProblem, display, read_blocks

BLOCK = 50_000
MARK = b"sameornot model"  # in a Parquet file's metadata: the mark of the model that made it


class Assigned(NamedTuple):
    """What was found for a block of rows; groups are counted from 0."""

    ids: list[str] | None
    rows: np.ndarray
    labels: np.ndarray
    shares: np.ndarray


Write = Callable[[Assigned], None]


def assign_file(
    model: Model,
    source: Path,
    out: Path,
    *,
    id_column: str | None = None,
    n_rows: int = BLOCK,
    first_row: int = 1,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Write the group of every row of `source` to `out` (CSV or Parquet, by its suffix); say how many.

    Columns: id (of `id_column`, if one is given), row (from `first_row` on), group, name, confidence. A
    Parquet file also says which model made it. `progress` is told
    how many rows are done. `out` appears when all of them are: a failure leaves what was there.
    """
    write_to = choose_sink(out)
    if out.exists() and source.exists() and out.samefile(source):
        raise TableProblem(f"{out} is the table itself: give another name for the result")
    done = 0
    with replacing(out) as beside, write_to(beside, id_column is not None, model) as write:
        for block in read_blocks(source, n_rows):
            write(assign_block(model, block, first_row + done, id_column))
            done += len(block)
            if progress is not None:
                progress(done)
    return done


def assign_block(model: Model, block: pd.DataFrame, first_row: int, id_column: str | None) -> Assigned:
    """What is to be written for rows of which the first has that number in the file."""
    if id_column is not None and id_column not in block.columns:
        raise TableProblem(f"the table has no column {id_column!r} to take as id: choose one of its columns")
    labels, shares = model.judge(block, first_row=first_row)
    ids = None if id_column is None else [display(value) for value in block[id_column]]
    return Assigned(ids, np.arange(first_row, first_row + len(block)), labels, shares)


@contextmanager
def csv_sink(path: Path, has_id: bool, model: Model) -> Iterator[Write]:
    """A CSV file that blocks are added to."""
    names = np.array(model.names, dtype=object)

    def write(found: Assigned) -> None:
        parts: list[Any] = [found.ids] if has_id else []
        numbers = np.array(model.numbers, dtype=np.int64)[found.labels]
        parts += [found.rows, numbers, pd.Series(names[found.labels], dtype="str"), found.shares]
        frame = pd.DataFrame(dict(zip(columns(has_id), parts, strict=True)))
        print(write_csv(frame, header=False), end="", file=file)

    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(write_csv(pd.DataFrame(columns=columns(has_id))))
        yield write


@contextmanager
def parquet_sink(path: Path, has_id: bool, model: Model) -> Iterator[Write]:
    """A Parquet file that blocks are added to, each as a row group."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    kinds = {"id": pa.string(), "row": pa.int64(), "group": pa.int64(), "name": pa.string()}
    fields = [(name, kinds.get(name, pa.float64())) for name in columns(has_id)]
    schema = pa.schema(fields, metadata={MARK: model.mark})
    numbers, names = np.array(model.numbers, dtype=np.int64), pa.array(model.names, pa.string())

    def write(found: Assigned) -> None:
        parts = [pa.array(found.ids, pa.string())] if has_id else []
        shares = found.shares.astype(np.float64, copy=False)
        parts += [found.rows, numbers[found.labels], names.take(pa.array(found.labels)), shares]
        writer.write_table(pa.table(dict(zip(columns(has_id), parts, strict=True)), schema=schema))

    # Numbers that hardly repeat gain nothing from a dictionary, and to find that out takes half of the time.
    texts = [name for name in columns(has_id) if kinds.get(name) == pa.string()]
    with ParquetWriter(path, schema, use_dictionary=texts) as writer:
        yield write


def columns(has_id: bool) -> list[str]:
    """The columns of the result."""
    return [*(["id"] if has_id else []), "row", "group", "name", "confidence"]


Sink = Callable[[Path, bool, Model], AbstractContextManager[Write]]
SINKS: dict[str, Sink] = {
    ".csv": csv_sink,
    ".parquet": parquet_sink,
}


def choose_sink(out: Path) -> Sink:
    """The writer for a file of this name."""
    sink = SINKS.get(out.suffix.lower())
    if sink is None:
        raise TableProblem(f"{out.name} cannot be written: its name has to end in {' or '.join(SINKS)}")
    return sink
