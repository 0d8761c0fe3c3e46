"""Imports run one way through the house, and optional packages stay optional.

A room is a module or package directly under `sameornot`. It may import from the layers before its own, and
not from its neighbours in the same layer.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from sameornot._presenters import PRESENTERS, presenter

PACKAGE = Path(__file__).parents[1] / "src" / "sameornot"
FILES = sorted(PACKAGE.rglob("*.py"))

LAYERS = [
    ["_dataframes", "_deprecated", "_presenters", "_progress"],
    ["_types"],
    ["_validation", "_votes", "engine"],
    ["constraints"],
    ["augmentation", "metric"],
    ["cluster"],
    ["ensemble"],
    ["query"],
    ["presets", "registry"],
    ["session"],
    ["oracles", "scoring"],
    ["simulation"],
    ["datasets"],
    ["embedding"],
    ["table", "store"],
    ["plots", "testing"],
    ["service"],
    ["annotator"],
    ["export"],
    ["web", "notebook"],
    ["cli"],
    ["__main__"],
]
ROOMS = {room for layer in LAYERS for room in layer}

MAY_IMPORT = {
    room: {earlier for before in LAYERS[:rank] for earlier in before}
    for rank, layer in enumerate(LAYERS)
    for room in layer
}
# Answers, scores and data sets know nothing of how they are used.
MAY_IMPORT["oracles"] = MAY_IMPORT["scoring"] = MAY_IMPORT["datasets"] = {"_types", "_validation"}
# Tables and the store are good for any log of events about any table: they know nothing of the method.
MAY_IMPORT["store"] = {"_validation"}
MAY_IMPORT["embedding"] = {"_progress"}
MAY_IMPORT["table"] = {"_dataframes", "_validation", "engine", "embedding"}
# What belongs to the paper's tables and figures has no place on a person's desk.
for room in ("service", "export", "web", "notebook"):
    MAY_IMPORT[room] -= {"simulation", "oracles", "datasets"}
MAY_IMPORT["cli"] |= {"__init__"}
MAY_IMPORT["__init__"] = ROOMS - {"cli", "__main__"}  # cli needs typer, which `import sameornot` must not

OPTIONAL = {"typer", "rich", "matplotlib", "python_calamine", "cvxpy", "hypothesis", "sqlalchemy", "psycopg"}
OPTIONAL |= {"starlette", "uvicorn", "jinja2", "pyarrow", "anyio", "playwright", "dask", "distributed"}
OPTIONAL |= {"anywidget", "traitlets", "ipywidgets", "IPython", "narwhals", "polars", "tqdm"}
OPTIONAL |= {"tokenizers", "safetensors", "wordllama", "sentence_transformers", "PIL"}
MAY_NEED = {
    "cli": {"typer", "rich"},
    "notebook": {"anywidget", "traitlets"},
    "store": {"sqlalchemy"},
    "web": {"starlette", "uvicorn", "jinja2", "anyio"},
}


def room_of(path: Path) -> str:
    """Name the room that a file, given relative to the package, lies in."""
    return path.parts[0].removesuffix(".py")


def imported_names(node: ast.AST, path: Path) -> list[str]:
    """Spell out what one statement imports, as absolute dotted names; nothing if it is no import."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    package = ["sameornot", *path.parent.parts]
    base = package[: len(package) - node.level + 1] if node.level else []
    module = [node.module] if node.module else []
    return [".".join([*base, *module, alias.name]) for alias in node.names]


def imported_rooms(source: str, path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and room of every import from `sameornot`, wherever in the file it stands."""
    for node in ast.walk(ast.parse(source)):
        for name in imported_names(node, path):
            package, _, inside = name.partition(".")
            room = inside.partition(".")[0]
            if package == "sameornot":
                # What is no room is a name of the package itself: `from sameornot import Answer`.
                yield node.lineno, room if room in ROOMS else "__init__"


def wrong_directions(source: str, path: Path) -> list[str]:
    here = room_of(path)
    allowed = MAY_IMPORT.get(here, set()) | {here}
    return [
        f"{path}:{line}: {here} may not import from {room}"
        for line, room in imported_rooms(source, path)
        if room not in allowed
    ]


def run_on_import(node: ast.AST) -> Iterator[ast.AST]:
    """Walk what importing a module executes: no function bodies, nothing under `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from run_on_import(child)


def eager_optional_imports(source: str, path: Path) -> list[str]:
    forbidden = OPTIONAL - MAY_NEED.get(room_of(path), set())
    return [
        f"{path}:{node.lineno}: import {name} inside the function that needs it"
        for node in run_on_import(ast.parse(source))
        for name in imported_names(node, path)
        if name.partition(".")[0] in forbidden
    ]


def unknown_rooms(files: list[Path]) -> set[str]:
    return {room_of(path) for path in files} - ROOMS - {"__init__"}


@pytest.fixture(params=FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def module(request):
    return request.param.read_text("utf-8"), request.param.relative_to(PACKAGE)


def test_imports_point_left(module):
    assert wrong_directions(*module) == []


def test_optional_packages_are_imported_only_where_needed(module):
    assert eager_optional_imports(*module) == []


@pytest.mark.parametrize("name", PRESENTERS)
def test_a_method_that_shows_an_object_finds_its_presenter(name):
    """The only way up, and for showing alone: into rooms that nothing of the method depends on."""
    found = presenter(name)
    assert found.__name__ == name
    assert found.__module__.split(".")[1] in {"notebook", "plots"}


def test_every_room_has_its_layer():
    unknown = unknown_rooms([path.relative_to(PACKAGE) for path in FILES])
    assert not unknown, f"put {sorted(unknown)} into LAYERS of {__file__}, and into the architecture's house"


@pytest.mark.parametrize(
    ("path", "source", "room"),
    [
        ("cluster/pckmeans.py", "from sameornot.session import ActiveSession", "session"),
        ("cluster/pckmeans.py", "import sameornot.query.mee as mee", "query"),
        ("cluster/pckmeans.py", "from ..query import mee", "query"),
        ("cluster/__init__.py", "from .. import query", "query"),
        ("metric/full.py", "from sameornot import augmentation", "augmentation"),
        ("metric/full.py", "def fit():\n    from sameornot.cluster import cobra", "cluster"),
        ("session.py", "from .store import log", "store"),
        ("session.py", "from . import Answer", "__init__"),
        ("datasets/real.py", "from sameornot.session import ActiveSession", "session"),
        ("__init__.py", "from .cli import app", "cli"),
    ],
)
def test_an_import_from_the_right_is_found(path, source, room):
    (complaint,) = wrong_directions(source, Path(path))
    assert complaint.endswith(f"may not import from {room}")


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("cluster/pckmeans.py", "from . import cobra\nfrom .cobra import split"),
        ("cluster/pckmeans.py", "from .._types import Pair\nfrom sameornot.metric.full import learn"),
        ("cluster/pckmeans.py", "import numpy\nfrom sklearn.cluster import KMeans"),
        ("cli/demo.py", "from sameornot import __version__\nfrom ..plots import draw"),
        ("__init__.py", "from ._types import Answer\nfrom .session import ActiveSession"),
    ],
)
def test_an_import_from_the_left_is_allowed(path, source):
    assert wrong_directions(source, Path(path)) == []


@pytest.mark.parametrize(
    "source",
    ["import rich.table", "try:\n    from matplotlib import pyplot\nexcept ImportError:\n    pyplot = None"],
)
def test_an_eager_optional_import_is_found(source):
    assert len(eager_optional_imports(source, Path("plots/draw.py"))) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("plots/draw.py", "def draw():\n    import matplotlib.pyplot"),
        ("plots/draw.py", "if TYPE_CHECKING:\n    from matplotlib.axes import Axes"),
        ("cli/demo.py", "import typer\nfrom rich.table import Table"),
    ],
)
def test_a_lazy_optional_import_is_allowed(path, source):
    assert eager_optional_imports(source, Path(path)) == []


def test_a_room_without_a_layer_is_found():
    assert unknown_rooms([Path("helpers.py"), Path("session.py"), Path("web/page.py")]) == {"helpers"}
