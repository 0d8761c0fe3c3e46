"""What is not documented: names, commands, options, environment variables, examples, sources."""

import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from typer.main import get_command

import sameornot
from sameornot import Clusterer, Strategy
from sameornot.cli import app

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PACKAGE = ROOT / "src" / "sameornot"
sys.path += [str(DOCS), str(DOCS / "_ext")]

from commands import parameter_rows  # noqa: E402
from make_site import list_names  # noqa: E402

API = list_names((DOCS / "api" / "index.rst").read_text("utf-8"))
PAGES = [ROOT / "README.md", *(path for path in DOCS.rglob("*.md") if "_templates" not in path.parts)]
PROSE = "\n".join(path.read_text("utf-8") for path in PAGES)
COMMANDS = get_command(app).commands
# Modules whose names are those of `sameornot` itself, or that are no interface.
INTERNAL = {"augmentation", "cli", "cluster", "ensemble", "metric", "query", "session", "web"}
BESIDE = {"oracles": "Oracle Pointed ChoiceOracle"}  # modules without __all__, and their aliases of types


def documented_names():
    """Module and name of everything that the API reference lists."""
    module, names = "", set()
    for line in API.splitlines():
        if match := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = match[1]
        elif match := re.fullmatch(r"   (\w+)", line):
            names.add(f"{module}.{match[1]}")
    return names


def public_modules():
    """The modules directly in the package that have an interface of their own."""
    paths = [*PACKAGE.glob("*.py"), *PACKAGE.glob("*/__init__.py")]
    names = {path.parent.name if path.stem == "__init__" else path.stem for path in paths}
    return sorted(
        name for name in names - INTERNAL - {"sameornot"} if name in BESIDE or has_names(f"sameornot.{name}")
    )


def has_names(module):
    return not module.split(".")[1].startswith("_") and hasattr(import_module(module), "__all__")


def public_names(module):
    found = import_module(module)
    if hasattr(found, "__all__"):
        return found.__all__
    own = inspect.getmembers(found, inspect.isfunction)
    return [name for name, function in own if function.__module__ == module and not name.startswith("_")]


def public_classes():
    named = ((name, getattr(sameornot, name)) for name in sameornot.__all__)
    return {name: found for name, found in named if inspect.isclass(found)}


@pytest.mark.parametrize("module", ["sameornot", *(f"sameornot.{name}" for name in public_modules())])
def test_every_public_name_is_in_the_reference(module):
    missing = {f"{module}.{name}" for name in public_names(module)} - documented_names()
    assert sorted(missing) == []


def test_the_reference_lists_nothing_that_does_not_exist():
    for name in documented_names():
        module, _, attribute = name.rpartition(".")
        assert hasattr(import_module(module), attribute), name


def test_every_public_class_has_an_example():
    assert [name for name, found in public_classes().items() if ">>>" not in (found.__doc__ or "")] == []


def test_every_estimator_and_strategy_cites_its_source():
    methods = {
        name: found.__doc__ or ""
        for name, found in public_classes().items()
        if issubclass(found, Clusterer | Strategy) and found not in (Clusterer, Strategy)
    }
    assert len(methods) > 15
    cited = re.compile(r"References\n *-+\n(?:.|\n)*?\((?:19|20)\d\d\)")
    assert [name for name, doc in methods.items() if not cited.search(doc)] == []


@pytest.mark.parametrize("name", sorted(name for name, command in COMMANDS.items() if not command.hidden))
def test_every_command_and_option_is_documented(name):
    """The reference is made of the help texts; the guide shows each command in use."""
    command = COMMANDS[name]
    assert command.help
    assert [shown for shown, words in parameter_rows(command) if not words.strip()] == []
    assert re.search(rf"sameornot {name}\b", PROSE), f"no page shows sameornot {name}"


def test_every_environment_variable_is_documented():
    source = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    reading = r"""(?:environ(?:\.get\(|\[)|getenv\(|envvar=)\s*["'](\w+)["']"""
    variables = {*re.findall(reading, source), *re.findall(r"SAMEORNOT_\w+", source)}
    assert "SAMEORNOT_TOKEN" in variables
    page = (DOCS / "reference" / "environment.md").read_text("utf-8")
    assert sorted(name for name in variables if f"`{name}`" not in page) == []


def test_every_command_of_run_is_documented():
    help_text = subprocess.run([ROOT / "run", "help"], capture_output=True, text=True, check=True).stdout
    offered = re.findall(r"^  ([a-z]+)", help_text, re.MULTILINE)
    pages = PROSE + (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert [name for name in offered if name != "help" and f"./run {name}" not in pages] == []
