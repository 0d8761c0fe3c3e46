"""`sameornot bench`: the paper's tables and figures, beside the paper's own numbers."""

from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

from sameornot.cli.common import check_at_least_one, check_folder, fail
from sameornot.engine import LOCAL, Cluster, ClusterLost, connect

if TYPE_CHECKING:
    from sameornot.bench.runner import Replication

# How far back the bar looks to reckon the time left, in seconds: to the start.
DAYS = 30 * 86400.0


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
    jobs: Annotated[
        int, typer.Option(help="Replications at a time, each on one core; --engine has its own number.")
    ] = 2,
    engine: Annotated[
        str | None,
        typer.Option(
            help="Who does the replications: local, or a Dask scheduler's tcp://…, whose workers need the "
            "folder of --data by the same name."
        ),
    ] = None,
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
        with open_cluster(engine if parts else None) as cluster:
            folder = data.absolute() if data and cluster else data
            for name in parts:
                todo = plan(name, runs[name], 2 if quick else replications, resume, rows, folder, console)
                unread += run_experiment(name, todo, rows, jobs, cluster, console)
        if not parts or len(unread) < len(parts):
            show_results(parts, rows, docs or rows, console)
    except ClusterLost as lost:
        fail(f"{lost}; {what_remains(rows, resume)}")
    except (OSError, ValueError, ImportError) as error:
        fail(str(error))
    except (BrokenExecutor, MemoryError):
        less = "a smaller --jobs" if engine is None else "more memory for each worker"
        fail(f"there was not enough memory; {what_remains(rows, resume)}, best with {less}")
    except KeyboardInterrupt:
        fail(f"stopped; {what_remains(rows, resume)}", exit_code=130)  # as shells tell an interrupt
    if unread:
        fail("; ".join(unread))


def open_cluster(engine: str | None) -> AbstractContextManager[Cluster | None]:
    """The cluster that is to do the work, before anything is set aside for it; None for this process."""
    return nullcontext() if engine is None else connect(engine)


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
    name: str,
    todo: "list[Replication]",
    folder: Path,
    jobs: int,
    cluster: Cluster | None,
    console: Console,
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
                if cluster is None or cluster.engine == LOCAL:
                    note_machine(folder)
                advance()

            rows = RowFile(folder / f"{name}.csv")
            run_all(todo, rows, n_jobs=jobs, cluster=cluster, progress=finished)
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
    from sameornot.bench.fewer_report import write_page
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
        write_page(rows, docs / "fewer-questions.md", images="images/reproduction")
    except OSError as error:
        fail(f"the page could not be written ({error}): the rows are safe; make room and run `bench report`")
    console.print(f"\nThe page is {page}, its pictures are in {images}", soft_wrap=True)
