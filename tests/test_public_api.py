"""What `from sameornot import …` offers: it is there, it is typed, and it costs nothing until it is used."""

import ast
import subprocess
import sys
import textwrap
from importlib import import_module
from pathlib import Path

import pytest

import sameornot

PACKAGE = Path(sameornot.__file__).parent

CLIENT = """
    import numpy as np
    from sameornot import (
        NPU, ActiveSession, Answer, Constraints, ConstrainedSpectral, Contradiction, EnsembleClustering,
        MPCKMeans, Question, Reply, SessionResult, TooManyGroups, simulate,
    )

    X = np.zeros((10, 2))
    session = ActiveSession(X, n_clusters=5, strategy=NPU(), clusterer=MPCKMeans(n_init=3))
    question: Question | None = session.ask()
    if question is not None:
        left, right = question
        rechecked: bool = question.is_recheck
        try:
            session.tell(Answer.SAME, question)
        except (Contradiction, TooManyGroups) as error:
            print(error)
    log: list[Reply] = session.answers
    known: Constraints = session.constraints
    result: SessionResult = session.result()
    labels: np.ndarray = result.labels
    model: EnsembleClustering = EnsembleClustering(n_clusters=3).fit(X)
    spectral: ConstrainedSpectral = ConstrainedSpectral(n_clusters=3)
    curve = simulate(X, labels, 3, strategy="mee", clusterer="augmented", budget=10)
"""


def run_mypy(tmp_path: Path, source: str) -> subprocess.CompletedProcess[str]:
    client = tmp_path / "client.py"
    client.write_text(textwrap.dedent(source), "utf-8")
    cache = Path(__file__).parents[1] / ".mypy_cache" / "client"
    options = [
        "--strict",
        "--allow-untyped-calls",
        "--config-file=",
        "--follow-imports=silent",
        "--cache-dir",
        str(cache),
    ]
    command = [sys.executable, "-m", "mypy", *options, str(client)]
    environment = {"MYPYPATH": str(PACKAGE.parent), "MYPY_FORCE_COLOR": "0"}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)


@pytest.mark.slow
def test_a_client_program_type_checks(tmp_path):
    checked = run_mypy(tmp_path, CLIENT)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("from sameornot import TotallyMadeUp", "has no attribute"),
        (
            "from sameornot import ActiveSession\nActiveSession([[1.0]], n_clusters='two')",
            "incompatible type",
        ),
        ("from sameornot import ConstrainedSpectral\nx: int = ConstrainedSpectral", "Incompatible types"),
    ],
)
def test_a_wrong_client_program_does_not(tmp_path, source, complaint):
    checked = run_mypy(tmp_path, source)
    assert checked.returncode == 1
    assert complaint in checked.stdout


def test_every_public_name_exists_and_is_listed_once():
    offered = [name for names in sameornot._HOMES.values() for name in names]
    assert sorted(offered) == sorted(sameornot.__all__) == sorted(set(offered))
    for name in offered:
        assert getattr(sameornot, name).__name__ == name


def test_types_and_names_come_from_the_same_places():
    """What a type checker sees is what is imported."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text("utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 0]
    typed = {alias.name: node.module for node in imports for alias in node.names}
    homes = {name: f"sameornot.{home}" for home, names in sameornot._HOMES.items() for name in names}
    assert {name: home for name, home in typed.items() if home.startswith("sameornot")} == homes


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="TotallyMadeUp"):
        _ = sameornot.TotallyMadeUp


def test_import_loads_no_heavy_package():
    code = "import sys, sameornot; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"sklearn", "pandas", "scipy", "numpy", "matplotlib", "sqlalchemy"} & set(loaded.split())


@pytest.mark.parametrize("name", sorted(sameornot.__all__))
def test_every_public_name_is_documented(name):
    assert len((getattr(sameornot, name).__doc__ or "").split()) >= 4


def test_public_packages_import_their_names():
    for home, names in sameornot._HOMES.items():
        module = import_module(f"sameornot.{home}")
        assert set(names) <= set(vars(module)), home
