"""SQLite as a store: one file, several threads and processes, every commit on disk.

Only the file's owner may read or write it (mode 0600). SQLite gives its journal the mode of the file.
"""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event, inspect

from sameornot.store.contract import StoreError
from sameornot.store.sql import SAFE, Backend

# The rollback journal: with a write-ahead log, the SQLite that many a Python ships can damage a file that
# several connections write. EXTRA is FULL and one thing more: the folder is synchronised after the journal is
# removed, without which a power cut just after a commit can bring the journal back and undo the commit.
# fullfsync is for macOS, where fsync alone does not reach the disk.
# secure_delete: what is deleted is overwritten.
PRAGMAS = ("journal_mode=DELETE", "synchronous=EXTRA", "fullfsync=ON", "secure_delete=ON")

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


def sqlite_backend(path: Path, wait: float) -> Backend:
    """The file at `path`, whose folder is created if it is missing.

    `wait`: seconds to wait for another process that is writing.
    """
    path = path.absolute()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(
            f"The folder {path.parent} cannot be made ({reason}): choose another store."
        ) from error
    _create_private(path)
    address = URL.create("sqlite", database=str(path))
    engine = create_engine(address, connect_args={"timeout": wait}, pool_timeout=wait, hide_parameters=True)
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    guard = FileGuard(path, wait)
    return Backend(
        engine,
        str(path),
        lambda error: _explain(error, path),
        lambda connection: _refuse_foreign(connection, path),
        lambda: _make_private(path),
        guard.check,
        guard.note,
    )


class FileGuard:
    """Finds damage that something else has done to the file, before more is written to it.

    SQLite looks only at the pages that it needs, and not again at those that it has in memory. A file that
    was changed since this process last wrote to it is read as a whole by a connection of its own: a few
    milliseconds for thousands of answers, and only where several processes write or something is wrong.
    """

    def __init__(self, path: Path, wait: float) -> None:
        self._path, self._wait = path, wait
        self._known: tuple[int, ...] | None = None

    def check(self) -> None:
        """Raise a StoreError if the file was changed and is damaged."""
        found = self._state()
        if found is None or found == self._known:  # a missing file is reported by SQLite
            return
        try:
            with closing(
                sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True, timeout=self._wait)
            ) as connection:
                said = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        except sqlite3.OperationalError:
            return  # locked, or not to be read: the append itself reports it
        except sqlite3.DatabaseError as error:
            said = str(error)
        if said != "ok":
            reason = " ".join(str(said).replace("*", "").split())
            raise StoreError(SENTENCES["SQLITE_CORRUPT"].format(place=self._path, error=reason))
        self._known = found

    def note(self) -> None:
        """Remember the file as it is after a write."""
        self._known = self._state()

    def _state(self) -> tuple[int, ...] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


def _create_private(path: Path) -> None:
    """Create the file, if it is missing, with mode 0600: SQLite would use the umask."""
    with suppress(OSError):  # SQLite reports a file that cannot be created
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        path.chmod(0o600)  # the umask may have taken even the owner's rights


def _make_private(path: Path) -> None:
    """Take away the rights of other users on a store, and on a journal beside it, if this user owns them."""
    if os.name != "posix":  # elsewhere, the rights of the folder decide
        return
    for name in (path, *(path.with_name(path.name + suffix) for suffix in ("-journal", "-wal", "-shm"))):
        with suppress(OSError):
            found = name.stat()
            if found.st_mode & 0o077 and found.st_uid == os.geteuid():
                name.chmod(found.st_mode & 0o700)


def _configure(connection: Any, record: object) -> None:
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
        raise StoreError(f"{path} is a database of another program: choose another file.")


def _explain(error: BaseException, path: Path) -> str:
    original = getattr(error, "orig", None)
    name = getattr(original, "sqlite_errorname", "") if isinstance(original, sqlite3.Error) else ""
    kind = "_".join(name.split("_")[:2])  # SQLITE_IOERR_WRITE is a kind of SQLITE_IOERR
    sentence = SENTENCES.get(name) or SENTENCES.get(kind, OTHERWISE)
    return sentence.format(place=path, error=original or error, safe=SAFE)
