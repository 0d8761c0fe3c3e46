"""The command `sameornot`: a thin skin over service, export and bench. Heavy imports wait for a command."""

import io
import sys
from typing import Annotated

import typer

from sameornot import __version__
from sameornot.cli.ask import ask
from sameornot.cli.bench import bench
from sameornot.cli.demo import demo
from sameornot.cli.label import label
from sameornot.cli.takeaway import assign, export, report, sessions

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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a sign shows "?" instead


for command in (label, ask, export, report, assign, sessions, demo, bench):
    app.command()(command)
