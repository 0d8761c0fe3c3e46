"""A file appears whole or not at all."""

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name beside `path` to write to; it takes the place of `path` at the end, unless something fails."""
    beside = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        yield beside
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def clear_leftovers(path: Path) -> None:
    """Remove what was written beside `path` by someone who did not live to put it in its place."""
    for beside in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        beside.unlink(missing_ok=True)
