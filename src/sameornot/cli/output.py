"""Write the files of a command, and show how many rows are done."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)

from sameornot.cli.common import printable
from sameornot.cli.errors import explained_write_errors


@contextmanager
def row_counter() -> Iterator[Callable[[int], None]]:
    """Yield a function that shows the number of rows done, if the command runs in a terminal."""
    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn("{task.completed:,.0f} rows")
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("rows", total=None)
        yield lambda rows: progress.update(task, completed=rows)


@contextmanager
def embedding_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows how many texts or pictures are embedded, if in a terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("Embedding {task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None, visible=False)

        def show(items: str, done: int, total: int) -> None:
            progress.update(task, description=items, completed=done, total=total, visible=done < total)

        yield show


def write_text(path: Path, text: str) -> None:
    """Write a file atomically, and print its path."""
    from sameornot.export import atomic_replace

    with explained_write_errors(path), atomic_replace(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")
    typer.echo(printable(str(path)))
