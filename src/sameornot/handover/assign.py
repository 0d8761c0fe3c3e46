"""Groups for the rows of a new file, block by block: never the whole file in memory."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pandas as pd

from sameornot.handover.files import replacing
from sameornot.handover.labels import write_csv
from sameornot.handover.model import Model
from sameornot.table import TableProblem, display, read_blocks

Write = Callable[[pd.DataFrame], None]

BLOCK = 50_000


def assign_file(
    model: Model,
    source: Path,
    out: Path,
    *,
    id_column: str | None = None,
    n_rows: int = BLOCK,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Write the group of every row of `source` to `out` (CSV or Parquet, by its suffix); say how many.

    Columns: id (of `id_column`, if one is given), row (from 1), group, name, confidence. `progress` is told
    how many rows are done. `out` appears when all of them are: a failure leaves what was there.
    """
    write_to = choose_sink(out)
    if out.exists() and source.exists() and out.samefile(source):
        raise TableProblem(f"{out} is the table itself: give another name for the result")
    done = 0
    with replacing(out) as beside, write_to(beside, id_column is not None) as write:
        for block in read_blocks(source, n_rows):
            write(assign_block(model, block, done + 1, id_column))
            done += len(block)
            if progress is not None:
                progress(done)
    return done


def assign_block(model: Model, block: pd.DataFrame, first_row: int, id_column: str | None) -> pd.DataFrame:
    """What is written for rows of which the first has that number in the file."""
    if id_column is not None and id_column not in block.columns:
        raise TableProblem(f"the table has no column {id_column!r} to take as id: choose one of its columns")
    found = model.assign(block, first_row=first_row)
    found.insert(0, "row", range(first_row, first_row + len(block)))
    if id_column is not None:
        found.insert(0, "id", pd.Series([display(value) for value in block[id_column]], dtype="str"))
    return found


@contextmanager
def csv_sink(path: Path, has_id: bool) -> Iterator[Write]:
    """A CSV file that blocks are added to."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(write_csv(pd.DataFrame(columns=columns(has_id))))
        yield lambda block: print(write_csv(block, header=False), end="", file=file)


@contextmanager
def parquet_sink(path: Path, has_id: bool) -> Iterator[Write]:
    """A Parquet file that blocks are added to, each as a row group."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    kinds = {"id": pa.string(), "row": pa.int64(), "group": pa.int64(), "name": pa.string()}
    schema = pa.schema([(name, kinds.get(name, pa.float64())) for name in columns(has_id)])
    with ParquetWriter(path, schema) as writer:
        yield lambda block: writer.write_table(pa.Table.from_pandas(block, schema, preserve_index=False))


def columns(has_id: bool) -> list[str]:
    """The columns of the result."""
    return [*(["id"] if has_id else []), "row", "group", "name", "confidence"]


SINKS: dict[str, Callable[[Path, bool], AbstractContextManager[Write]]] = {
    ".csv": csv_sink,
    ".parquet": parquet_sink,
}


def choose_sink(out: Path) -> Callable[[Path, bool], AbstractContextManager[Write]]:
    """The writer for a file of this name."""
    sink = SINKS.get(out.suffix.lower())
    if sink is None:
        raise TableProblem(f"{out.name} cannot be written: its name has to end in {' or '.join(SINKS)}")
    return sink
