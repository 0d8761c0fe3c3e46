"""`kill -9` at random moments: what was acknowledged is there, once, and what was half-way is not.

A kill is not a power cut, which no test here can make: that commits are on disk rests on what the databases
are told (`test_store_backends.py` checks that they are) and on their own word.
"""

import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from appenders import Told, append_pairs, start, told

from postgres import Server
from sameornot.store import Draft, Store, StoreError, open_store
from sameornot.testing.stores import check_log

N_APPENDS = 1_000
LANES = 4  # logs that are appended to side by side, as most of the time is spent waiting for the disk
MOST = 40  # appends that a process is let live for; some get none
MOMENT = 0.03  # seconds, about one append: the kill comes at any point of the next one


@pytest.mark.slow
def test_a_killed_process_loses_nothing_in_sqlite(tmp_path: Path) -> None:
    def place(lane: int) -> tuple[str, str]:
        return str(tmp_path / f"{lane}.sqlite"), "s"

    kill_many(place)
    for lane in range(LANES):
        connection = sqlite3.connect(place(lane)[0])
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()


def test_a_killed_process_loses_nothing_in_postgres(postgres_url: str) -> None:
    kill_many(lambda lane: (postgres_url, f"s{lane}"))


def test_a_killed_server_loses_nothing_and_the_store_goes_on(postgres_server: Server) -> None:
    where = postgres_server.empty()
    store = open_store(where)  # holds a connection that will be dead when the server is back
    started = [start(append_pairs, where, f"s{lane}", "before", 100_000) for lane in range(LANES)]
    acknowledged = [pipe.recv() for _, pipe in started]
    time.sleep(0.5)
    postgres_server.kill()
    for lane, (process, pipe) in enumerate(started):
        acknowledged[lane] += told(pipe)
        process.join()
    for _ in range(2):
        with pytest.raises(StoreError, match=r"cannot be reached .*; what was stored before is safe\.$"):
            store.append("s0", [Draft("ana", "answered", {})], after=0)
    postgres_server.start()
    for lane in range(LANES):
        check_pairs(store, f"s{lane}", acknowledged[lane])
    assert store.append("s", [Draft("ana", "answered", {})], after=0)[0].seq == 1
    store.close()


def kill_many(place: Callable[[int], tuple[str, str]]) -> None:
    """Start and kill processes until enough appends were acknowledged; check each log after each kill."""
    rngs = np.random.default_rng(4).spawn(LANES)
    with ThreadPoolExecutor(LANES) as pool:
        n_kills = sum(pool.map(lambda lane: kill_lane(*place(lane), rngs[lane]), range(LANES)))
    assert n_kills >= 20


def kill_lane(where: str, session: str, rng: np.random.Generator) -> int:
    store = open_store(where)
    acknowledged: list[Told] = []
    n_kills = 0
    while len(acknowledged) < 2 * N_APPENDS / LANES:
        process, pipe = start(append_pairs, where, session, str(n_kills), 100_000)
        for _ in range(rng.integers(MOST)):
            acknowledged += pipe.recv()
        time.sleep(rng.uniform(0.0, MOMENT))
        process.kill()
        process.join()
        acknowledged += told(pipe)
        n_kills += 1
        check_pairs(store, session, acknowledged)
    store.close()
    return n_kills


def check_pairs(store: Store, session: str, acknowledged: list[Told]) -> None:
    n_events = check_log(store, session, acknowledged)
    assert n_events % 2 == 0  # two are appended at a time: both are there or neither
