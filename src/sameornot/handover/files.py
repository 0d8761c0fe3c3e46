"""A file appears whole or not at all."""

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
