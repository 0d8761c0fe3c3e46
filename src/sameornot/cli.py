"""The command `sameornot`: a thin skin over the session. Heavy imports wait until a command runs."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Never

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress_bar import ProgressBar
from rich.table import Table

from sameornot import __version__

if TYPE_CHECKING:
    import numpy as np

    from sameornot.bench.runner import Replication
    from sameornot.plots import FeatureShares, Stage
    from sameornot.session import ActiveSession

# Parts of the budget after which the demo's table has a line.
N_PARTS = 6
# How far back the bench's bar looks to reckon the time left, in seconds: to the start.
DAYS = 30 * 86400.0

app = typer.Typer(
    help="Group data with the fewest questions to a person: same kind, or not?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        typer.echo(f"sameornot {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and leave."),
    ] = False,
) -> None:
    """Hold the options that come before a command."""


@app.command()
def demo(
    questions: Annotated[int, typer.Option(help="How many questions may be asked.")] = 60,
    seed: Annotated[int, typer.Option(help="Another seed asks other questions.")] = 0,
    out: Annotated[Path, typer.Option(help="Where to save the picture (PNG).")] = Path("sameornot-demo.png"),
) -> None:
    """Group a small data set with simulated answers."""
    check_not_negative("--questions", questions)
    check_not_negative("--seed", seed)
    check_writable(out)
    from sameornot import ActiveSession
    from sameornot.datasets import load_breast_cancer
    from sameornot.plots import draw_session, save_png, session_picture

    console = Console(highlight=False, markup=False)
    X, diagnosis = load_breast_cancer()
    console.print(
        f"{len(X)} breast tumours, {X.shape[1]} measurements each, and no diagnosis: which are of one kind? "
        "A simulated expert is shown two at a time and says 'same' or 'different'; from the answers the "
        "program learns which measurements matter, and sorts all of them into two groups.\n",
    )
    session = ActiveSession(X, n_clusters=2, random_state=seed)
    stages = play(session, diagnosis, questions, console)
    picture = session_picture(X, session.result(), stages)
    console.print("", stage_table(stages), "", sep="\n")
    console.print("ARI: adjusted Rand index with the true diagnoses; 1 is perfect, 0 is chance.\n")
    console.print("The measurements that matter most, by their share of the metric:")
    console.print(feature_table(picture.features, console.width))
    try:
        save_png(draw_session(picture), out)
    except OSError as error:
        fail(f"the picture could not be saved: {error}")
    console.print(f"\nThe picture is in {out}", soft_wrap=True)
    console.print(
        "Try next: --questions 20 for an expert with less time, --seed 1 for other questions; "
        "README.md shows how to ask about a table of your own.",
    )


@app.command()
def bench(
    experiment: Annotated[
        str,
        typer.Argument(
            help="table1, table2, table3, figure1, figure2, figure3, figure4, theory or speed; a part, such "
            "as figure3-cancer or table1-unmixed; all; or report, which runs nothing."
        ),
    ],
    replications: Annotated[
        int | None, typer.Option(help="Seeds 0 up to this number; as in the paper unless given.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Replications at a time, each on one core.")] = 2,
    methods: Annotated[
        list[str] | None, typer.Option(help="Only these, by name or a part of it; 'all' adds the extras.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume/--fresh", help="Go on from the rows that are there, or set them aside.")
    ] = True,
    quick: Annotated[bool, typer.Option("--quick", help="Two replications, to see that it works.")] = False,
    rows: Annotated[Path, typer.Option(help="Folder of the result rows.")] = Path("sameornot-bench"),
    data: Annotated[
        Path | None, typer.Option(help="Folder that holds MEU-Mobile and urban land cover, at any depth.")
    ] = None,
    docs: Annotated[
        Path | None, typer.Option(help="Also write reproduction.md and its pictures here.")
    ] = None,
) -> None:
    """Regenerate a table or figure of the paper, beside the paper's own numbers."""
    check_at_least_one("--replications", replications)
    check_at_least_one("--jobs", jobs)
    if quick and replications is not None:
        fail("--quick and --replications are both given but one of them is needed")
    check_folder("--rows", rows)
    check_folder("--docs", docs)
    from sameornot.bench.runner import choose_runs, find_experiment, find_parts

    console = Console(highlight=False, markup=False)
    unread: list[str] = []
    try:
        parts = find_parts(experiment)
        runs = {name: choose_runs(find_experiment(name), methods) for name in parts}
        if experiment == "report" and not any(rows.glob("*.csv")):
            fail(f"there are no rows in {rows}: give their folder as --rows, or run a table or figure first")
        for name in parts:
            todo = plan(name, runs[name], 2 if quick else replications, resume, rows, data, console)
            unread += run_experiment(name, todo, rows, jobs, console)
        if not parts or len(unread) < len(parts):
            show_results(parts, rows, docs or rows, console)
    except (OSError, ValueError, ImportError) as error:
        fail(str(error))
    except (BrokenExecutor, MemoryError):
        fail(f"there was not enough memory; {what_remains(rows, resume)}, best with a smaller --jobs")
    except KeyboardInterrupt:
        fail(f"stopped; {what_remains(rows, resume)}", exit_code=130)  # as shells tell an interrupt
    if unread:
        fail("; ".join(unread))


def what_remains(rows: Path, resume: bool) -> str:
    """What a run that was cut short leaves, and how to go on."""
    command = "the same command" if resume else "the same command without --fresh"
    return f"what was finished is in {rows}, and {command} goes on from there"


def plan(
    name: str,
    runs: tuple[str, ...],
    replications: int | None,
    resume: bool,
    folder: Path,
    data: Path | None,
    console: Console,
) -> "list[Replication]":
    """What is to be done of one experiment, once earlier rows are out of the way if so wished."""
    from sameornot.bench.rows import RowFile
    from sameornot.bench.runner import find_experiment, missing

    rows = RowFile(folder / f"{name}.csv")
    if not resume and (aside := rows.set_aside()) is not None:
        console.print(f"the earlier rows are in {aside}", soft_wrap=True)
    todo = missing(name, runs, replications, rows, data)
    console.print(f"{find_experiment(name).title}: {len(todo)} replications to do", soft_wrap=True)
    return todo


def run_experiment(
    name: str, todo: "list[Replication]", folder: Path, jobs: int, console: Console
) -> list[str]:
    """Do the replications with the time left in sight, and tell if their data could not be read."""
    from sameornot.bench.machine import note_machine
    from sameornot.bench.rows import RowFile, RowsNotSaved
    from sameornot.bench.runner import run_all

    if not todo:
        return []
    try:
        with replication_bar(name, len(todo), console) as advance:

            def finished(_: "Replication") -> None:
                note_machine(folder)
                advance()

            run_all(todo, RowFile(folder / f"{name}.csv"), n_jobs=jobs, progress=finished)
    except RowsNotSaved:
        raise
    except OSError as error:
        return [f"{name}: {error} (with this command: --data FOLDER)"]
    except ImportError as error:
        return [f"{name}: {error}"]
    return []


@contextmanager
def replication_bar(name: str, n_replications: int, console: Console) -> Iterator[Callable[[], None]]:
    """Show how many are done and the time left, by the mean of all so far: one may take minutes."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    times = TimeElapsedColumn(), TimeRemainingColumn()
    with Progress(*columns, *times, console=console, speed_estimate_period=DAYS) as progress:
        task = progress.add_task(name, total=n_replications)
        progress.advance(task, 0)  # time counts from here, not from when the first is done
        yield lambda: progress.advance(task)


def show_results(parts: list[str], rows: Path, docs: Path, console: Console) -> None:
    """Draw the pictures, write the page, and print the numbers that were asked for."""
    from sameornot.bench.report import summary, write_report
    from sameornot.plots import draw_reproduction, save_png

    page, images = docs / "reproduction.md", docs / "images" / "reproduction"
    if numbers := summary(parts, rows):
        console.print(numbers, soft_wrap=True)
    try:
        images.mkdir(parents=True, exist_ok=True)
        for name, figure in draw_reproduction(rows):
            save_png(figure, images / f"{name}.png")
        write_report(rows, page, images="images/reproduction")
    except OSError as error:
        fail(f"the page could not be written ({error}): the rows are safe; make room and run `bench report`")
    console.print(f"\nThe page is {page}, its pictures are in {images}", soft_wrap=True)


def check_at_least_one(option: str, value: int | None) -> None:
    """Leave if a number is given and below 1."""
    if value is not None and value < 1:
        fail(f"{option} is {value} but 1 or more is needed")


def check_folder(option: str, folder: Path | None) -> None:
    """Leave before the work is done if a file is in the way of a folder."""
    if folder is not None and folder.exists() and not folder.is_dir():
        fail(f"{option} is {folder} but that is a file, and a folder is needed")


def check_not_negative(option: str, value: int) -> None:
    """Leave if a number is below 0."""
    if value < 0:
        fail(f"{option} is {value} but 0 or more is needed")


def check_writable(out: Path) -> None:
    """Leave before the work is done if its picture could not be saved."""
    folder = out.parent
    if out.suffix.lower() != ".png":
        fail(f"--out is {out} but a name that ends in .png is needed")
    if not folder.is_dir():
        fail(f"--out is {out} but there is no folder {folder}")
    if out.is_dir():
        fail(f"--out is {out} but that is a folder")
    if not os.access(out if out.exists() else folder, os.W_OK):
        fail(f"--out is {out} but it may not be written")


def fail(sentence: str, exit_code: int = 2) -> Never:
    """Say what is wrong and leave."""
    typer.echo(f"sameornot: {sentence}", err=True)
    raise typer.Exit(exit_code)


def play(session: "ActiveSession", truth: "np.ndarray", questions: int, console: Console) -> "list[Stage]":
    """Let an expert who knows the truth answer; one stage for each answer and one before the first."""
    from sameornot.oracles import truth as always_right
    from sameornot.plots import session_stage

    answer = always_right(truth)
    stages = [session_stage(session, truth)]
    columns = TextColumn("asking"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("asking", total=questions)
        while len(stages) <= questions and (pair := session.ask()) is not None:
            session.tell(answer(pair))
            stages.append(session_stage(session, truth))
            progress.advance(task)
    return stages


def stage_table(stages: "list[Stage]") -> Table:
    """Some lines of the course of a session, the first and the last among them."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for header in ("questions\nasked", "groups\nfound", "rows\nplaced", "agreement\n(ARI)"):
        table.add_column(header, justify="right", overflow="fold")
    last = len(stages) - 1
    for at in sorted({last * part // N_PARTS for part in range(N_PARTS + 1)}):
        stage = stages[at]
        table.add_row(str(stage.questions), str(stage.groups), str(stage.placed), f"{stage.agreement:.3f}")
    return table


def feature_table(features: "FeatureShares", width: int) -> Table:
    """The heaviest features, each with a bar."""
    table = Table.grid(padding=(0, 1))
    bar_width = max(8, min(40, width - 36))
    for name, weight in zip(features.names, features.weights, strict=True):
        bar = ProgressBar(total=features.weights[0], completed=weight, width=bar_width)
        table.add_row(name, f"{weight:.1%}", bar)
    return table
