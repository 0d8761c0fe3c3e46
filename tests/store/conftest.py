"""What the tests of this folder share: a file to try things on."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sameornot.store import Draft, open_store


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that any user may enter, unlike pytest's."""
    with tempfile.TemporaryDirectory(prefix="sameornot-") as name:
        os.chmod(name, 0o755)
        yield Path(name)
        os.chmod(name, 0o755)


@pytest.fixture
def path(folder: Path) -> Path:
    """A store with one event, closed: opening it has also loaded every module that a store needs."""
    path = folder / "sessions.sqlite"
    store = open_store(path)
    store.append("s", [Draft("ana", "answered", {"left": 1, "right": 2})], after=0)
    store.close()
    return path
