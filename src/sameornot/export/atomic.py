"""Atomic writes: a file appears complete or not at all."""

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def atomic_replace(path: Path) -> Iterator[Path]:
    """Yield a temporary path next to `path` to write to; it replaces `path` unless the block fails."""
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def remove_partial_files(path: Path) -> None:
    """Remove temporary files that killed writers of `path` left behind."""
    for temporary in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        temporary.unlink(missing_ok=True)
