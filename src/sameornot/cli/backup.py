"""`sameornot backup`, `restore` and `delete`: whole sessions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sameornot.cli.common import check_file, fail, printable
from sameornot.cli.errors import explained_errors, explained_write_errors
from sameornot.cli.opening import find_session
from sameornot.cli.options import StoreOption

if TYPE_CHECKING:
    from sameornot.store import SessionLine


def backup(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="File to write.")],
    session: Annotated[
        list[str] | None, typer.Option("--session", help="Only this session. It can be given several times.")
    ] = None,
    store: StoreOption = None,
) -> None:
    """Write the sessions of a store to one file, to be kept or moved to another store.

    Tables are not in it.
    """
    check_file(out)
    with explained_errors():
        from sameornot.export import atomic_replace
        from sameornot.store import default_store, open_store, write_backup

        opened = open_store(store or default_store())
        try:
            lines = [find_session(opened, name) for name in session] if session else opened.sessions()
            with explained_write_errors(out), atomic_replace(out) as temporary:
                temporary.touch(mode=0o600)
                with temporary.open("wb") as file:
                    n_events = write_backup(opened, file, [line.session for line in lines])
        finally:
            opened.close()
    typer.echo(printable(f"{out}: {counted(len(lines), 'session')}, {counted(n_events, 'event')}"))


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `sameornot backup` wrote.")],
    store: StoreOption = None,
) -> None:
    """Add the sessions of a backup to a store. Sessions that it has are never overwritten."""
    if not file.is_file():
        fail(f"there is no file {file}: check the name and the folder")
    with explained_errors():
        from sameornot.store import default_store, open_store, read_backup, restore_backup

        sessions = read_backup(file)
        opened = open_store(store or default_store())
        try:
            for found in restore_backup(opened, sessions):
                typer.echo(printable(f"{found.session}: {counted(found.n_events, 'event')}, {found.outcome}"))
        finally:
            opened.close()


def delete(
    session: Annotated[str, typer.Argument(help="Name of a session, as listed by `sameornot sessions`.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    store: StoreOption = None,
) -> None:
    """Delete a session with all of its answers and links, for good. Its table stays."""
    with explained_errors():
        from sameornot.store import default_store, open_store

        opened = open_store(store or default_store())
        try:
            line = find_session(opened, session)
            if not yes and not typer.confirm(printable(question(line))):
                typer.echo("Nothing was deleted.")
                raise typer.Exit(1)
            n_events = opened.delete(line.session)
        finally:
            opened.close()
    typer.echo(printable(f"{line.session} was deleted: {counted(n_events, 'event')}."))


def question(line: "SessionLine") -> str:
    """What is asked before a session is deleted."""
    last = line.last.astimezone().strftime("%Y-%m-%d %H:%M")
    return (
        f"Delete session {line.session} about {line.title}, with {counted(line.n_answers, 'answer')}, "
        f"the last of {last}? This cannot be undone"
    )


def counted(number: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "event"), counted(2000, "event")
    ('1 event', '2,000 events')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
