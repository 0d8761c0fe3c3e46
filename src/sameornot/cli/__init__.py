"""The command `sameornot`: a thin layer over service and export. Heavy imports are deferred."""

import io
import sys
from typing import Annotated

import typer

from sameornot import __version__
from sameornot.cli.ask import ask
from sameornot.cli.assign import assign
from sameornot.cli.backup import backup, delete, restore
from sameornot.cli.bench import bench
from sameornot.cli.demo import demo
from sameornot.cli.export import export
from sameornot.cli.label import label
from sameornot.cli.links import invite, links, revoke
from sameornot.cli.report import report
from sameornot.cli.sessions import sessions

app = typer.Typer(
    help="Group data with the fewest questions to a person: same kind, or not?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def show_version(is_asked: bool) -> None:
    """Print the version and exit."""
    if is_asked:
        typer.echo(f"sameornot {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Options before the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # "?" for characters that the terminal cannot show


for command in (label, ask, export, report, assign, sessions, delete, backup, restore, invite, links, revoke):
    app.command()(command)
app.command()(demo)
app.command(hidden=True, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})(bench)
