"""Results on disk: a CSV file for each experiment, to which each finished replication adds its rows.

All rows of a replication are written at once, and the rest of a write that a full disk or a kill interrupted
is cut off: a replication is there as a whole or not at all.
"""

import ast
import hashlib
import io
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import IO, Any

import pandas as pd

import sameornot

Row = dict[str, Any]

# Parts of the library that no result depends on.
INTERFACES = {"cli", "engine.py", "export", "notebook", "plots", "service", "store", "table", "web"}


class RowsNotSaved(OSError):
    """A replication that could not be written; those before it are safe."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(
            f"{path} could not be written ({error.strerror or error}): the rows already there are kept; "
            "make room for more, or choose another folder, and run the same command again"
        )


class RowFile:
    """The rows of one experiment; `run` and `seed` say which replication a row is of."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def done(self) -> set[tuple[str, int]]:
        """The replications (run, seed) that are there."""
        rows = self.read()
        return set(zip(rows.run, rows.seed, strict=True)) if len(rows) else set()

    def read(self) -> pd.DataFrame:
        """All rows, in the order in which they came; an empty table if there are none."""
        if not self.path.exists() or self.path.stat().st_size == 0:
            return pd.DataFrame(columns=["run", "seed"])
        try:
            table = pd.read_csv(io.StringIO(self._whole_lines()), dtype={"run": str, "method": str})
            if not {"run", "seed"} <= set(table):
                raise ValueError("it has no columns run and seed")
            return table
        except (ValueError, UnicodeDecodeError) as error:
            raise ValueError(f"{self.path} is not a table of results: {error}; move it away") from None

    def append(self, rows: Sequence[Row]) -> None:
        """Add one replication; if it cannot be written as a whole, the file is left as it was."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._append(rows)
        except OSError as error:
            raise RowsNotSaved(self.path, error) from error

    def set_aside(self) -> Path | None:
        """Rename an existing file and return its new name; None if there is none."""
        if not self.path.exists():
            return None
        taken = {path.name for path in self.path.parent.iterdir()}
        names = (f"{self.path.stem}.{number}.csv" for number in count(1))
        return self.path.rename(self.path.with_name(next(name for name in names if name not in taken)))

    def _append(self, rows: Sequence[Row]) -> None:
        table = pd.DataFrame(rows)
        table = table[["run", "seed", *table.columns.difference(["run", "seed"], sort=False)]]
        with open(self.path, "a+b", buffering=0) as file, locked(file):
            whole = len(self._whole_lines().encode())
            file.truncate(whole)
            if whole:
                table = self._align(table)
            text = table.to_csv(index=False, header=whole == 0, float_format="%.6g")
            try:
                left = memoryview(text.encode())
                while left:  # an unbuffered write may stop half-way
                    left = left[file.write(left) :]
                os.fsync(file.fileno())
            except OSError:
                file.truncate(whole)
                raise

    def _align(self, table: pd.DataFrame) -> pd.DataFrame:
        """The columns in the order of the file."""
        header = pd.read_csv(self.path, nrows=0).columns
        if set(header) != set(table.columns):
            raise ValueError(
                f"{self.path} has the columns {', '.join(header)}, not those of new rows; move it away"
            )
        return table[list(header)]

    def _whole_lines(self) -> str:
        """The text without a last line that was cut short, and without the rest of its replication."""
        text = self.path.read_text("utf-8")
        if text.endswith("\n") or not text:
            return text
        *lines, torn = text.splitlines(keepends=True)
        unfinished = replication_of(torn if torn.count(",") >= 2 or not lines else lines[-1])
        while len(lines) > 1 and replication_of(lines[-1]) == unfinished:
            lines.pop()
        return "".join(lines)


@contextmanager
def locked(file: IO[bytes]) -> Iterator[None]:
    """Keep other processes from appending, where the system has such locks; closing the file frees it."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
    yield


def replication_of(line: str) -> list[str]:
    """Run and seed: the first two columns; neither contains a comma."""
    return line.split(",")[:2]


@cache
def versions() -> str:
    """What made a row: version and code of sameornot, and its main dependencies."""
    packages = " ".join(f"{name} {version(name)}" for name in ("numpy", "scikit-learn"))
    return f"sameornot {version('sameornot')} {fingerprint()} python {platform.python_version()} {packages}"


def fingerprint() -> str:
    """A hash of the code that results depend on, without comments, layout and docstrings."""
    folder = Path(sameornot.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        if path.relative_to(folder).parts[0] not in INTERFACES:
            tree = ast.parse(path.read_text("utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
                    node.body = node.body[1:]
            digest.update(ast.dump(tree).encode())
    return digest.hexdigest()[:10]
