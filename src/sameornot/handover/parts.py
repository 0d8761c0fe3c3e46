"""Groups for a table in parts: a folder of Parquet files becomes a folder of Parquet files, one for each.

A part appears whole or not at all and says which model made it, so a run that was cut off is taken up by
running it again.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sameornot.engine import each
from sameornot.handover.assign import MARK, assign_file
from sameornot.handover.files import clear_leftovers
from sameornot.handover.model import Model, parse
from sameornot.table import TableProblem


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
) -> int:
    """Write the group of every row of the Parquet files in `source` to files of their names in `out`.

    `engine` is where the work is done (`engine.py`). `progress` is told how many rows are done; rows counted
    in the end include those of parts that an earlier run of the same model had done.
    """
    parts = find_parts(source, out)
    out.mkdir(parents=True, exist_ok=True)
    waiting = [part for part in parts if not is_done(part, model.mark)]
    done = sum(part.n_rows for part in parts) - sum(part.n_rows for part in waiting)
    if not waiting:
        return done
    work = partial(assign_part, id_column=id_column)
    for _, n_rows in each(engine, read_model, model.dumps(), work, waiting):
        done += n_rows
        if progress is not None:
            progress(done)
    for part in parts:
        clear_leftovers(part.target)  # of workers that died
    return done


def assign_part(model: Model, part: Part, id_column: str | None) -> int:
    """Assign one part; says how many rows it has."""
    try:
        return assign_file(model, part.source, part.target, id_column=id_column, first_row=part.first_row)
    except TableProblem as problem:
        raise TableProblem(f"{part}: {problem}") from None


def read_model(text: str) -> Model:
    """The model in the text of its file."""
    return Model.from_json(parse(text, "the model"))


def find_parts(source: Path, out: Path) -> list[Part]:
    """The Parquet files of a folder, by name."""
    files = sorted(path for path in source.iterdir() if path.suffix.lower() in (".parquet", ".pq"))
    if not files:
        raise TableProblem(f"{source} holds no Parquet files: write the table there in parts")
    if out.exists() and out.samefile(source):
        raise TableProblem(f"{out} is the table itself: give another folder for the result")
    parts, first_row = [], 1
    for path in files:
        n_rows = count_rows(path)
        parts.append(
            Part(path.absolute(), (out / path.with_suffix(".parquet").name).absolute(), first_row, n_rows)
        )
        first_row += n_rows
    return parts


def count_rows(path: Path) -> int:
    """Rows of a Parquet file, by its own account."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return int(pq.read_metadata(path).num_rows)
    except (pa.ArrowException, OSError):
        raise TableProblem(
            f"{path.name} is no Parquet file, or a damaged one: write it again; parts that are done are not "
            "repeated"
        ) from None


def is_done(part: Part, mark: str) -> bool:
    """Whether this model has assigned this part before."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_metadata(part.target)
    except (pa.ArrowException, OSError):
        return False
    return bool(found.num_rows == part.n_rows and (found.metadata or {}).get(MARK) == mark.encode())
