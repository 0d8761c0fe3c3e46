"""What the README shows works: its Python runs, its commands exist."""

import re
import subprocess
import textwrap
from pathlib import Path
from typing import NamedTuple

from typer.main import get_command

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


class Block(NamedTuple):
    language: str
    line: int
    text: str


def fenced_blocks(markdown: str) -> list[Block]:
    """Cut the ``` blocks out of a page, each with the number of its first line."""
    fence = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
    return [
        Block(match[1], markdown.count("\n", 0, match.start(2)) + 1, textwrap.dedent(match[2]))
        for match in fence.finditer(markdown)
    ]


def shell_lines(blocks: list[Block]) -> list[str]:
    """List what a reader would type: all of a shell block, the lines after a `$` in a console block."""
    lines = [(block.language, line) for block in blocks for line in block.text.splitlines()]
    return [
        line.removeprefix("$ ")
        for language, line in lines
        if language in {"sh", "bash"} or (language == "console" and line.startswith("$ "))
    ]


def subcommands(program: str, lines: list[str]) -> set[str]:
    """Collect the words that follow `program` where it starts a command."""
    call = re.compile(rf"(?:^|[|;&] *)(?:python3? -m |\S*/)?{re.escape(program)} +([a-z][\w-]*)")
    return {word for line in lines for word in call.findall(line)}


def test_commands_are_found_where_a_reader_would_type_them():
    page = (
        "Text: sameornot never.\n```sh\nsameornot demo --seed 1\ncd x && .venv/bin/sameornot label a.csv\n"
        "pip install sameornot extra\n```\n```\nsameornot plain\n```\n"
        "```console\n$ sameornot show\nsameornot prints this\n```\n"
    )
    assert subcommands("sameornot", shell_lines(fenced_blocks(page))) == {"demo", "label", "show"}


def test_python_blocks_run_in_order(tmp_path, monkeypatch):
    blocks = [block for block in fenced_blocks(README) if block.language == "python"]
    assert blocks, "README.md shows no Python"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    namespace = {"__name__": "readme"}
    for block in blocks:
        # The empty lines make a traceback name the README's own line.
        code = compile("\n" * (block.line - 1) + block.text, str(ROOT / "README.md"), "exec")
        exec(code, namespace)


def test_run_commands_exist():
    help_text = subprocess.run([ROOT / "run", "help"], capture_output=True, text=True, check=True).stdout
    offered = set(re.findall(r"^  ([a-z]+)", help_text, re.MULTILINE))
    mentioned = set(re.findall(r"\./run +([a-z][\w-]*)", README))
    assert mentioned, "README.md does not say how to start"
    assert mentioned <= offered


def test_sameornot_commands_exist():
    from sameornot.cli import app

    mentioned = subcommands("sameornot", shell_lines(fenced_blocks(README)))
    assert mentioned <= set(get_command(app).commands)
