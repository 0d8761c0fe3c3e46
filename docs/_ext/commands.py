"""The directive `sameornot-commands`: every command and option, from the programs themselves."""

from collections.abc import Iterator

import typer
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata


class Commands(SphinxDirective):
    """A section for each command, with a table of its arguments and options."""

    def run(self) -> list[nodes.Node]:
        """Build the sections."""
        from sameornot.cli import app

        program = typer.main.get_command(app)
        return [section(name, command) for name, command in program.commands.items() if not command.hidden]  # type: ignore[attr-defined]


def section(name: str, command: typer.core.TyperCommand) -> nodes.section:
    """What a command does, and the table of its parameters."""
    found = nodes.section(ids=[f"command-{name}"], names=[name])
    found += nodes.title("", "", nodes.literal("", f"sameornot {name}"))
    found += nodes.paragraph("", (command.help or "").strip().replace("\n", " "))
    rows = list(parameter_rows(command))
    if rows:
        found += table(rows)
    return found


def parameter_rows(command: typer.core.TyperCommand) -> Iterator[tuple[str, str]]:
    """Names and explanation of each parameter, arguments first."""
    for parameter in command.params:
        names = [*parameter.opts, *parameter.secondary_opts]
        shown = (
            (parameter.name or "").upper() if parameter.param_type_name == "argument" else ", ".join(names)
        )
        words = getattr(parameter, "help", "") or ""
        default = parameter.default
        if (
            parameter.param_type_name == "option"
            and isinstance(default, str | int)
            and not isinstance(default, bool)
        ):
            words += f" Default: {default}."
        if parameter.envvar:
            words += f" Environment variable: {parameter.envvar}."
        if parameter.name != "help":
            yield shown, words


def table(rows: list[tuple[str, str]]) -> nodes.table:
    """Two columns: what is typed, and what it means."""
    body = nodes.tbody()
    for shown, words in rows:
        name = nodes.entry("", nodes.paragraph("", "", nodes.literal("", shown)))
        body += nodes.row("", name, nodes.entry("", nodes.paragraph("", words)))
    columns = [nodes.colspec(colwidth=width) for width in (25, 75)]
    return nodes.table("", nodes.tgroup("", *columns, body, cols=2))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("sameornot-commands", Commands)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
