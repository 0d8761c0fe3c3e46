"""Which generated pages and pictures are up to date: `docs/generated.json` says what each was made from.

    python benchmarks/generated.py            list what is out of date
    python benchmarks/generated.py demo       make the files of a group, and record it

For each group of files it holds a hash of the files themselves and one of their sources; in Python sources,
comments and docstrings do not count. The program that makes a group records it (`record`), a test compares.
The picture of the demo shows a session, so its group also has a hash of what that session asks and finds.
"""

import ast
import hashlib
import io
import json
import subprocess
import sys
import tokenize
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from sameornot import ActiveSession
from sameornot.datasets import load_breast_cancer
from sameornot.oracles import truth

ROOT = Path(__file__).parents[1]
MANIFEST = "docs/generated.json"
DEMO_PICTURE = "docs/images/demo.png"
N_QUESTIONS = 60  # of the demo
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
LENGTH = 16  # digits of a hash that are kept


class Group(NamedTuple):
    """Files that one command makes from the same sources; all are patterns relative to the root."""

    files: tuple[str, ...]
    sources: tuple[str, ...]
    command: tuple[str, ...]  # for this Python


GROUPS = {
    "reproduction": Group(
        ("docs/reproduction.md", "docs/questions.md", "docs/images/reproduction/*.png"),
        ("benchmarks/reproduction/**/*.py", "benchmarks/rows/*"),
        ("benchmarks/reproduce.py", "report"),
    ),
    "page": Group(
        ("docs/images/page/*.png",),
        ("benchmarks/screenshots.py", "src/sameornot/web/static/**/*", "src/sameornot/web/templates/**/*"),
        ("benchmarks/screenshots.py",),
    ),
    "notebook": Group(
        ("docs/images/notebook/*.png",),
        ("benchmarks/notebook_screenshots.py", "src/sameornot/notebook/**/*"),
        ("benchmarks/notebook_screenshots.py",),
    ),
    "needed": Group(
        ("docs/images/questions_needed.png",),
        ("benchmarks/questions_needed.py", "benchmarks/rows/questions-*.csv"),
        ("benchmarks/questions_needed.py",),
    ),
    "demo": Group(
        (DEMO_PICTURE,),
        ("src/sameornot/cli/demo.py", "src/sameornot/plots/draw.py", "src/sameornot/plots/session.py"),
        ("-c", "from sameornot.cli import app; app()", "demo", "--simulate", "--out", DEMO_PICTURE),
    ),
}


def main() -> None:
    """Make the groups that are named, or list what is out of date."""
    for name in sys.argv[1:]:
        subprocess.run([sys.executable, *GROUPS[name].command], cwd=ROOT, check=True)
        record(name)
    found = [*(problem for name in GROUPS for problem in problems(name)), *session_problems()]
    print("\n".join(found) or "all generated files are up to date")
    sys.exit(bool(found))


def record(name: str, root: Path = ROOT) -> None:
    """Note that the files of a group have just been made from its present sources."""
    made = state(name, root) | ({"session": demo_session()} if name == "demo" else {})
    manifest = {**read_manifest(root), name: made}
    (root / MANIFEST).write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n", "utf-8")


def problems(name: str, root: Path = ROOT) -> list[str]:
    """What is wrong with a group, one sentence each; an empty list if it is up to date."""
    recorded, current = read_manifest(root).get(name, {}), state(name, root)
    remedy = f"run `python benchmarks/generated.py {name}`"
    found = []
    if recorded.get("sources") != current["sources"]:
        found.append(f"{name}: the sources have changed since the files were made: {remedy}")
    known, files = recorded.get("files", {}), current["files"]
    changed = sorted(path for path in {*known, *files} if known.get(path) != files.get(path))
    return [*found, *(f"{path} is not the file that was generated: {remedy}" for path in changed)]


def session_problems(root: Path = ROOT) -> list[str]:
    """Whether the demo still asks and finds what its picture shows; takes some seconds."""
    if read_manifest(root)["demo"]["session"] == demo_session():
        return []
    return ["demo: it asks or finds something else now: run `python benchmarks/generated.py demo`"]


def demo_session() -> str:
    """A hash of the questions and the groups of the demo's session."""
    X, diagnosis = load_breast_cancer()
    session, answer = ActiveSession(X, 2, random_state=0), truth(diagnosis)
    while len(session.answers) < N_QUESTIONS and (pair := session.ask()) is not None:
        session.tell(answer(pair))
    pairs = [f"{reply.pair.left} {reply.pair.right}" for reply in session.answers]
    return digest([*pairs, *map(str, session.result().labels)])


def read_manifest(root: Path) -> dict[str, Any]:
    """The recorded states by group; empty if there are none."""
    path = root / MANIFEST
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def state(name: str, root: Path) -> dict[str, Any]:
    """Hashes of a group's files and of its sources."""
    group = GROUPS[name]
    files = {path.relative_to(root).as_posix(): file_hash(path) for path in matching(group.files, root)}
    sources = digest(f"{path.relative_to(root)} {file_hash(path)}" for path in matching(group.sources, root))
    return {"files": files, "sources": sources}


def matching(patterns: Iterable[str], root: Path) -> list[Path]:
    """The files that match a pattern; each pattern has to match one."""
    found: set[Path] = set()
    for pattern in patterns:
        paths = {path for path in root.glob(pattern) if path.is_file() and "__pycache__" not in path.parts}
        if not paths:
            raise FileNotFoundError(f"no file matches {pattern}")
        found |= paths
    return sorted(found)


def file_hash(path: Path) -> str:
    """A hash of a file; of Python, without comments and docstrings."""
    if path.suffix == ".py":
        return digest([code_of(path.read_text("utf-8"))])
    return hashlib.sha256(path.read_bytes()).hexdigest()[:LENGTH]


def digest(texts: Iterable[str]) -> str:
    """A hash of some lines."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:LENGTH]


def code_of(source: str) -> str:
    """Python source without comments, docstrings and empty lines."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node):
            first, last = node.body[0].lineno, node.body[0].end_lineno or 0
            lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(line.rstrip() for line in lines if line.strip())


if __name__ == "__main__":
    main()
