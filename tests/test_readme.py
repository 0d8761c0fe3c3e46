"""What the documents show works: the README's Python runs, commands, links, files and settings exist."""

import inspect
import re
import subprocess
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.main import get_command

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
WITH_LINKS = ("*.md", "docs/*.md", "benchmarks/*.md", "benchmarks/results/*.md", "parity/*.md")
PAGES = [page for pattern in WITH_LINKS for page in ROOT.glob(pattern)]
NAMING_FILES = ["README.md", "benchmarks/README.md", "docs/choices.md"]


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


def without_blocks(markdown: str) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^ *```.*?^ *```", "", markdown, flags=re.MULTILINE | re.DOTALL)


def relative_links(markdown: str) -> list[str]:
    """Where the links and pictures of a page lead to inside of the repository, without anchors."""
    targets = re.findall(r"\]\(([^()\s]+)\)", without_blocks(markdown))
    return [target.split("#")[0] for target in targets if "://" not in target and not target.startswith("#")]


def named_files(markdown: str) -> list[str]:
    """Python files, pages and folders that a page names in backticks."""
    return re.findall(r"`((?:[\w.-]+/)*[\w.-]+(?:\.py|\.md|/))`", without_blocks(markdown))


def named_settings(markdown: str) -> list[tuple[str, str]]:
    """Class and setting, where a page names both in backticks: `EnsembleConfig.checkpoint_growth`."""
    return re.findall(r"`([A-Z]\w+)\.([a-z_]\w*)`", without_blocks(markdown))


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


def test_links_files_and_settings_are_found_outside_of_blocks():
    page = (
        "A [link](docs/a.md#part), ![a picture](b.png), [`c.py`](src/c.py), [far](https://far.away/d.md) and "
        "[near](#part).\n```py\n[e](f.md) `g.py` `Box.low`\n```\n"
        "In `h/i.py`, `j/` and `k.md`, not `l.csv`: `Box.size`, `box.high`."
    )
    assert relative_links(page) == ["docs/a.md", "b.png", "src/c.py"]
    assert named_files(page) == ["c.py", "h/i.py", "j/", "k.md"]
    assert named_settings(page) == [("Box", "size")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page):
    links = relative_links(page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", NAMING_FILES)
def test_files_that_are_named_exist(page):
    named = named_files((ROOT / page).read_text("utf-8"))
    assert named, f"{page} names no file"
    assert [name for name in named if not is_somewhere(name)] == []


def is_somewhere(name: str) -> bool:
    """Whether a file or folder of this name, or with this end of a path, is in the repository."""
    parents = ("", "src/sameornot", "benchmarks", "docs")
    if any((ROOT / parent / name).exists() for parent in parents):
        return True
    return any(any((ROOT / parent).glob(f"**/{name}")) for parent in parents[1:])


def test_settings_that_the_choices_name_exist():
    import sameornot
    from sameornot import query
    from sameornot.ensemble import config

    def parameters(owner: str) -> list[str]:
        homes = (home for home in (sameornot, query, config) if hasattr(home, owner))
        return list(inspect.signature(getattr(next(homes), owner)).parameters)

    named = named_settings((ROOT / "docs/choices.md").read_text("utf-8"))
    assert named, "docs/choices.md names no setting"
    missing = [f"{owner}.{setting}" for owner, setting in named if setting not in parameters(owner)]
    assert missing == []


@pytest.mark.slow
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
