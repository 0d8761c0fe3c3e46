"""`kill -9` of the server at random moments: every answer that it acknowledged is in the log, once."""

import http.client
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from web_client import TIMEOUT, Browser, Reply

from sameornot.store import Event, open_store

N_ANSWERS = 1_000
EVERY = (25, 60)  # acknowledged answers from one kill to the next
LATEST = 0.05  # seconds from the last of them to the kill: somewhere within one of the next requests
N_ROWS = 60
KEPT = 150  # one answer in so many is not taken back: what was prepared once is then soon at hand again

LOST = (ConnectionError, http.client.HTTPException)  # nobody answers, or the answer breaks off


class Nursery:
    """Servers on one table and store, one after the other; `kill` may come from another thread."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.pid = 0
        self.n_kills = 0

    def start(self) -> int:
        """Start the next server: its port."""
        self._process.stdin.write("next\n")
        self._process.stdin.flush()
        pid, port = self._process.stdout.readline().split()
        self.pid = int(pid)
        return int(port)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self.n_kills += 1


@contextmanager
def nursery(table: Path, where: str) -> Iterator[Nursery]:
    script = Path(__file__).with_name("page_process.py")
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, script, table, where],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=alone,
    )
    servers = Nursery(process)
    try:
        yield servers
    finally:
        if servers.pid:
            with suppress(ProcessLookupError):
                os.kill(servers.pid, signal.SIGKILL)
        process.communicate(timeout=TIMEOUT)


class Person:
    """Answers as fast as the page lets her; when it is gone she starts it again, and repeats what got lost.

    `acknowledged` has the answer to each question that came back with a 200, `held` the questions whose
    answers she has not taken back, in order.
    """

    def __init__(self, servers: Nursery, y: np.ndarray) -> None:
        self.servers, self.y = servers, y
        self.rng = np.random.default_rng(4)
        self.browser = Browser(0)
        self.acknowledged: dict[int, str] = {}
        self.held: list[int] = []
        self.restart()

    def work(self) -> None:
        step = self.look()
        while len(self.acknowledged) < N_ANSWERS:
            step = self.answer(step["question"])
            if len(self.acknowledged) % KEPT:
                step = self.undo()
        self.killer.join()

    def restart(self) -> None:
        self.browser.port = self.servers.start()
        self.next_kill = len(self.acknowledged) + int(self.rng.integers(*EVERY))

    def look(self) -> dict[str, Any]:
        return self.insist(lambda: self.browser.get("/api/state"))

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        pair = question["left"]["row"], question["right"]["row"]
        truth = "same" if self.y[pair[0]] == self.y[pair[1]] else "different"
        said = {"question": question["id"], "answer": str(self.rng.choice([truth, "unsure"]))}
        step = self.insist(lambda: self.browser.post("answer", said))
        self.held.append(question["id"])
        self.acknowledged[question["id"]] = said["answer"]
        assert step["progress"]["asked"] == len(self.held)
        if len(self.acknowledged) == self.next_kill:
            self.killer = threading.Timer(self.rng.uniform(0, LATEST), self.servers.kill)
            self.killer.start()
        return step

    def undo(self) -> dict[str, Any]:
        """Take the last answer back; where nobody says whether that was heard, look."""
        n_left = len(self.held) - 1
        step = self.try_to_undo()
        while step["progress"]["asked"] != n_left:
            step = self.try_to_undo()
        self.held.pop()
        return step

    def try_to_undo(self) -> dict[str, Any]:
        try:
            return read_step(self.browser.post("undo", {}))
        except LOST:
            self.restart()
            return self.look()

    def insist(self, send: Callable[[], Reply]) -> dict[str, Any]:
        """Send until it is acknowledged."""
        while True:
            try:
                return read_step(send())
            except LOST:
                self.restart()


def read_step(reply: Reply) -> dict[str, Any]:
    assert reply.status == 200, reply.text
    return reply.json()


def check_log(events: list[Event], person: Person) -> None:
    """Assert that the log has each acknowledged answer once and no other, and each retraction once."""
    answered = [event for event in events if event.kind == "answered"]
    assert Counter((e.data["question"], e.data["answer"]) for e in answered) == Counter(
        person.acknowledged.items()
    )
    retracted = [event.data["answer"] for event in events if event.kind == "retracted"]
    assert Counter(retracted) == Counter(e.seq for e in answered if e.data["question"] not in person.held)


@pytest.fixture(params=["sqlite", "postgres"])
def where(request, tmp_path):
    if request.param == "sqlite":
        return str(tmp_path / "sessions.sqlite")
    return request.getfixturevalue("postgres_url")


def test_a_killed_server_loses_no_acknowledged_answer(where, tmp_path):
    y = np.arange(N_ROWS) % 3
    X = np.random.default_rng(0).normal(size=(N_ROWS, 3)) + 4.0 * y[:, None]
    table = tmp_path / "table.csv"
    pd.DataFrame(X, columns=["a", "b", "c"]).to_csv(table, index=False)

    with nursery(table, where) as servers:
        person = Person(servers, y)
        person.work()
        shown = person.insist(lambda: person.browser.get("/api/history"))["answers"]
    assert servers.n_kills >= 20

    store = open_store(where)
    events = store.read(store.sessions()[0].session)
    store.close()
    check_log(events, person)
    assert [(line["seq"], line["answer"]) for line in shown] == [
        (event.seq, event.data["answer"])
        for event in events
        if event.kind == "answered" and event.data["question"] in person.held
    ]
