"""Sessions on disk: one append-only log of events, in an SQLite file or on a PostgreSQL server."""

import os
import sys
from pathlib import Path

from sameornot.store.backup import Restored, read_backup, restore_backup, write_backup
from sameornot.store.contract import Draft, Event, LogGrewError, SessionLine, Store, StoreError

__all__ = [
    "Draft",
    "Event",
    "LogGrewError",
    "Restored",
    "SessionLine",
    "Store",
    "StoreError",
    "default_store",
    "open_store",
    "read_backup",
    "restore_backup",
    "vectors_beside",
    "write_backup",
]


# Seconds that an append waits for another process or client that is writing.
WAIT = 10.0


def open_store(where: str | Path, *, wait: float = WAIT) -> Store:
    """The store at a path (created if it is missing), sqlite:///path, or postgresql://user@host/database.

    `wait`: seconds that an append waits for another process or client that is writing.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = open_store(f"{folder}/sessions.sqlite")
    ...     _ = store.append("demo", [Draft("ana", "named", {"row": 3, "name": "early"})], after=0)
    ...     print([(event.seq, event.kind, event.data) for event in store.read("demo")])
    ...     store.close()
    [(1, 'named', {'row': 3, 'name': 'early'})]
    """
    # Here, not above: the contract is needed where SQLAlchemy's start would be felt.
    from sameornot.store.postgres import postgres_backend
    from sameornot.store.sql import SqlStore
    from sameornot.store.sqlite import sqlite_backend

    if isinstance(where, str) and "://" in where and not where.startswith("sqlite:"):
        return SqlStore(postgres_backend(where, wait))
    return SqlStore(sqlite_backend(_path(where), wait))


def default_store() -> Path:
    """The file in the user's data folder, which XDG_DATA_HOME can set."""
    return _data_folder() / "sameornot" / "sessions.sqlite"


def vectors_beside(where: str | Path | None) -> Path:
    """The file of computed vectors beside a store: in its folder, or in the user's if it is on a server."""
    is_file = where is not None and not ("://" in str(where) and not str(where).startswith("sqlite:"))
    return (_path(where) if is_file and where is not None else default_store()).with_name("vectors.sqlite")


def _path(where: str | Path) -> Path:
    if isinstance(where, Path) or not where.startswith("sqlite:"):
        return Path(where)
    path = where.removeprefix("sqlite:///")
    if path in ("", ":memory:", where):
        raise StoreError(f"{where} names no file: write sqlite:/// and then the path of a file.")
    return Path(path)


def _data_folder() -> Path:
    chosen = os.environ.get("XDG_DATA_HOME", "")
    if os.path.isabs(chosen):  # its specification: relative paths are to be ignored
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path.home() / ".local" / "share"
