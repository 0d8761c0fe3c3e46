"""`sameornot sessions`: list the sessions in the store."""

from typing import TYPE_CHECKING

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from sameornot.cli.common import printable
from sameornot.cli.errors import explained_errors
from sameornot.cli.options import StoreOption

if TYPE_CHECKING:
    from sameornot.store import SessionLine


def sessions(store: StoreOption = None) -> None:
    """List the sessions in the store, the last one first."""
    with explained_errors():
        from sameornot.store import default_store, open_store

        opened = open_store(store or default_store())
        lines = opened.sessions()
        opened.close()
    if not lines:
        typer.echo("There is no session yet: begin one with `sameornot label TABLE`.")
        return
    Console(highlight=False, markup=False, emoji=False).print(sessions_table(lines))


def sessions_table(lines: "list[SessionLine]") -> Table:
    """One line per session: name, number of answers, size, when it began and went on last, and the table."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for header in ("session", "answers", "size", "began", "last", "table"):
        is_number = header in ("answers", "size")
        table.add_column(header, overflow="fold", justify="right" if is_number else "left")
    for line in lines:
        began = line.began.astimezone().strftime("%Y-%m-%d")
        last = line.last.astimezone().strftime("%Y-%m-%d %H:%M")
        place = printable(line.opened.get("path") or line.title)
        table.add_row(line.session, str(line.n_answers), shown_size(line.n_bytes), began, last, place)
    return table


def shown_size(n_bytes: int) -> str:
    """A size in decimal units.

    >>> shown_size(900), shown_size(12_345), shown_size(6_000_000)
    ('900 B', '12.3 kB', '6.0 MB')
    """
    for unit, size in (("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes} B"
