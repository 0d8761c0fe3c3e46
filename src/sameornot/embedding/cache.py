"""Vectors that were computed once are kept in an SQLite file, by model and content.

The file can be deleted at any time. If it cannot be used, vectors are computed again: nothing else depends on
it.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

_LOOKED_UP = 500  # keys in one query
_WAIT = 10.0  # seconds for another process that is writing


class VectorCache:
    """Vectors by model and key."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, model: str, keys: Sequence[bytes]) -> dict[bytes, np.ndarray]:
        """The vectors that are known, in single precision."""
        found: dict[bytes, np.ndarray] = {}
        try:
            with self._open() as connection:
                for start in range(0, len(keys), _LOOKED_UP):
                    some = keys[start : start + _LOOKED_UP]
                    marks = ",".join("?" * len(some))
                    query = f"SELECT key, vector FROM vectors WHERE model = ? AND key IN ({marks})"
                    rows = connection.execute(query, [model, *some])
                    found |= {key: np.frombuffer(vector, dtype="<f4") for key, vector in rows}
        except (sqlite3.Error, OSError, ValueError):
            return {}
        return found

    def write(self, model: str, vectors: Mapping[bytes, np.ndarray]) -> None:
        """Keep vectors."""
        rows = [(model, key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
        try:
            with self._open() as connection, connection:
                connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
        except (sqlite3.Error, OSError):
            return

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path, timeout=_WAIT)) as connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS vectors "
                "(model TEXT, key BLOB, vector BLOB, PRIMARY KEY (model, key)) WITHOUT ROWID"
            )
            yield connection
