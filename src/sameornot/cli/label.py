"""`sameornot label`: the page, on a table of one's own."""

from typing import TYPE_CHECKING, Annotated

import typer

from sameornot.cli import opening

if TYPE_CHECKING:
    from sameornot.service import Desk


def label(
    table: opening.TableArgument,
    clusters: opening.ClustersOption = None,
    id_column: opening.IdOption = None,
    show: opening.ShowOption = None,
    ignore: opening.IgnoreOption = None,
    image: opening.ImageOption = None,
    budget: opening.BudgetOption = None,
    store: opening.StoreOption = None,
    new: opening.NewOption = False,
    seed: opening.SeedOption = None,
    engine: opening.EngineOption = None,
    host: Annotated[
        str, typer.Option(help="Where to listen; other machines can reach 0.0.0.0.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes a free one.")] = 0,
    token: Annotated[
        str | None,
        typer.Option(envvar="SAMEORNOT_TOKEN", help="What opens the page; made anew unless given."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open a browser, or only print the address.")] = True,
) -> None:
    """Open the labelling page on a table; run again, it goes on where it stood."""
    opening.check_numbers(clusters, budget, seed)
    with opening.sentences():
        options = {"clusters": clusters, "id": id_column, "show": show, "ignore": ignore, "image": image}
        with opening.open_table(table, store, new, engine, **options, budget=budget, seed=seed) as desk:
            serve_desk(desk, host, port, token, browser)


def serve_desk(desk: "Desk", host: str, port: int, token: str | None, browser: bool) -> None:
    """Serve until Ctrl-C; say where the page is, and how to go on."""
    import secrets

    from sameornot.web.server import serve

    def say(address: str) -> None:
        typer.echo(f"{desk.title} is at {address}")
        typer.echo("Ctrl-C ends it; every answer is saved, and the same command goes on from there.")

    serve(
        desk,
        host=host,
        port=port,
        token=token or secrets.token_urlsafe(24),
        open_browser=browser and has_browser(),
        ready=say,
    )


def has_browser() -> bool:
    """Whether there is one that opens a window: a browser of the terminal would take the keys."""
    import os
    import sys
    import webbrowser

    if sys.platform not in ("win32", "darwin") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True
