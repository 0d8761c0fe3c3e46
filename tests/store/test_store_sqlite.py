"""SQLite as a store: what each connection is told, and one sentence for each thing that goes wrong."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

import pytest

from sameornot.store import Draft, LogGrewError, Store, StoreError, default_store, open_store
from sameornot.store.sql import SqlStore

DRAFT = Draft("ana", "answered", {"left": 1, "right": 2})
LARGE = Draft("ana", "answered", {"text": "x" * 30_000})


@contextmanager
def not_root() -> Iterator[None]:
    """Lose the right to write anywhere; nothing to do for whoever does not have it."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def refusal(path: Path) -> str:
    """The sentence with which a store does not open."""
    with pytest.raises(StoreError) as caught:
        open_store(path)
    return str(caught.value)


def failure(store: Store, draft: Draft = DRAFT) -> str:
    """The sentence with which an append fails."""
    with pytest.raises(StoreError) as caught:
        store.append("s", [draft], after=len(store.read("s")))
    return str(caught.value)


def test_every_connection_uses_the_rollback_journal_and_waits_for_the_disk(path: Path) -> None:
    store = open_store(path)
    assert isinstance(store, SqlStore)
    engine = store._backend.engine
    together = Barrier(4)

    def settings(_: int) -> list[object]:
        with engine.connect() as connection:
            together.wait()  # each holds a connection of its own
            names = ("journal_mode", "synchronous", "busy_timeout")
            return [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(settings, range(4))) == [["delete", 3, 10_000]] * 4  # 3: EXTRA, more than FULL
    store.close()


def test_a_file_left_in_wal_mode_goes_back_to_the_rollback_journal(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.close()
    store = open_store(path)
    store.append("s", [DRAFT], after=1)
    assert sorted(os.listdir(path.parent)) == [path.name]
    store.close()


def test_reading_goes_on_while_another_process_is_about_to_write(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = open_store(path)
    assert len(store.read("s")) == 1
    other.close()
    store.close()


def test_an_append_waits_for_the_writer_before_it_and_then_sees_what_that_one_wrote(path: Path) -> None:
    store = open_store(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute(
        "INSERT INTO sameornot_events SELECT session, 2, at, author, kind, data FROM sameornot_events"
    )
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(store.append, "s", [DRAFT], after=1)
        time.sleep(0.2)  # by now it has looked at the log, unless it waits
        other.execute("COMMIT")
        with pytest.raises(LogGrewError):
            late.result()
    other.close()
    store.close()


def test_a_file_held_by_another_program_is_a_problem_after_a_while(path: Path) -> None:
    store = open_store(path, wait=0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    expected = f"Another program has been writing to {path} for too long: close it and try again."
    assert failure(store) == expected
    other.close()
    assert store.append("s", [DRAFT], after=1)[0].seq == 2
    store.close()


def test_a_folder_that_may_not_be_written_to(folder: Path, path: Path) -> None:
    folder.chmod(0o555)
    with not_root():
        assert refusal(folder / "new.sqlite") == (
            f"{folder}/new.sqlite cannot be opened: allow writing to its folder, or choose another store."
        )
        assert refusal(folder / "sub" / "new.sqlite") == (
            f"The folder {folder}/sub cannot be made (Permission denied): choose another store."
        )


def test_a_file_that_may_only_be_read_is_read(path: Path) -> None:
    path.chmod(0o444)
    with not_root():
        store = open_store(path)
        assert len(store.read("s")) == 1
        assert [line.n_answers for line in store.sessions()] == [1]
        assert failure(store) == (
            f"{path} may not be written to: allow it for the file and its folder; "
            "what was stored before is safe."
        )
        store.close()


def test_a_path_through_a_file(path: Path) -> None:
    assert refusal(path / "deeper" / "new.sqlite").startswith(f"The folder {path}/deeper cannot be made (")


def test_a_folder_is_no_store(folder: Path) -> None:
    assert "cannot be opened" in refusal(folder)


@pytest.mark.parametrize(
    "content", [b"id,left,right\n" * 1000, b"x" * 100, b"SQLite format 3\0" + b"?" * 5000]
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(folder: Path, content: bytes) -> None:
    table = folder / "table.csv"
    table.write_bytes(content)
    assert refusal(table) == f"{table} is not a store of sessions: choose another file."
    assert table.read_bytes() == content


def test_a_database_of_another_program_is_refused_and_left_alone(folder: Path) -> None:
    other = folder / "photos.sqlite"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE photos (name TEXT)")
    connection.close()
    before = other.read_bytes()
    assert refusal(other) == f"{other} is a database of another program: choose another file."
    assert other.read_bytes() == before


def test_an_empty_file_becomes_a_store(folder: Path) -> None:
    (folder / "empty").touch()
    store = open_store(folder / "empty")
    assert store.sessions() == []
    store.close()


def test_a_store_of_a_newer_version_is_refused(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE sameornot_store SET format = 2")
    connection.commit()
    connection.close()
    assert refusal(path) == (
        f"A newer version of sameornot made {path} (its format is 2, not 1): upgrade sameornot, or choose "
        "another store."
    )


def test_a_damaged_store_says_so(path: Path) -> None:
    store = open_store(path)
    store.append("s", [LARGE] * 10, after=1)
    store.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    assert refusal(path).startswith(f"{path} is damaged (")


def test_a_store_that_was_deleted_acknowledges_nothing(path: Path) -> None:
    store = open_store(path)
    path.unlink()
    assert failure(store) == f"{path} was moved or deleted while in use: put it back and start again."
    store.close()


def test_an_address_may_name_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    for where in (f"sqlite:///{path}", "sqlite:///sessions.sqlite", "sessions.sqlite"):
        store = open_store(where)
        assert len(store.read("s")) == 1
        store.close()


@pytest.mark.parametrize("where", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite:sessions.sqlite"])
def test_an_address_without_a_file_is_refused(where: str) -> None:
    with pytest.raises(StoreError, match=f"{where} names no file: write sqlite:/// and then the path"):
        open_store(where)


def test_a_new_folder_is_for_its_owner_only(folder: Path) -> None:
    open_store(folder / "new" / "sessions.sqlite").close()
    assert (folder / "new").stat().st_mode & 0o777 == 0o700


@contextmanager
def umask(mask: int) -> Iterator[None]:
    """Another umask for a while."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o777])
def test_a_new_file_is_for_its_owner_only_whatever_the_umask(folder: Path, mask: int) -> None:
    path = folder / "sessions.sqlite"
    with umask(mask):
        open_store(path).close()
    assert mode(path) == 0o600


def test_the_journal_is_for_the_owner_only(folder: Path) -> None:
    path = folder / "sessions.sqlite"
    with umask(0):
        store = open_store(path)
        assert isinstance(store, SqlStore)
        with store._backend.engine.execution_options(writes=True).begin() as connection:
            connection.exec_driver_sql("INSERT INTO sameornot_events VALUES ('s', 1, '', '', '', '{}')")
            found = {file.name: mode(file) for file in folder.iterdir()}
        store.close()
    assert found == {"sessions.sqlite": 0o600, "sessions.sqlite-journal": 0o600}


@pytest.mark.parametrize(("before", "after"), [(0o644, 0o600), (0o666, 0o600), (0o444, 0o400)])
def test_an_existing_store_is_closed_to_others_when_it_is_opened(path: Path, before: int, after: int) -> None:
    path.chmod(before)
    open_store(path).close()
    assert mode(path) == after


def test_the_file_of_another_user_and_the_file_of_another_program_keep_their_modes(
    path: Path, folder: Path
) -> None:
    table = folder / "table.csv"
    table.write_bytes(b"id\n" * 1000)
    table.chmod(0o644)
    refusal(table)
    assert mode(table) == 0o644
    path.chmod(0o644)
    with not_root():
        if path.stat().st_uid != os.geteuid():
            open_store(path).close()
            assert mode(path) == 0o644


def test_the_default_store_is_in_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_store() == tmp_path / "sameornot" / "sessions.sqlite"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert default_store().is_relative_to(tmp_path / "home")
    assert not default_store().parent.exists()


def test_the_contract_can_be_imported_without_sqlalchemy() -> None:
    code = "import sys, sameornot.store; sys.exit('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_damage_is_found_before_another_answer_is_acknowledged(path: Path) -> None:
    store = open_store(path)
    store.append("s", [LARGE] * 20, after=1)  # pages that an append does not need
    data = bytearray(path.read_bytes())
    middle = len(data) // 8192 * 4096
    data[middle : middle + 4096] = bytes(4096)
    path.write_bytes(bytes(data))
    with pytest.raises(StoreError, match=r"is damaged \(.+\): bring back a copy of it, or choose another"):
        store.append("s", [DRAFT], after=21)
    assert len(path.read_bytes()) == len(data)
    store.close()


def test_file_is_read_as_a_whole_only_after_others_have_changed_it(path: Path, monkeypatch) -> None:
    store, other = open_store(path), open_store(path)
    store.append("s", [DRAFT], after=1)
    opened: list[str] = []
    connect = sqlite3.connect
    monkeypatch.setattr(
        "sameornot.store.sqlite.sqlite3.connect",
        lambda name, **options: opened.append(name) or connect(name, **options),
    )
    store.append("s", [DRAFT], after=2)
    assert opened == []
    other.append("s", [DRAFT], after=3)
    opened.clear()
    store.append("s", [DRAFT], after=4)
    assert len(opened) == 1
    store.close()
    other.close()
