"""One Chromium for all tests of the page; a server process and browser contexts for each test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from chromium import running_chromium
from kinds_table import write_table
from labeller import VIEWPORT, Labeller, Truth
from page_command import PageCommand
from playwright.sync_api import Browser

Label = Callable[..., PageCommand]
Visit = Callable[..., Labeller]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Without Chromium this fails with a clear message: no test is skipped."""
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def label(tmp_path: Path) -> Iterator[Label]:
    """Start `sameornot label` with these arguments; it is stopped after the test and must not fail."""
    with ExitStack() as ends:

        def start(*arguments: object) -> PageCommand:
            command = PageCommand(tmp_path, "label", *arguments).start()
            ends.callback(command.stop)
            return command

        yield start


@pytest.fixture
def visit(chromium: Browser, label: Label) -> Iterator[Visit]:
    """Open the page as another person; after the test, no page may have reported an error."""
    with ExitStack() as ends:

        def open_page(command: PageCommand, **options: Any) -> Labeller:
            context = ends.enter_context(chromium.new_context(**{"viewport": VIEWPORT, **options}))
            person = Labeller(context, command.address)
            ends.callback(person.check)
            return person

        yield open_page


@pytest.fixture
def truth(tmp_path: Path) -> Truth:
    return write_table(tmp_path / "plants.csv")


@pytest.fixture
def plants(label: Label, truth: Truth, tmp_path: Path) -> PageCommand:
    """The command on the small table of three kinds."""
    return label(tmp_path / "plants.csv", "--clusters", 3, "--id", "specimen")
