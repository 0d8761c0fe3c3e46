"""`sameornot assign`: assign new rows to the groups of a session."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sameornot.cli.common import check_file, check_folder, fail, printable
from sameornot.cli.errors import explained_errors, explained_write_errors
from sameornot.cli.options import EngineOption, IdOption
from sameornot.cli.output import row_counter

if TYPE_CHECKING:
    import numpy as np

    from sameornot.export import Model


def assign(
    model: Annotated[Path, typer.Argument(help="The file model.json of a session.")],
    table: Annotated[
        Path, typer.Argument(help="New rows: a CSV, TSV, Parquet or XLSX file, or a folder of Parquet files.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="A CSV or Parquet file, or a folder for a folder. By default TABLE-groups."),
    ] = None,
    id_column: IdOption = None,
    engine: EngineOption = None,
    features: Annotated[
        Path | None,
        typer.Option("--features", help="The vectors of the new rows, if the session learned from some."),
    ] = None,
) -> None:
    """Assign new rows to the groups of a session, block by block."""
    if not table.exists():
        fail(f"there is no file {table}: check the name and the folder")
    if table.is_dir():
        if features is not None:
            fail(f"--features is for one table file, and {table} is a folder")
        assign_folder(model, table, out or table.with_name(f"{table.name}-groups"), id_column, engine)
        return
    if engine is not None:
        fail(f"--engine is for a folder of Parquet files, and {table} is one file")
    if out is not None:
        check_file(out)
    target = out or table.with_name(f"{table.stem}-groups.csv")
    with explained_errors():
        from sameornot.embedding import EmbeddingModels
        from sameornot.export import Model, assign_file
        from sameornot.store import vectors_beside

        pictures = EmbeddingModels(folder=table.resolve().parent, cache=vectors_beside(None))
        known = Model.load(model, pictures)
        with row_counter() as count, explained_write_errors(target):  # errors of reading are TableErrors
            sizes = assign_file(known, table, target, id_column=id_column, features=features, progress=count)
        print_sizes(target, known, sizes)


def assign_folder(model: Path, table: Path, out: Path, id_column: str | None, engine: str | None) -> None:
    """Assign the rows of a folder of Parquet files."""
    check_folder("--out", out)
    with explained_errors():
        from sameornot.export import Model, assign_parts

        known = Model.load(model)
        with row_counter() as count, explained_write_errors(out):
            sizes = assign_parts(known, table, out, engine=engine, id_column=id_column, progress=count)
        print_sizes(out, known, sizes)


def print_sizes(target: Path, model: "Model", sizes: "np.ndarray") -> None:
    """Print where the result is, and the size of each group."""
    n_rows = int(sizes.sum())
    typer.echo(printable(f"{target} ({n_rows:,} {'row' if n_rows == 1 else 'rows'})"))
    for number, name, size in sorted(zip(model.numbers, model.names, sizes.tolist(), strict=True)):
        typer.echo(printable(f"  {name or f'Group {number}'}: {size:,} ({size / n_rows:.0%})"))
