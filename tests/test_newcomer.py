"""A newcomer who follows CONTRIBUTING.md to the letter adds a strategy and a clusterer that work.

The new file and the lines that register it are read from the page, and written into a copy of the package.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
SECTION = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(\w+)\n# (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)

USES = {
    "Add a strategy": """
from sameornot import ActiveSession, simulate
from sameornot.query import STRATEGIES
assert type(ActiveSession(X, 3, strategy=NAME).strategy) is STRATEGIES[NAME]
curve = simulate(X, y, 3, strategy=NAME, budget=80, checkpoints=[0, 80], random_state=0)
""",
    "Add a clusterer": """
from sameornot import ActiveSession, simulate
from sameornot.registry import CLUSTERERS
assert type(ActiveSession(X, 3, clusterer=NAME).clusterer) is CLUSTERERS[NAME]
partial = [int(label) if row < 9 else -1 for row, label in enumerate(y)]
model = CLUSTERERS[NAME](n_clusters=3, random_state=0).fit(X, partial)
assert model.predict(X).shape == model.labels_.shape
assert model.predict_proba(X).shape == (len(X), 3)
curve = simulate(X, y, 3, clusterer=NAME, budget=80, checkpoints=[0, 80], random_state=0)
""",
}


class Block(NamedTuple):
    """A fenced block whose first line names the file that it belongs to."""

    language: str
    path: str
    text: str


def blocks_of(title):
    sections = dict(SECTION.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8")))
    return [Block(*found) for found in BLOCK.findall(sections[title])]


def insert(source, diff):
    """Insert each line marked with "+" below the line above it, which occurs once."""
    lines, above = source.splitlines(), None
    for line in diff.splitlines():
        mark, text = line[:1], line[1:]
        if mark == "+":
            assert lines.count(above) == 1, f"{above!r} occurs {lines.count(above)} times"
            lines.insert(lines.index(above) + 1, text)
        above = text
    return "\n".join(lines) + "\n"


def follow(title, folder):
    """Do what a section says in a copy of the package; returns the registered name."""
    new_file, registration = blocks_of(title)
    assert (new_file.language, registration.language) == ("python", "diff")
    path = folder / new_file.path
    assert not path.exists()
    path.write_text(new_file.text, "utf-8")
    registry = folder / registration.path
    registry.write_text(insert(registry.read_text("utf-8"), registration.text), "utf-8")
    (name,) = re.findall(r'^\+ +"(\w+)":', registration.text, re.MULTILINE)
    return name


@pytest.fixture
def checkout(tmp_path):
    for part in ("src", "tests"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def run(folder, *arguments):
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("title", USES)
def test_a_new_method_is_one_file_and_its_registration(title, checkout):
    name = follow(title, checkout)
    run(
        checkout,
        "-W",
        "error",
        "-c",
        f"""
NAME = {name!r}
import sameornot
assert sameornot.__file__.startswith({str(checkout)!r})
from sameornot.datasets import make_gaussian
X, y = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
{USES[title]}
assert curve.ari.iloc[-1] > 0.9 > curve.ari.iloc[0], curve
""",
    )


@pytest.mark.slow
@pytest.mark.parametrize("title", USES)
def test_a_new_method_is_checked_by_the_contract_of_all_methods(title, checkout):
    name = follow(title, checkout)
    for tests, at_least in (("tests/test_session_methods.py", 50), ("tests/test_architecture.py", 2)):
        found = run(checkout, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests, "-k", name)
        assert int(re.search(r"(\d+) passed", found)[1]) >= at_least


@pytest.mark.parametrize("title", USES)
def test_the_code_of_a_new_method_keeps_the_rules(title, checkout):
    new_file, registration = blocks_of(title)
    follow(title, checkout)
    changed = [new_file.path, registration.path]
    run(checkout, "-m", "ruff", "check", "--no-cache", *changed)
    run(checkout, "-m", "ruff", "format", "--check", "--no-cache", *changed)


def test_a_line_is_inserted_below_the_line_above_it():
    assert insert("a\nb\n", " a\n+x\n+y\n\n b\n+z\n") == "a\nx\ny\nb\nz\n"
    with pytest.raises(AssertionError, match="'a' occurs 2 times"):
        insert("a\na\n", " a\n+x\n")
    with pytest.raises(AssertionError, match="'c' occurs 0 times"):
        insert("a\n", " c\n+x\n")
