"""`sameornot export`: labels, answers and model of a session as files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sameornot.cli.common import check_folder, printable
from sameornot.cli.errors import explained_errors, explained_write_errors
from sameornot.cli.opening import open_session
from sameornot.cli.options import EngineOption, MovedFeaturesOption, SessionArgument, StoreOption, TableOption
from sameornot.cli.output import row_counter, write_text

if TYPE_CHECKING:
    from sameornot.service import Snapshot


def export(
    session: SessionArgument = None,
    out: Annotated[Path, typer.Option(help="Folder for labels.csv, answers.csv and model.json.")] = Path(),
    table: TableOption = None,
    store: StoreOption = None,
    engine: EngineOption = None,
    features: MovedFeaturesOption = None,
    pairs: Annotated[
        Path | None,
        typer.Option(help="Also write the answered pairs to this file, as `--pairs` of label reads them."),
    ] = None,
    pairs_as: Annotated[
        str | None,
        typer.Option(help="csv, splink or dedupe. By default dedupe for a .json file, else csv."),
    ] = None,
) -> None:
    """Write the labels, answers and model of a session; for a folder of files, a folder of labels."""
    check_folder("--out", out)
    with explained_errors():
        from sameornot.export import Model, answers_table, write_csv, write_pairs

        with open_session(session, store, table, engine, features) as service:
            snapshot = service.snapshot()
        out.mkdir(parents=True, exist_ok=True)
        write_all_labels(snapshot, out, engine)
        write_text(out / "answers.csv", write_csv(answers_table(snapshot)))
        write_text(out / "model.json", Model.from_snapshot(snapshot).dumps())
        if pairs is not None:
            n_pairs = write_pairs(snapshot, pairs, pairs_as)
            typer.echo(printable(f"{pairs} ({n_pairs:,} pairs)"))


def write_all_labels(snapshot: "Snapshot", out: Path, engine: str | None) -> None:
    """Write the group of every row to `labels.csv`, or to a folder `labels` if the table is a folder."""
    from sameornot.export import label_parts, write_labels

    in_parts = len(snapshot.table.files) > 1
    target = out / ("labels" if in_parts else "labels.csv")
    with row_counter() as count, explained_write_errors(target):
        if in_parts:
            label_parts(snapshot, target, engine=engine, progress=count)
        else:
            write_labels(snapshot, target, progress=count)
    typer.echo(printable(str(target)))
