"""`sameornot invite`, `links` and `revoke`: personal links to a session."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from sameornot.cli.common import printable
from sameornot.cli.errors import explained_errors
from sameornot.cli.opening import find_session
from sameornot.cli.options import SessionArgument, StoreOption

if TYPE_CHECKING:
    from sameornot.service.session_links import SessionLinks

SessionName = Annotated[str, typer.Argument(help="Name of a session, as listed by `sameornot sessions`.")]


def invite(
    session: SessionName,
    name: Annotated[str, typer.Argument(help="Name of the person: it stands beside her answers.")],
    role: Annotated[
        str,
        typer.Option(help="annotate: answer questions. manage: also invite others and download the results."),
    ] = "annotate",
    days: Annotated[
        float | None, typer.Option(help="Days after which the link expires. By default it does not.")
    ] = None,
    public_url: Annotated[
        str | None, typer.Option("--public-url", help="Address of the page, to print the whole link.")
    ] = None,
    store: StoreOption = None,
) -> None:
    """Make a personal link to a session. It is shown once: only a hash of it is stored."""
    with explained_errors():
        from sameornot.web.address import PublicUrl

        front = None if public_url is None else PublicUrl.read(public_url).front
        with session_links(session, store) as links:
            made = links.invite("", name, role, days)
    until = "" if made["link"]["expires"] is None else f", until {shown_time(made['link']['expires'])}"
    typer.echo(printable(f"Link {made['link']['id']} for {made['link']['name']} ({role}{until}):"))
    typer.echo(f"{front or ''}?token={made['token']}")
    if front is None:
        typer.echo("Put this behind the address of the page, or give --public-url to print the whole link.")
    typer.echo("It is a password: send it to this person only. `sameornot revoke` takes it back.")


def revoke(
    session: SessionName,
    link: Annotated[str, typer.Argument(help="The link: its id, or the name of its person.")],
    store: StoreOption = None,
) -> None:
    """Take back a personal link. The answers that were given with it stay."""
    with explained_errors(), session_links(session, store) as links:
        links.revoke("", link)
    typer.echo(printable(f"The link of {link} opens nothing any more. Its answers stay."))


def links(session: SessionArgument = None, store: StoreOption = None) -> None:
    """List the personal links to a session."""
    with explained_errors(), session_links(session, store) as found:
        lines = found.lines()
    if not lines:
        typer.echo("There is no link yet: make one with `sameornot invite SESSION NAME`.")
        return
    Console(highlight=False, markup=False, emoji=False).print(links_table(lines))


def links_table(lines: list[dict[str, Any]]) -> Table:
    """One line per link: id, name, role, number of answers, and until when it opens the session."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for header in ("link", "name", "role", "answers", "made", "opens until"):
        table.add_column(header, overflow="fold", justify="right" if header == "answers" else "left")
    for line in lines:
        until = "revoked" if line["revoked"] else "always"
        if line["expires"] and not line["revoked"]:
            until = shown_time(line["expires"]) + ("" if line["open"] else " (expired)")
        name, made = printable(line["name"]), shown_time(line["made"])
        table.add_row(line["id"], name, line["role"], str(line["answers"]), made, until)
    return table


def shown_time(time: str) -> str:
    """A stored time on the clock of this machine."""
    from datetime import datetime

    return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")


@contextmanager
def session_links(session: str | None, store: str | None) -> "Iterator[SessionLinks]":
    """The links of a session; its table is not needed."""
    from sameornot.service.session_links import SessionLinks
    from sameornot.store import default_store, open_store

    opened = open_store(store or default_store())
    try:
        yield SessionLinks.of(opened, find_session(opened, session))
    finally:
        opened.close()
