"""`./run reproduce`: the paper's tables and figures beside its own numbers, and the questions benchmark."""

from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, Never

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from sameornot.engine import LOCAL, Cluster, ClusterLost, connect

if TYPE_CHECKING:
    from reproduction.runner import Replication

# The period over which the bar estimates the time left, in seconds: since the start.
DAYS = 30 * 86400.0

# Of the rows and of the pages.
FOLDERS = Path("benchmarks/rows"), Path("docs")
QUICK_FOLDERS = Path("results/quick/rows"), Path("results/quick/docs")

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def reproduce(
    experiment: Annotated[
        str,
        typer.Argument(
            help="table1, table2, table3, figure1, figure2, figure3, figure4, theorem1, corollary1, theory, "
            "theorem3, speed, loop, strategies, rivals, regrouped or questions; a part, such as "
            "figure3-cancer, table1-unmixed or questions-wine; all, which is all but questions; or report, "
            "which only writes the pages."
        ),
    ] = "all",
    replications: Annotated[
        int | None, typer.Option(help="Seeds 0 to this number - 1. If omitted, as many as in the paper.")
    ] = None,
    jobs: Annotated[
        int, typer.Option(help="Replications at a time, each on one core. --engine decides for itself.")
    ] = 2,
    engine: Annotated[
        str | None,
        typer.Option(
            help="Dask engine: local, or the scheduler's tcp://… address. Its workers need the folder of "
            "--data under the same name."
        ),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(help="Only the methods with this in their name; 'all' includes the extras."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume/--fresh", help="Keep the existing rows, or set them aside.")
    ] = True,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="A few seeds, questions and methods of everything, within minutes, in a folder of its own.",
        ),
    ] = False,
    rows: Annotated[
        Path | None,
        typer.Option(help="Folder of the rows; benchmarks/rows, or results/quick/rows with --quick."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder with MEU-Mobile and urban land cover, at any depth."),
    ] = None,
    docs: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the pages and their pictures; docs, or results/quick/docs with --quick."
        ),
    ] = None,
) -> None:
    """Regenerate the tables and figures of the paper and compare them with its own numbers.

    Finished replications are kept: the same command resumes an interrupted run.
    """
    check_at_least_one("--replications", replications)
    check_at_least_one("--jobs", jobs)
    if quick and replications is not None:
        fail("--quick and --replications are both given but only one of them can be used")
    default_rows, default_docs = QUICK_FOLDERS if quick else FOLDERS
    options = Options(replications, jobs, resume, rows or default_rows, data, docs or default_docs, quick)
    check_folder("--rows", options.rows)
    check_folder("--docs", options.docs)
    console = Console(highlight=False, markup=False)
    try:
        unread = run_parts(experiment, methods, engine, options, console)
    except ClusterLost as lost:
        fail(f"{lost}; {options.what_remains()}")
    except (OSError, ValueError, ImportError) as error:
        fail(str(error))
    except (BrokenExecutor, MemoryError):
        less = "a smaller --jobs" if engine is None else "more memory for each worker"
        fail(f"there was not enough memory; {options.what_remains()}, preferably with {less}")
    except KeyboardInterrupt:
        fail(f"stopped; {options.what_remains()}", exit_code=130)  # what shells report for an interrupt
    if unread:
        fail("; ".join(unread))


class Options(NamedTuple):
    """How replications are run, and where rows and pages go."""

    replications: int | None
    jobs: int
    resume: bool
    rows: Path
    data: Path | None
    docs: Path
    quick: bool = False

    def what_remains(self) -> str:
        """What an interrupted run leaves, and how to resume it."""
        command = "the same command" if self.resume else "the same command without --fresh"
        return f"finished replications are in {self.rows}, and {command} resumes from there"


def fail(sentence: str, exit_code: int = 2) -> Never:
    """Print what is wrong and exit."""
    typer.echo(f"reproduce: {' '.join(sentence.splitlines())}", err=True)
    raise typer.Exit(exit_code)


def check_at_least_one(option: str, value: int | None) -> None:
    """Exit if a number is given and below 1."""
    if value is not None and value < 1:
        fail(f"{option} is {value} but 1 or more is needed")


def check_folder(option: str, folder: Path) -> None:
    """Exit if a file has the name of the folder."""
    if folder.exists() and not folder.is_dir():
        fail(f"{option} is {folder} but that is a file, and a folder is needed")


def run_parts(
    experiment: str,
    methods: list[str] | None,
    engine: str | None,
    options: Options,
    console: Console,
) -> list[str]:
    """Run what is missing and show the results; return a message for each part without data."""
    from reproduction.runner import choose_runs, find_experiment, find_parts

    parts = find_parts(experiment)
    runs = {name: choose_runs(find_experiment(name, quick=options.quick), methods) for name in parts}
    if experiment == "report" and not any(options.rows.glob("*.csv")):
        fail(f"there are no rows in {options.rows}: pass their folder as --rows, or run an experiment first")
    unread: list[str] = []
    with open_cluster(engine if parts else None) as cluster:
        if options.data and cluster:
            options = options._replace(data=options.data.absolute())
        for name in parts:
            todo = plan(name, runs[name], options, console)
            unread += run_experiment(name, todo, options, cluster, console)
    if not parts or len(unread) < len(parts):
        show_results(parts, options, console)
    return unread


def open_cluster(engine: str | None) -> AbstractContextManager[Cluster | None]:
    """The cluster that does the work, connected before any rows are set aside; None for this process."""
    return nullcontext() if engine is None else connect(engine)


def plan(name: str, runs: tuple[str, ...], options: Options, console: Console) -> "list[Replication]":
    """The replications to do for one experiment, after setting earlier rows aside if asked to."""
    from reproduction.rows import RowFile
    from reproduction.runner import find_experiment, missing

    rows = RowFile(options.rows / f"{name}.csv")
    if not options.resume and (aside := rows.set_aside()) is not None:
        console.print(f"the earlier rows are in {aside}", soft_wrap=True)
    todo = missing(name, runs, options.replications, rows, options.data, quick=options.quick)
    console.print(f"{find_experiment(name).title}: {len(todo)} replications to do", soft_wrap=True)
    return todo


def run_experiment(
    name: str, todo: "list[Replication]", options: Options, cluster: Cluster | None, console: Console
) -> list[str]:
    """Do the replications with a progress bar; return a message if their data could not be read."""
    from reproduction.machine import note_machine
    from reproduction.rows import RowFile, RowsNotSaved
    from reproduction.runner import run_all

    if not todo:
        return []
    try:
        with replication_bar(name, len(todo), console) as advance:

            def finished(_: "Replication") -> None:
                if cluster is None or cluster.engine == LOCAL:
                    note_machine(options.rows)
                advance()

            rows = RowFile(options.rows / f"{name}.csv")
            run_all(todo, rows, n_jobs=options.jobs, cluster=cluster, progress=finished)
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
        progress.advance(task, 0)  # starts the clock now, not when the first is done
        yield lambda: progress.advance(task)


def show_results(parts: list[str], options: Options, console: Console) -> None:
    """Print the numbers of the parts, draw the pictures, and write the pages."""
    from reproduction.pages import IMAGES, write_pages
    from reproduction.report import summary

    docs = options.docs
    if numbers := summary(parts, options.rows):
        console.print(numbers, soft_wrap=True)
    try:
        write_pages(options.rows, docs, quick=options.quick)
    except OSError as error:
        fail(
            f"the pages could not be written ({error}): the rows are safe; free some space and run "
            "`./run reproduce report`"
        )
    console.print(
        f"\nThe page is {docs / 'reproduction.md'}, its pictures are in {docs / IMAGES}", soft_wrap=True
    )
