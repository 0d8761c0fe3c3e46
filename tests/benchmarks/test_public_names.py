"""The reproduction uses the library as anybody can: it imports no private module and no private name."""

import ast
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "reproduction"
FILES = sorted(PROGRAM.rglob("*.py"))

# Public packages; nothing deeper is imported, so the public API has no hole.
PUBLIC_MODULES = {
    "sameornot.augmentation",
    "sameornot.datasets",
    "sameornot.engine",
    "sameornot.ensemble",
    "sameornot.metric",
    "sameornot.oracles",
    "sameornot.query",
}


def library_imports(source: str) -> list[tuple[str, str]]:
    """List what a program imports from the library, as pairs of a module and a name."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.module, alias.name) for alias in node.names]
    return [(module, name) for module, name in found if module.partition(".")[0] == "sameornot"]


def private_imports(source: str) -> list[str]:
    paths = [f"{module}.{name}".rstrip(".") for module, name in library_imports(source)]
    return [path for path in paths if any(part.startswith("_") for part in path.split("."))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PROGRAM).as_posix())
def test_no_private_name_is_imported(path):
    assert private_imports(path.read_text("utf-8")) == []


def test_only_public_packages_are_imported():
    used = {module for path in FILES for module, _ in library_imports(path.read_text("utf-8"))}
    assert used == PUBLIC_MODULES | {"sameornot"}


@pytest.mark.parametrize(
    "source",
    [
        "from sameornot._types import Pair",
        "from sameornot.cluster import _pckmeans",
        "def f():\n    import sameornot._pool",
    ],
)
def test_a_private_import_is_found(source):
    assert len(private_imports(source)) == 1
