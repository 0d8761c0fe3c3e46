"""A server killed at random moments keeps every answer that it has acknowledged, exactly once."""

import threading
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np
import pandas as pd
import pytest
from team_of_people import LOST, ServerSequence
from web_client import Browser, Reply

from sameornot.store import Event, open_store

N_ANSWERS = 1_000
KILL_INTERVAL = (25, 60)  # acknowledged answers from one kill to the next
MAX_DELAY = 0.05  # seconds from the last of them to the kill, which is then within one of the next requests
N_ROWS = 60
KEEP_EVERY = 150  # all other answers are undone, so that prepared questions can be reused


class Person:
    """Answers as fast as possible, restarts a killed server, and repeats requests that were lost.

    `acknowledged` maps questions to answers that got status 200; `current` lists the questions whose answers
    were not undone, in order.
    """

    def __init__(self, servers: ServerSequence, y: np.ndarray) -> None:
        self.servers, self.y = servers, y
        self.rng = np.random.default_rng(4)
        self.browser = Browser(0)
        self.acknowledged: dict[int, str] = {}
        self.current: list[int] = []
        self.restart()

    def work(self) -> None:
        step = self.state()
        while len(self.acknowledged) < N_ANSWERS:
            step = self.answer(step["question"])
            if len(self.acknowledged) % KEEP_EVERY:
                step = self.undo()
        self.killer.join()

    def restart(self) -> None:
        self.servers.start()
        self.browser.port = self.servers.port
        self.next_kill = len(self.acknowledged) + int(self.rng.integers(*KILL_INTERVAL))

    def state(self) -> dict[str, Any]:
        return self.send_until_acknowledged(lambda: self.browser.get("/api/state"))

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        pair = question["left"]["row"], question["right"]["row"]
        truth = "same" if self.y[pair[0]] == self.y[pair[1]] else "different"
        said = {"question": question["id"], "answer": str(self.rng.choice([truth, "unsure"]))}
        step = self.send_until_acknowledged(lambda: self.browser.post("answer", said))
        self.current.append(question["id"])
        self.acknowledged[question["id"]] = said["answer"]
        assert step["progress"]["asked"] == len(self.current)
        if len(self.acknowledged) == self.next_kill:
            self.killer = threading.Timer(self.rng.uniform(0, MAX_DELAY), self.servers.kill)
            self.killer.start()
        return step

    def undo(self) -> dict[str, Any]:
        """Undo the last answer; if the response is lost, look whether it was undone."""
        n_left = len(self.current) - 1
        step = self.try_to_undo()
        while step["progress"]["asked"] != n_left:
            step = self.try_to_undo()
        self.current.pop()
        return step

    def try_to_undo(self) -> dict[str, Any]:
        try:
            return read_step(self.browser.post("undo", {}))
        except LOST:
            self.restart()
            return self.state()

    def send_until_acknowledged(self, send: Callable[[], Reply]) -> dict[str, Any]:
        """Send a request until it is acknowledged."""
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
    assert Counter(retracted) == Counter(e.seq for e in answered if e.data["question"] not in person.current)


@pytest.fixture(params=["sqlite", "postgres"])
def where(request, tmp_path):
    if request.param == "sqlite":
        return str(tmp_path / "sessions.sqlite")
    return request.getfixturevalue("postgres_url")


@pytest.mark.slow
def test_a_killed_server_loses_no_acknowledged_answer(where, tmp_path):
    y = np.arange(N_ROWS) % 3
    X = np.random.default_rng(0).normal(size=(N_ROWS, 3)) + 4.0 * y[:, None]
    table = tmp_path / "table.csv"
    pd.DataFrame(X, columns=["a", "b", "c"]).to_csv(table, index=False)

    with closing(ServerSequence(table, where)) as servers:
        person = Person(servers, y)
        person.work()
        shown = person.send_until_acknowledged(lambda: person.browser.get("/api/history"))["answers"]
    assert servers.n_kills >= 20

    store = open_store(where)
    events = store.read(store.sessions()[0].session)
    store.close()
    check_log(events, person)
    assert [(line["seq"], line["answer"]) for line in shown] == [
        (event.seq, event.data["answer"])
        for event in events
        if event.kind == "answered" and event.data["question"] in person.current
    ]
