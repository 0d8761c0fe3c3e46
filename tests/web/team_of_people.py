"""Simulated people who answer over HTTP on servers that are killed and a database that is restarted.

Used by the test and by the benchmark `benchmarks/team.py`. Each person sends a request again, to whichever
server answers, until it is acknowledged; the log of the store then has to have each acknowledged answer once,
and may never have shown a pair to somebody while somebody else was looking at it.
"""

import http.client
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from web_client import TIMEOUT, Browser, Reply

from sameornot.store import Event

N_KINDS = 3
LOST = (ConnectionError, TimeoutError, http.client.HTTPException)  # no response, or an incomplete one
PATIENCE = 0.05  # seconds before a request is sent again


class ServerSequence:
    """Servers on one table and store, one after the other; `kill` may be called from another thread."""

    def __init__(self, table: Path, where: str, *, ahead: bool = True) -> None:
        script = Path(__file__).with_name("page_process.py")
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, script, table, where, "ahead" if ahead else "at-once"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.pid = self.port = self.n_kills = 0

    def start(self) -> None:
        """Start the next server."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("next\n")
        self._process.stdin.flush()
        pid, port = self._process.stdout.readline().split()
        self.pid, self.port = int(pid), int(port)

    def kill(self) -> None:
        """`kill -9`."""
        os.kill(self.pid, signal.SIGKILL)
        self.n_kills += 1

    def close(self) -> None:
        """Kill what runs, and end the process that starts servers."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._process.communicate(timeout=TIMEOUT)


@contextmanager
def running_servers(
    table: Path, where: str, n_servers: int, *, ahead: bool = True
) -> Iterator[list[ServerSequence]]:
    """So many servers of one session, until the end of the block."""
    with ExitStack() as ends:
        servers = []
        for _ in range(n_servers):
            server = ServerSequence(table, where, ahead=ahead)
            ends.callback(server.close)
            server.start()
            servers.append(server)
        yield servers


def write_table(path: Path, n_rows: int, seed: int) -> np.ndarray:
    """Write a table of three kinds; returns the kind of each row."""
    y = np.arange(n_rows) % N_KINDS
    X = np.random.default_rng(seed).normal(size=(n_rows, 4)) + 3.0 * np.eye(4)[y]
    pd.DataFrame(X, columns=list("abcd")).to_csv(path, index=False)
    return y


@dataclass
class Work:
    """What is to be done, and what was acknowledged: (question, answer), in no order.

    It is done after so many answers, of at least `n_people` people.
    """

    kinds: np.ndarray
    n_answers: int
    pause: float = 0.0
    n_people: int = 0
    people: set[int] = field(default_factory=set)
    acknowledged: list[tuple[int, str]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_done(self) -> bool:
        """Whether there are enough answers, of enough people."""
        return len(self.acknowledged) >= self.n_answers and len(self.people) >= self.n_people

    def note(self, question: int, answer: str, person: int) -> None:
        """Count an answer of a person."""
        with self.lock:
            self.acknowledged.append((question, answer))
            self.people.add(person)


class Person:
    """Answers by the true kinds; `times` are the seconds from each answer to the next question."""

    def __init__(self, number: int, servers: Sequence[ServerSequence], work: Work) -> None:
        self.number, self.servers, self.work = number, servers, work
        self.rng = np.random.default_rng(number)
        self.browser = Browser(0)
        self.browser.cookies = {"sameornot_person": f"simulated-person-{number:04}"}
        self.at = number % len(servers)
        self.times: list[float] = []
        self.n_resent = 0
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Answer until there are enough answers, or nothing is left to ask."""
        try:
            step = self.send(lambda: self.browser.get("/api/state"))
            while not self.work.is_done:
                if step["question"] is not None:
                    step = self.answer(step["question"])
                elif step["progress"]["waiting"]:
                    time.sleep(PATIENCE)
                    step = self.send(lambda: self.browser.get("/api/state"))
                else:
                    return
        except BaseException as error:
            self.failure = error

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Answer a question."""
        kinds, pair = self.work.kinds, (question["left"]["row"], question["right"]["row"])
        said = {
            "question": question["id"],
            "answer": "same" if kinds[pair[0]] == kinds[pair[1]] else "different",
        }
        if self.work.pause:
            time.sleep(self.rng.exponential(self.work.pause))
        started, n_resent = time.perf_counter(), self.n_resent
        step = self.send(lambda: self.browser.post("answer", said))
        if n_resent == self.n_resent:
            self.times.append(time.perf_counter() - started)
        self.work.note(said["question"], said["answer"], self.number)
        return step

    def send(self, request: Callable[[], Reply]) -> dict[str, Any]:
        """Send a request to one server after the other until it is acknowledged."""
        while True:
            self.browser.port = self.servers[self.at].port
            with suppress(*LOST):
                reply = request()
                if reply.status != 503:  # the store is away for a moment
                    assert reply.status == 200, reply.text
                    return dict(reply.json())
            self.n_resent += 1
            self.at = (self.at + 1) % len(self.servers)
            time.sleep(PATIENCE)


def work_together(
    servers: Sequence[ServerSequence], work: Work, n_people: int, chaos: Callable[[], None] = lambda: None
) -> list[Person]:
    """Let people work until enough is answered, while `chaos` is called again and again."""
    people = [Person(number, servers, work) for number in range(n_people)]
    threads = [threading.Thread(target=person.run) for person in people]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        chaos()
        time.sleep(0.01)
    for person in people:
        if person.failure is not None:
            raise person.failure
    return people


class Chaos:
    """Kills a server, or restarts the database, each time that so many more answers were acknowledged."""

    def __init__(
        self,
        servers: Sequence[ServerSequence],
        work: Work,
        every: int,
        restart: Callable[[], None] | None = None,
    ) -> None:
        self.servers, self.work, self.every, self.restart = servers, work, every, restart
        self.rng = np.random.default_rng(7)
        self.n_restarts, self.next_at = 0, every

    def __call__(self) -> None:
        """Break something if it is time to; half of the database's restarts are crashes."""
        n_answers = len(self.work.acknowledged)
        if n_answers < self.next_at or self.work.is_done:
            return
        self.next_at = n_answers + self.every
        if self.restart is not None and n_answers >= self.work.n_answers / 2 and not self.n_restarts:
            self.n_restarts += 1
            self.restart()
            return
        server = self.servers[int(self.rng.integers(len(self.servers)))]
        server.kill()
        server.start()


def check_log(events: Sequence[Event], work: Work) -> None:
    """Each acknowledged answer is in the log once, and nothing else; no pair was on two screens at once."""
    answered = [event for event in events if event.kind == "answered"]
    stored = Counter((event.data["question"], event.data["answer"]) for event in answered)
    assert max(stored.values()) == 1
    assert stored == Counter(work.acknowledged)
    assert shared_screens(events) == []


def shared_screens(events: Sequence[Event]) -> list[int]:
    """The numbers of events that showed somebody a pair that somebody else was looking at."""
    looking: dict[str, tuple[int, frozenset[int]]] = {}
    found = []
    for event in events:
        if event.kind == "shown":
            pair = frozenset((event.data["left"], event.data["right"]))
            if any(pair == other for who, (_, other) in looking.items() if who != event.author):
                found.append(event.seq)
            looking[event.author] = event.seq, pair
        elif event.kind == "answered":
            looking = {
                who: open_one for who, open_one in looking.items() if open_one[0] != event.data["question"]
            }
        elif event.kind == "left":
            looking.pop(event.author, None)
    return found
