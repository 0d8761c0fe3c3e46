"""What a person takes home: `export`, `report`, `assign`, and the list of `sessions`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from sameornot.cli import opening
from sameornot.cli.common import check_folder, fail, harmless

if TYPE_CHECKING:
    import numpy as np

    from sameornot.export import Model
    from sameornot.service import Snapshot

TableOption = Annotated[
    Path | None, typer.Option("--table", help="The session's table, if it is no longer where it was.")
]


def export(
    session: opening.SessionArgument = None,
    out: Annotated[Path, typer.Option(help="Folder for labels.csv, answers.csv and model.json.")] = Path(),
    table: TableOption = None,
    store: opening.StoreOption = None,
    engine: opening.EngineOption = None,
) -> None:
    """Write a session's labels, answers and model; of a table in parts the labels are in parts too."""
    check_folder("--out", out)
    with opening.sentences():
        from sameornot.export import Model, answers_table, write_csv

        with opening.open_session(session, store, table, engine) as desk:
            snapshot = desk.snapshot()
        out.mkdir(parents=True, exist_ok=True)
        write_all_labels(snapshot, out, engine)
        write(out / "answers.csv", write_csv(answers_table(snapshot)))
        write(out / "model.json", Model.from_snapshot(snapshot).dumps())


def write_all_labels(snapshot: "Snapshot", out: Path, engine: str | None) -> None:
    """The group of every row, as `labels.csv` or as a folder `labels`."""
    from sameornot.export import label_parts, write_labels

    in_parts = len(snapshot.table.files) > 1
    target = out / ("labels" if in_parts else "labels.csv")
    with counter() as progress, writing(target):
        task = progress.add_task("rows", total=None)

        def tell(rows: int) -> None:
            progress.update(task, completed=rows)

        if in_parts:
            label_parts(snapshot, target, engine=engine, progress=tell)
        else:
            write_labels(snapshot, target, progress=tell)
    typer.echo(harmless(str(target)))


def report(
    session: opening.SessionArgument = None,
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
    table: TableOption = None,
    store: opening.StoreOption = None,
) -> None:
    """Write one self-contained HTML page: the groups, what makes them differ, the answers, how sure."""
    check_file(out)
    with opening.sentences():
        from sameornot.export import write_report

        with opening.open_session(session, store, table) as desk:
            page = write_report(desk.snapshot())
        write(out, page)


def assign(
    model: Annotated[Path, typer.Argument(help="model.json of a session.")],
    table: Annotated[
        Path, typer.Argument(help="New rows: CSV, TSV, Parquet or XLSX, or a folder of Parquet files.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="CSV or Parquet, a folder for a folder; TABLE-groups beside it unless given."),
    ] = None,
    id_column: opening.IdOption = None,
    engine: Annotated[
        str | None,
        typer.Option(help="Who assigns the files of a folder: local, or a Dask scheduler's tcp://…"),
    ] = None,
) -> None:
    """Give new rows their groups, block by block."""
    if not table.exists():
        fail(f"there is no file {table}: check the name and the folder")
    if table.is_dir():
        assign_folder(model, table, out or table.with_name(f"{table.name}-groups"), id_column, engine)
        return
    if engine is not None:
        fail(f"--engine is for a folder of Parquet files, and {table} is one file")
    target = out or table.with_name(f"{table.stem}-groups.csv")
    if out is not None:
        check_file(out)
    with opening.sentences():
        from sameornot.export import Model, assign_file

        known = Model.load(model)
        with counter() as progress:
            task = progress.add_task("rows", total=None)
            with writing(target):  # what goes wrong with reading is a TableProblem
                done = assign_file(
                    known,
                    table,
                    target,
                    id_column=id_column,
                    progress=lambda rows: progress.update(task, completed=rows),
                )
        tell_sizes(target, known, done)


def assign_folder(model: Path, table: Path, out: Path, id_column: str | None, engine: str | None) -> None:
    """Give the rows of a table in parts their groups."""
    check_folder("--out", out)
    with opening.sentences():
        from sameornot.export import Model, assign_parts

        known = Model.load(model)
        with counter() as progress, writing(out):
            task = progress.add_task("rows", total=None)
            done = assign_parts(
                known,
                table,
                out,
                engine=engine,
                id_column=id_column,
                progress=lambda rows: progress.update(task, completed=rows),
            )
        tell_sizes(out, known, done)


def tell_sizes(target: Path, model: "Model", sizes: "np.ndarray") -> None:
    """Where the result is, and how many rows each group has."""
    n_rows = int(sizes.sum())
    typer.echo(harmless(f"{target} ({n_rows:,} {'row' if n_rows == 1 else 'rows'})"))
    for number, name, size in sorted(zip(model.numbers, model.names, sizes.tolist(), strict=True)):
        typer.echo(harmless(f"  {name or f'Group {number}'}: {size:,} ({size / n_rows:.0%})"))


def sessions(store: opening.StoreOption = None) -> None:
    """List the sessions that are in the store."""
    with opening.sentences():
        from sameornot.store import default_store, open_store

        where = store or default_store()
        kept = open_store(where)
        lines = kept.sessions()
        kept.close()
        if not lines:
            typer.echo("There is no session yet: begin one with `sameornot label TABLE`.")
            return
        table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for header in ("session", "answers", "last", "table"):
            table.add_column(header, overflow="fold", justify="right" if header == "answers" else "left")
        for line in lines:
            last = line.last.astimezone().strftime("%Y-%m-%d %H:%M")
            place = harmless(line.opened.get("path") or line.title)
            table.add_row(line.session, str(line.n_answers), last, place)
        Console(highlight=False, markup=False, emoji=False).print(table)


def counter() -> Progress:
    """Counts rows before the eyes of a person, and leaves no trace."""
    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn("{task.completed:,.0f} rows")
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def check_file(out: Path) -> None:
    """Leave before the work is done if a file could not be there."""
    if out.is_dir():
        fail(f"--out is {out} but that is a folder, and a file is needed")
    if not out.parent.is_dir():
        fail(f"--out is {out} but there is no folder {out.parent}")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say which file could not be written: the error may know none, or one that stood in for it."""
    try:
        yield
    except OSError as error:
        fail(f"{path} could not be written: {error.strerror or error}")


def write(path: Path, text: str) -> None:
    """Write a file, whole or not at all, and say where it is."""
    from sameornot.export import replacing

    with writing(path), replacing(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="")
    typer.echo(harmless(str(path)))
