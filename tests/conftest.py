"""One hypothesis profile for all tests, and the marks that follow from what a test uses.

The profile has the same examples on every run, so that a failure is the fault of the change.
"""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import settings

from postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]

settings.register_profile("sameornot", derandomize=True, deadline=None)
settings.load_profile("sameornot")

BROWSER_TESTS = Path(__file__).parent / "browser"
NO_PARAMETERS = SimpleNamespace(params={})
LOCAL_ENGINE = ("local", ("--engine", "local"))


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the page, and those that start PostgreSQL or Dask."""
    for item in items:
        for name in needs(item):
            item.add_marker(name)


def needs(item: pytest.Item) -> Iterator[str]:
    """The marks of a test that can be seen from its folder, its fixtures and its parameters."""
    fixtures = getattr(item, "fixturenames", ())
    values = getattr(item, "callspec", NO_PARAMETERS).params
    if BROWSER_TESTS in item.path.parents:
        yield "browser"
    if set(__all__).intersection(fixtures) or values.get("where") == "postgres":
        yield "postgres"
    if values.get("engine") in LOCAL_ENGINE:
        yield "dask"
