"""Options that several commands share."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import Annotated

import typer

from sameornot.cli.common import check_at_least_one, check_not_negative

TableArgument = Annotated[
    Path,
    typer.Argument(
        help="A CSV, TSV, Parquet or XLSX file, one record per row; or a folder of Parquet files."
    ),
]
SessionArgument = Annotated[
    str | None,
    typer.Argument(help="Name of a session, as listed by `sameornot sessions`. By default the last one."),
]
TableOption = Annotated[
    Path | None, typer.Option("--table", help="The session's table, if it has been moved.")
]
MovedFeaturesOption = Annotated[
    Path | None, typer.Option("--features", help="The session's file of vectors, if it has been moved.")
]
EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="Dask engine for a folder of files: `local` (all cores), or the scheduler's tcp://… address.",
    ),
]
ClustersOption = Annotated[
    int | None,
    typer.Option("--clusters", help="Number of groups. If omitted, it is estimated."),
]
IdOption = Annotated[str | None, typer.Option("--id", help="Column that identifies a record.")]
ShowOption = Annotated[
    list[str] | None,
    typer.Option("--show", help="Columns to show, as a,b,c. By default those that the model learns from."),
]
IgnoreOption = Annotated[
    list[str] | None, typer.Option("--ignore", help="Columns that the model does not learn from, as a,b,c.")
]
ImageOption = Annotated[
    list[str] | None,
    typer.Option(
        "--image",
        help="Columns of picture files, as a,b,c, relative to the folder of the table; a cell can name "
        "several, separated by ;. Pictures are shown and learned from.",
    ),
]
TextOption = Annotated[
    str | None,
    typer.Option(
        "--text",
        help="How texts are compared: wordllama (by default if installed), tf-idf, or the name or folder "
        "of a sentence-transformers model.",
    ),
]
ImageModelOption = Annotated[
    str | None,
    typer.Option(
        "--image-model",
        help="How pictures are compared: histograms (by default), or the name or folder "
        "sentence-transformers model that takes pictures.",
    ),
]
FeaturesOption = Annotated[
    Path | None,
    typer.Option(
        "--features",
        help="Vectors to learn from, one for each row of the table, as .npy, .npz or .parquet. The table is "
        "then only shown.",
    ),
]
LabelsOption = Annotated[
    str | None,
    typer.Option("--labels", help="Column of groups that are known for some rows; empty where they are not."),
]
PairsOption = Annotated[
    Path | None,
    typer.Option(
        "--pairs",
        help="Pairs that are known: a CSV file with two columns of ids and one of same or different, a table "
        "of labels of splink, or a training file of dedupe (JSON).",
    ),
]
BudgetOption = Annotated[
    int | None,
    typer.Option(
        "--budget", help="Planned number of questions. By default 30 per group, or 100 without --clusters."
    ),
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        help="Where sessions are stored: a file, or a postgresql://… address. By default a file of your own.",
    ),
]
NewOption = Annotated[bool, typer.Option("--new", help="Start a new session. Earlier answers are kept.")]
SeedOption = Annotated[
    int | None, typer.Option("--seed", help="Random seed. Another seed asks other questions.")
]
ChoicesOption = Annotated[
    int | None,
    typer.Option(
        "--choices",
        help="Most groups to choose from at once, 1 to 9; 1 asks about pairs. By default 5 once 4 groups are "
        "known, and pairs before.",
    ),
]


@dataclass(frozen=True)
class OpenOptions:
    """The options of the commands that open a session on a table."""

    table: TableArgument
    clusters: ClustersOption = None
    id_column: IdOption = None
    show: ShowOption = None
    ignore: IgnoreOption = None
    image: ImageOption = None
    text: TextOption = None
    image_model: ImageModelOption = None
    features: FeaturesOption = None
    labels: LabelsOption = None
    pairs: PairsOption = None
    budget: BudgetOption = None
    store: StoreOption = None
    new: NewOption = False
    seed: SeedOption = None
    engine: EngineOption = None

    def check(self) -> None:
        """Exit if a number is too small."""
        check_at_least_one("--clusters", self.clusters)
        check_at_least_one("--budget", self.budget)
        check_not_negative("--seed", self.seed)


def with_open_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `OpenOptions` before its own; it receives them as one argument."""
    shared = list(signature(OpenOptions, eval_str=True).parameters.values())
    own = list(signature(command, eval_str=True).parameters.values())[1:]

    @wraps(command)
    def call(**arguments: object) -> None:
        options = OpenOptions(**{option.name: arguments.pop(option.name) for option in shared})  # type: ignore[arg-type]
        options.check()
        command(options, **arguments)

    # What typer reads to build the command line.
    call.__signature__ = Signature([*shared, *own])  # type: ignore[attr-defined]
    call.__annotations__ = {option.name: option.annotation for option in [*shared, *own]}
    return call
