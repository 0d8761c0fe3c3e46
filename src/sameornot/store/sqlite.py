"""SQLite as a store: one file, several threads and processes, every commit on disk."""

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event, inspect

from sameornot.store.contract import StoreProblem
from sameornot.store.sql import SAFE, Backend

PATIENCE = 10.0  # seconds to wait for another process that is writing

# The rollback journal: with a write-ahead log, the SQLite that many a Python ships can damage a file that
# several connections write. EXTRA is FULL and one thing more: the folder is synchronised after the journal is
# removed, without which a power cut just after a commit can bring the journal back and undo the commit.
# fullfsync is for macOS, where fsync alone does not reach the disk.
PRAGMAS = ("journal_mode=DELETE", "synchronous=EXTRA", "fullfsync=ON")

SENTENCES = {
    "SQLITE_FULL": "The disk of {place} is full: make room and try again; {safe}.",
    "SQLITE_IOERR": "{place} could not be read or written ({error}): check its disk; {safe}.",
    "SQLITE_CANTOPEN": "{place} cannot be opened: allow writing to its folder, or choose another store.",
    "SQLITE_READONLY": "{place} may not be written to: allow it for the file and its folder; {safe}.",
    "SQLITE_READONLY_DBMOVED": "{place} was moved or deleted while in use: put it back and start again.",
    "SQLITE_NOTADB": "{place} is not a store of sessions: choose another file.",
    "SQLITE_CORRUPT": "{place} is damaged ({error}): bring back a copy of it, or choose another store.",
    "SQLITE_BUSY": "Another program has been writing to {place} for too long: close it and try again.",
}
OTHERWISE = "{place} could not be used ({error}): try again, or choose another store."


def sqlite_backend(path: Path) -> Backend:
    """The file at `path`, whose folder is made if it is missing."""
    path = path.absolute()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreProblem(
            f"The folder {path.parent} cannot be made ({reason}): choose another store."
        ) from error
    address = URL.create("sqlite", database=str(path))
    engine = create_engine(
        address, connect_args={"timeout": PATIENCE}, pool_timeout=PATIENCE, hide_parameters=True
    )
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return Backend(engine, str(path), lambda error: _explain(error, path), lambda c: _refuse_foreign(c, path))


def _set_up(connection: Any, record: object) -> None:
    connection.isolation_level = None  # sqlite3 starts no transaction of its own: `_begin` does
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}").close()


def _begin(connection: Connection) -> None:
    # A writer takes its turn at once: one that starts as a reader cannot wait to become a writer.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _refuse_foreign(connection: Connection, path: Path) -> None:
    """A database that already holds tables, and not ours, belongs to another program."""
    names = inspect(connection).get_table_names()
    if names and not any(name.startswith("sameornot_") for name in names):
        raise StoreProblem(f"{path} is a database of another program: choose another file.")


def _explain(error: BaseException, path: Path) -> str:
    original = getattr(error, "orig", None)
    name = getattr(original, "sqlite_errorname", "") if isinstance(original, sqlite3.Error) else ""
    kind = "_".join(name.split("_")[:2])  # SQLITE_IOERR_WRITE is a kind of SQLITE_IOERR
    sentence = SENTENCES.get(name) or SENTENCES.get(kind, OTHERWISE)
    return sentence.format(place=path, error=original or error, safe=SAFE)
