"""The project's files for contributors are there, can be read by the programs that read them, and agree."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import sameornot
from lowest_versions import lowest, lowest_versions

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
JOBS = [
    (path.stem, name, job)
    for path in WORKFLOWS
    for name, job in yaml.safe_load(path.read_text("utf-8"))["jobs"].items()
]
FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")


# --- versions -------------------------------------------------------------------------------------------


def test_the_citation_and_the_changelog_are_of_the_present_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == sameornot.__version__
    assert {"cff-version", "title", "authors", "message", "license", "date-released"} <= citation.keys()
    released = re.findall(r"^## \[(\d[^\]]*)\] – (\d{4}-\d\d-\d\d)$", CHANGELOG, re.M)
    assert (citation["version"], citation["date-released"]) == released[0]


def test_the_changelog_keeps_a_changelog():
    headings = re.findall(r"^## \[(.*?)\]", CHANGELOG, re.M)
    assert headings[0] == "Unreleased"
    assert len(set(headings)) == len(headings)
    kinds = set(re.findall(r"^### (.*)$", CHANGELOG, re.M))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_lowest_versions_are_those_that_pyproject_allows():
    names = {line.partition("==")[0] for line in lowest_versions()}
    assert {"numpy", "scikit-learn", "typer", "psycopg[binary]"} <= names
    assert lowest("numpy>=1.26,<3") == "numpy==1.26"
    assert lowest("sameornot[cli]") is None
    with pytest.raises(ValueError, match="one lower bound"):
        lowest("numpy<3")


def test_the_classifiers_name_the_versions_that_are_tested():
    matrix = next(job for _, name, job in JOBS if name == "tests")["strategy"]["matrix"]["python"]
    classifiers = {f"Programming Language :: Python :: {version}" for version in matrix}
    assert classifiers <= set(PYPROJECT["project"]["classifiers"])
    assert PYPROJECT["project"]["requires-python"] == f">={matrix[0]}"


# --- files that other programs read ---------------------------------------------------------------------


@pytest.mark.parametrize(("workflow", "name", "job"), JOBS, ids=lambda value: str(value)[:20])
def test_a_job_checks_out_has_a_time_limit_and_only_runs_commands_that_exist(workflow, name, job):
    assert job["timeout-minutes"] <= 60
    assert job["steps"][0]["uses"].startswith("actions/checkout@")
    for step in job["steps"]:
        assert ("run" in step) != ("uses" in step)
        for command in re.findall(r"\./run (\w+)", step.get("run", "")):
            assert re.search(rf"^    {command}\)", (ROOT / "run").read_text("utf-8"), re.M), command
        for option in re.findall(r"\./run test.*?(--(?!fast)\w+)", step.get("run", "")):
            assert f"            {option})" in (ROOT / "run").read_text("utf-8"), option


def test_the_workflows_cover_what_contributing_promises():
    commands = "\n".join(step.get("run", "") for *_, job in JOBS for step in job["steps"])
    for wanted in ("--python ${{ matrix.python }}", "--coverage", "--lowest", "pip wheel", "./run docs"):
        assert wanted in commands
    assert all("permissions" in yaml.safe_load(path.read_text("utf-8")) for path in WORKFLOWS)


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_an_issue_form_asks_labelled_questions(path):
    form = yaml.safe_load(path.read_text("utf-8"))
    assert {"name", "description", "body"} <= form.keys()
    assert all(field["attributes"]["label"] for field in form["body"])
    assert len({field["id"] for field in form["body"]}) == len(form["body"])


def test_pre_commit_runs_the_ruff_and_the_mypy_of_run_test():
    [repository] = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert repository["repo"] == "local"  # the versions of requirements.lock, and nothing fetched
    entries = [hook["entry"] for hook in repository["hooks"]]
    assert [entry.split()[:3] for entry in entries] == [
        [".venv/bin/python", "-m", "ruff"],
        [".venv/bin/python", "-m", "ruff"],
        [".venv/bin/python", "-m", "mypy"],
    ]


# --- the wheel ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that is built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [path] = folder.glob("*.whl")
    return path


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "sameornot",
        f"sameornot-{sameornot.__version__}.dist-info",
    }
    junk = re.compile(
        r"(^|/)(tests?|benchmarks|__pycache__|node_modules|\.[^/]+)/|\.(pyc|csv|ipynb|orig|log)$"
    )
    assert [name for name in names if junk.search(name)] == []
    kinds = {os.path.splitext(name)[1] for name in names}
    assert kinds <= {
        "",
        ".css",
        ".html",
        ".ico",
        ".js",
        ".json",
        ".md",
        ".py",
        ".svg",
        ".txt",
        ".typed",
        ".woff2",
    }


def test_the_wheel_holds_all_that_the_package_needs(wheel):
    inside = set(zipfile.ZipFile(wheel).namelist())
    source = ROOT / "src"
    files = [path for path in (source / "sameornot").rglob("*") if path.is_file()]
    ours = {path.relative_to(source).as_posix() for path in files if "__pycache__" not in path.parts}
    assert ours <= inside


def test_the_documented_size_of_the_wheel_is_right(wheel):
    said = re.search(r"wheel of (\d+) kB", (ROOT / "docs" / "guide" / "start.md").read_text("utf-8"))
    assert said
    assert wheel.stat().st_size / 1000 == pytest.approx(int(said[1]), rel=0.2)
