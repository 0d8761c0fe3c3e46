"""The project's own files agree with each other and name no package host."""

import os
import re
import subprocess
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import sameornot

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]

# Joined here, so that this file does not hold what it looks for.
HOSTS = ["pypi" + ".org", "python" + "hosted", "registry." + "npmjs", "deb." + "debian"]
NOT_OURS = {
    ".git",
    ".venv",
    ".venv-parity",
    ".hypothesis",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    "__pycache__",
    "dist",
}


def pinned() -> dict[str, str]:
    pins = [line.split("==") for line in LOCK.splitlines() if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pins}


def declared() -> list[Requirement]:
    """List what pyproject.toml asks for, itself left out."""
    extras = [line for extra in PROJECT["optional-dependencies"].values() for line in extra]
    lines = [*PYPROJECT["build-system"]["requires"], *PROJECT["dependencies"], *extras]
    return [requirement for line in lines if (requirement := Requirement(line)).name != PROJECT["name"]]


def our_files() -> list[Path]:
    """List the files that are, or are about to be, in the repository."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
            "\0"
        )
        paths = [ROOT / name for name in names if name]
    else:
        paths = [path for path in ROOT.rglob("*") if not NOT_OURS.intersection(path.relative_to(ROOT).parts)]
    return [path for path in paths if path.is_file()]


def test_lock_holds_only_pins_and_comments():
    pin = re.compile(r"#.*|[A-Za-z0-9][\w.-]*==[0-9][\w.]*")
    assert [line for line in LOCK.splitlines() if not pin.fullmatch(line)] == []


@pytest.mark.parametrize("address", ["://", "@", "--index-url", "--find-links", r"(^|\s)/\w"])
def test_lock_holds_no_address(address):
    assert re.search(address, LOCK) is None


@pytest.mark.parametrize("requirement", declared(), ids=str)
def test_every_dependency_is_pinned_to_a_version_it_allows(requirement):
    assert requirement.specifier.contains(pinned()[canonicalize_name(requirement.name)])


def test_no_file_names_a_package_host():
    paths = our_files()
    assert Path(__file__) in paths
    texts = {path: path.read_bytes().lower() for path in paths}
    found = [f"{path}: {host}" for path, text in texts.items() for host in HOSTS if host.encode() in text]
    assert found == []


@pytest.mark.parametrize("script", ["run", ".ci/run"])
def test_scripts_can_be_executed(script):
    assert os.access(ROOT / script, os.X_OK)


def test_run_refuses_an_unknown_command():
    answer = subprocess.run([ROOT / "run", "tset"], capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert "unknown command: tset" in answer.stderr


def test_package_is_marked_as_typed():
    assert (files("sameornot") / "py.typed").is_file()


def test_versions_agree():
    assert sameornot.__version__ == PROJECT["version"]
