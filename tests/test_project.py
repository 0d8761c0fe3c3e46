"""The project's own files agree with each other and name no package host."""

import os
import re
import shutil
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
    "build",
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


class Checkout:
    """The script `run` in a folder of its own, whose Python only writes down what it is asked to do."""

    def __init__(self, folder: Path) -> None:
        self.root, self.calls = folder / "checkout", folder / "calls"
        python = self.root / ".venv" / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.write_text(
            f'#!/bin/sh\nfor word; do printf "%s|" "$word"; done >> {self.calls}\necho >> {self.calls}\n'
        )
        python.chmod(0o755)
        for name in ("run", "pyproject.toml", "requirements.lock"):
            shutil.copy(ROOT / name, self.root)
        for path in ("tests/browser/test_page.py", "tests/query/test_mee.py"):
            (self.root / path).parent.mkdir(parents=True)
            (self.root / path).touch()
        sums = ["cksum", "pyproject.toml", "requirements.lock"]
        stamp = subprocess.run(sums, cwd=self.root, capture_output=True, text=True, check=True).stdout
        (python.parents[1] / ".installed").write_text(f"{self.root}\n{stamp}")
        self.path = folder / "bin"
        self.path.mkdir()
        for tool in ("bash", "cat", "cksum", "dirname", "id", "realpath"):
            (self.path / tool).symlink_to(str(shutil.which(tool)))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Call it on a machine that has no browser."""
        command = [self.root / "run", *arguments]
        environment = {"PATH": str(self.path)}
        return subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True, check=False)

    def called(self) -> list[list[str]]:
        """List what Python was asked to do."""
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        return [line.removesuffix("|").split("|") for line in lines]


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


CHECKS = [["-m", "ruff", "check"], ["-m", "ruff", "format", "--check"], ["-m", "mypy"]]
FAST = "not slow and not browser and not postgres and not dask"


def test_run_test_fast_leaves_out_what_is_marked_and_needs_no_browser(checkout):
    answer = checkout.run("test", "--fast", "tests", "-x")
    assert answer.returncode == 0, answer.stderr
    assert checkout.called() == [*CHECKS, ["-m", "pytest", "-n", "2", "-m", FAST, "tests", "-x"]]


def test_run_docs_builds_the_site(checkout):
    answer = checkout.run("docs", "--quick")
    assert answer.returncode == 0, answer.stderr
    assert checkout.called() == [["docs/make_site.py", "--quick"]]


def test_every_mark_that_fast_leaves_out_is_declared():
    declared = {line.partition(":")[0] for line in PYPROJECT["tool"]["pytest"]["ini_options"]["markers"]}
    assert declared == set(re.findall(r"not (\w+)", FAST))


@pytest.mark.parametrize(
    "arguments",
    [["tests/query"], ["tests/query/test_mee.py::test_gain", "-k", "mee"], ["-q", "tests/query/"]],
)
def test_run_test_insists_on_no_browser_for_tests_that_need_none(checkout, arguments):
    answer = checkout.run("test", *arguments)
    assert answer.returncode == 0, answer.stderr
    assert checkout.called() == [*CHECKS, ["-m", "pytest", "-n", "2", *arguments]]


@pytest.mark.parametrize(
    "arguments",
    [[], ["-x"], ["tests"], ["tests/browser"], ["tests/query", "tests/browser/test_page.py::test_a"]],
)
def test_run_test_needs_a_browser_for_everything_and_for_tests_of_the_page(checkout, arguments):
    answer = checkout.run("test", *arguments)
    assert answer.returncode == 1
    assert "the tests of the page need Chromium" in answer.stderr
    assert checkout.called() == []


def test_run_test_says_which_python_is_not_on_the_machine(checkout):
    answer = checkout.run("test", "--python", "3.99")
    assert answer.returncode == 1
    assert "Python 3.99 is not on this machine. There is: none that is new enough." in answer.stderr
    assert checkout.called() == []


@pytest.mark.parametrize("arguments", [["--python"], ["--python", "new"], ["--python=3"]])
def test_run_test_refuses_what_is_no_version_of_python(checkout, arguments):
    answer = checkout.run("test", *arguments)
    assert answer.returncode == 2
    assert "version" in answer.stderr


def test_run_reproduce_passes_everything_on(checkout):
    answer = checkout.run("reproduce", "table1", "--methods", "AQM + MEE", "--jobs", "2")
    assert answer.returncode == 0, answer.stderr
    words = ["benchmarks/reproduce.py", "table1", "--methods", "AQM + MEE", "--jobs", "2"]
    assert checkout.called() == [words]


def test_package_is_marked_as_typed():
    assert (files("sameornot") / "py.typed").is_file()


def test_versions_agree():
    assert sameornot.__version__ == PROJECT["version"]
