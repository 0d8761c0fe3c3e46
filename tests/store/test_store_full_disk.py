"""A full disk, for real: what was acknowledged stays, a sentence says why, and with room it goes on."""

import resource
import subprocess
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from appenders import start

from sameornot.store import Draft, Store, StoreError, open_store

LARGE = Draft("ana", "answered", {"text": "x" * 30_000})


def append_until_full(pipe: Connection, path: Path) -> None:
    """Append under a limit on the size of files, then without it, and tell how each went."""
    store = open_store(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    pipe.send(fill(store))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    pipe.send(store.append("s", [LARGE], after=len(store.read("s")))[0].seq)
    store.close()


def fill(store: Store) -> tuple[int, str]:
    """Append until the store fails: the last acknowledged event, and the sentence."""
    acknowledged = len(store.read("s"))
    try:
        while True:
            acknowledged = store.append("s", [LARGE, LARGE], after=acknowledged)[-1].seq
    except StoreError as problem:
        return acknowledged, str(problem)


def test_a_file_that_cannot_grow_keeps_what_it_has_and_goes_on_when_it_can(path: Path) -> None:
    process, pipe = start(append_until_full, path)
    acknowledged, sentence = pipe.recv()
    assert pipe.recv() == acknowledged + 1
    process.join()
    pipe.close()
    assert sentence.endswith("what was stored before is safe.")
    store = open_store(path)
    assert [event.seq for event in store.read("s")] == list(range(1, acknowledged + 2))
    store.close()


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of 400 KB; only root may mount one."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("NO SMALL DISK CAN BE MOUNTED HERE (root only): the limit on a file's size stands for it")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_keeps_what_it_has_and_goes_on_when_there_is_room(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 100_000)
    path = small_disk / "sessions.sqlite"
    store = open_store(path)
    acknowledged, sentence = fill(store)
    assert sentence == (
        f"The disk of {path} is full: make room and try again; what was stored before is safe."
    )
    assert [event.seq for event in store.read("s")] == list(range(1, acknowledged + 1))
    ballast.unlink()
    assert store.append("s", [LARGE], after=acknowledged)[0].seq == acknowledged + 1
    store.close()
