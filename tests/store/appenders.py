"""Processes that append to a store, for tests that run several of them or kill them.

They come from a fork server that has imported the store already, so that a new one costs milliseconds.
"""

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from sameornot.store import Draft, StoreError, open_store
from sameornot.testing.stores import append_at_end

CONTEXT = multiprocessing.get_context("forkserver")
DRIVERS = [
    "sqlalchemy.dialects.sqlite.pysqlite",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlite3",
    "psycopg",
]
CONTEXT.set_forkserver_preload(["__main__", "sameornot.store.sqlite", "sameornot.store.postgres", *DRIVERS])

Told = tuple[int, str]  # the number of an acknowledged event, and what it was given to hold


def start(work: Callable[..., None], *arguments: Any) -> tuple[BaseProcess, Connection]:
    """A process that does `work(pipe, *arguments)`, and the end of the pipe to read from."""
    here, there = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=work, args=(there, *arguments), daemon=True)
    process.start()
    there.close()
    return process, here


def append_pairs(pipe: Connection, where: str, session: str, name: str, n_pairs: int) -> None:
    """Append two events at a time, and tell of both as soon as the store has acknowledged them.

    A store that fails ends it: what was told by then is what counts.
    """
    store = open_store(where)
    end = len(store.read(session))
    for number in range(n_pairs):
        texts = [f"{name}.{number} first", f"{name}.{number} second"]
        drafts = [Draft(name, "answered", {"text": text}) for text in texts]
        try:
            events = append_at_end(store, session, drafts, end)
        except StoreError:
            break
        end = events[-1].seq
        pipe.send([(event.seq, text) for event, text in zip(events, texts, strict=True)])
    store.close()


def told(pipe: Connection) -> list[Told]:
    """All that came through the pipe until its other end was closed, by its process or by its death."""
    received: list[Told] = []
    try:
        while True:
            received += pipe.recv()
    except EOFError:
        pipe.close()
        return received
