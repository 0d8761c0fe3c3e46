"""How `label`, `ask`, `export` and `report` come to a desk: the options that they share, and the errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sameornot.cli.common import check_at_least_one, check_not_negative, fail, harmless

if TYPE_CHECKING:
    from sameornot.service import Desk
    from sameornot.store import SessionLine, Store
    from sameornot.table import Excerpt

# A file of more bytes than this, and any folder, is not read at once, and the person is told so.
LARGE = 20_000_000

TableArgument = Annotated[
    Path,
    typer.Argument(help="A CSV, TSV, Parquet or XLSX file, one record a row; or a folder of Parquet files."),
]
EngineOption = Annotated[
    str | None,
    typer.Option("--engine", help="Who reads a folder's files: local, or a Dask scheduler's tcp://…"),
]
ClustersOption = Annotated[
    int | None, typer.Option("--clusters", help="How many groups there are; found on the way unless given.")
]
IdOption = Annotated[str | None, typer.Option("--id", help="The column that names a record.")]
ShowOption = Annotated[
    list[str] | None,
    typer.Option("--show", help="Only show these columns: a,b,c; all that are learned from unless given."),
]
IgnoreOption = Annotated[
    list[str] | None, typer.Option("--ignore", help="Do not learn from these columns: a,b,c.")
]
ImageOption = Annotated[
    str | None,
    typer.Option("--image", help="The column with the path of a picture, from the table's folder."),
]
BudgetOption = Annotated[
    int | None,
    typer.Option("--budget", help="How many questions are planned; 30 for each group unless given."),
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store", help="Where sessions are kept: a file, or postgresql://…; your own file if not given."
    ),
]
NewOption = Annotated[bool, typer.Option("--new", help="Begin anew; earlier answers stay in the store.")]
SeedOption = Annotated[int | None, typer.Option("--seed", help="Another seed asks other questions.")]
SessionArgument = Annotated[
    str | None,
    typer.Argument(help="A session's name, as `sameornot sessions` lists it; the last unless given."),
]


def check_numbers(clusters: int | None, budget: int | None, seed: int | None) -> None:
    """Leave if one of the options that are numbers is too small."""
    check_at_least_one("--clusters", clusters)
    check_at_least_one("--budget", budget)
    check_not_negative("--seed", seed)


@contextmanager
def sentences() -> Iterator[None]:
    """Turn what a person can change into one sentence and an exit."""
    problems = find_problems()
    try:
        yield
    except problems as error:
        fail(str(error))
    except BrokenPipeError:  # whoever read what is printed has left: nobody to tell
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        fail(f"{where}{error.strerror or error}")
    except ImportError as error:
        fail(missing(error))
    except MemoryError:
        fail("there is not enough memory for this table: leave out columns, or take fewer rows")


def find_problems() -> tuple[type[Exception], ...]:
    """All that the commands complain of in one sentence."""
    try:
        from sameornot.export import EngineProblem, ModelProblem
        from sameornot.service import DeskProblem
        from sameornot.store import StoreProblem
        from sameornot.table import TableProblem
        from sameornot.web.server import ServerProblem
    except ImportError as error:
        fail(missing(error))
    return DeskProblem, EngineProblem, ModelProblem, ServerProblem, StoreProblem, TableProblem


def missing(error: ImportError) -> str:
    """What to install."""
    return f"{error.name} is needed for this and is not installed: pip install 'sameornot[page]'"


def split_columns(columns: list[str] | None) -> list[str] | None:
    """Names given as a,b,c or by repeating the option."""
    return None if columns is None else [name for words in columns for name in words.split(",") if name]


@contextmanager
def open_table(
    table: Path, store: str | None, new: bool, engine: str | None = None, **options: Any
) -> "Iterator[Desk]":
    """The desk of a table's session."""
    from sameornot.service import Desk, Options
    from sameornot.store import default_store, open_store

    wanted = Options(**{name: _plain(value) for name, value in options.items()})
    read = read_patiently(table, engine)
    kept = open_store(store or default_store())
    try:
        title = harmless(table.name)
        desk = Desk.open(kept, read, title=title, path=table, new=new, options=wanted)
    except BaseException:
        kept.close()
        raise
    try:
        yield desk
    finally:
        desk.close()


def read_patiently(table: Path, engine: str | None = None) -> "Excerpt":
    """The table; who waits for it is told so."""
    from sameornot.table import read_excerpt

    if engine is not None and not table.is_dir():
        fail(f"--engine is for a folder of Parquet files, and {table} is one file")
    if table.is_dir() or (table.is_file() and table.stat().st_size > LARGE):
        typer.echo(f"Reading {harmless(table.name)}: this may take a minute.", err=True)
    return read_excerpt(table, engine)


def _plain(value: Any) -> Any:
    return split_columns(value) if isinstance(value, list) else value


@contextmanager
def open_session(
    session: str | None, store: str | None, table: Path | None, engine: str | None = None
) -> "Iterator[Desk]":
    """The desk of a session that is in the store, to be read and not to be answered."""
    from sameornot.service import Desk
    from sameornot.store import default_store, open_store

    kept = open_store(store or default_store())
    try:
        line = find_session(kept, session)
        path = table or (Path(line.opened["path"]) if line.opened["path"] else None)
        if path is None:
            fail(f"session {line.session} was begun on a table without a file: give it with --table")
        name, title = line.session, line.title
        read = read_patiently(path, engine)
        yield Desk.open(kept, read, title=title, path=path, session=name, ahead=False)
    finally:
        kept.close()


def find_session(store: "Store", session: str | None) -> "SessionLine":
    """The session of that name, or the last one."""
    lines = store.sessions()
    if not lines:
        fail("there is no session yet: begin one with `sameornot label TABLE`")
    if session is None:
        return lines[0]
    found = next((line for line in lines if line.session == session), None)
    if found is None:
        known = ", ".join(line.session for line in lines[:5])
        fail(f"there is no session {session!r}: the last ones are {known}")
    return found
