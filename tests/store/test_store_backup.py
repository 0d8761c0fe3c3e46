"""A backup is one file that moves sessions between SQLite and PostgreSQL, whole or not at all."""

import gzip
import io
import json

import pytest

from sameornot.store import (
    Draft,
    StoreError,
    open_store,
    read_backup,
    restore_backup,
    write_backup,
)

DRAFTS = [
    Draft("", "opened", {"title": "Zoë's 名前", "n_rows": 40}),
    Draft("link:1234", "answered", {"left": 1, "right": 2, "note": "\0 \ud83d 🙂 \u2028 line\nbreak"}),
    Draft("ana", "retracted", {"answer": 2}),
]


@pytest.fixture
def stores(tmp_path, postgres_url):
    """A store of each kind."""
    opened = {"sqlite": open_store(tmp_path / "sessions.sqlite"), "postgres": open_store(postgres_url)}
    yield opened
    for store in opened.values():
        store.close()


@pytest.fixture
def sqlite(tmp_path):
    store = open_store(tmp_path / "sessions.sqlite")
    store.append("plants-1a2b", DRAFTS, after=0)
    store.append("birds", DRAFTS[:1], after=0)
    yield store
    store.close()


@pytest.fixture
def backup(sqlite, tmp_path):
    path = tmp_path / "backup.gz"
    with path.open("wb") as file:
        assert write_backup(sqlite, file, ["plants-1a2b", "birds"]) == 4
    return path


@pytest.mark.parametrize(("source", "target"), [("sqlite", "postgres"), ("postgres", "sqlite")])
def test_sessions_move_between_kinds_of_stores_and_are_the_same(stores, tmp_path, source, target):
    path, (source, target) = tmp_path / "backup.gz", (stores[source], stores[target])
    source.append("plants-1a2b", DRAFTS, after=0)
    source.append("birds", DRAFTS[:1], after=0)
    with path.open("wb") as file:
        write_backup(source, file, ["plants-1a2b", "birds"])
    outcomes = restore_backup(target, read_backup(path))
    assert [(found.session, found.n_events, found.outcome) for found in outcomes] == [
        ("plants-1a2b", 3, "restored"),
        ("birds", 1, "restored"),
    ]
    assert target.sessions() == source.sessions()
    for session in ("plants-1a2b", "birds"):
        assert target.read(session) == source.read(session)
    target.append("birds", [Draft("ana", "left", {})], after=1)  # it goes on there
    assert {found.outcome for found in restore_backup(target, read_backup(path))} == {"there already"}


def test_a_session_with_other_events_is_not_overwritten_and_nothing_is_stored(backup, tmp_path):
    other = open_store(tmp_path / "other.sqlite")
    other.append("birds", [Draft("ben", "left", {})], after=0)
    with pytest.raises(StoreError, match="has a session birds with other events: delete it"):
        restore_backup(other, read_backup(backup))
    assert [line.session for line in other.sessions()] == ["birds"]
    other.close()


def rewritten(backup, change):
    lines = [json.loads(line) for line in gzip.decompress(backup.read_bytes()).splitlines()]
    text = "".join(json.dumps(line) + "\n" for line in change(lines))
    backup.write_bytes(gzip.compress(text.encode()))
    return backup


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[:-1],
        lambda lines: [*lines[:2], *lines[3:]],
        lambda lines: [lines[0], lines[2], lines[1], *lines[3:]],
        lambda lines: [lines[0], {**lines[1], "at": "yesterday"}, *lines[2:]],
        lambda lines: [lines[0], {**lines[1], "at": "2024-01-01"}, *lines[2:]],
        lambda lines: [lines[0], {**lines[1], "data": []}, *lines[2:]],
        lambda lines: [lines[0], [], *lines[2:]],
        lambda lines: lines[1:],
        lambda lines: [],
    ],
)
def test_a_damaged_backup_is_refused_in_one_sentence(backup, change):
    with pytest.raises(StoreError, match=r"is no backup|is not complete|is damaged"):
        read_backup(rewritten(backup, change))


def test_a_backup_that_was_cut_short_or_is_another_file_is_refused(backup):
    whole = backup.read_bytes()
    for size in (0, 1, 9, 10, 25, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        backup.write_bytes(whole[:size])
        with pytest.raises(StoreError, match=r"is no backup|is not complete"):
            read_backup(backup)
    for other in (b"a,b\n1,2\n", gzip.compress(b'{"kind": "x"}\n'), gzip.compress(b"\xff\xfe")):
        backup.write_bytes(other)
        with pytest.raises(StoreError, match="is no backup"):
            read_backup(backup)


def test_a_backup_of_a_newer_version_is_left_alone(backup):
    with pytest.raises(StoreError, match="by a newer version of sameornot: upgrade"):
        read_backup(rewritten(backup, lambda lines: [{**lines[0], "format": 2}, *lines[1:]]))


def test_a_backup_of_nothing_restores_nothing(sqlite, tmp_path):
    file = io.BytesIO()
    assert write_backup(sqlite, file, []) == 0
    path = tmp_path / "nothing.gz"
    path.write_bytes(file.getvalue())
    assert restore_backup(sqlite, read_backup(path)) == []
