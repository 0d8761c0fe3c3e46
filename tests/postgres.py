"""A PostgreSQL server for tests, in a folder of its own and gone at the end.

`fsync` stays on: that commits are on disk is what is tested. A server refuses to run as root, so root starts
it as another user. Each process that uses the fixture has its own server.
"""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

USER, PASSWORD = "sameornot", "a secret: /@#"
PATIENCE = 30.0  # seconds for a start or a stop on a busy machine
MISSING = (
    "PostgreSQL's programs initdb and postgres are neither on PATH nor in /usr/lib/postgresql/*/bin: "
    "THE POSTGRESQL STORE IS NOT TESTED HERE"
)


LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class Server:
    """A server that can be stopped, killed and started again on the same folder and port."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._programs = programs
        self._as_user: dict[str, Any] = {"user": unprivileged()} if os.geteuid() == 0 else {}
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = count()

    @property
    def url(self) -> str:
        """The address of its only database."""
        return self.url_of(PASSWORD)

    def url_of(self, password: str) -> str:
        """The address with some password."""
        return f"postgresql://{USER}:{quote(password, safe='')}@127.0.0.1:{self.port}/postgres"

    def empty(self) -> str:
        """The address of a new place in it that holds no table: a schema, made faster than a database."""
        name = f"empty_{next(self._numbers)}"
        with psycopg.connect(self.url) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"{self.url}?options=-csearch_path%3D{name}"

    def create(self) -> None:
        """Make the files of a server; they need not be on disk before it starts."""
        if self._as_user:
            shutil.chown(self.folder, self._as_user["user"])
        password = self.folder / "password"
        password.write_text(PASSWORD, "utf-8")
        self._run(
            "initdb", "--pgdata=data", f"--username={USER}", f"--pwfile={password}", "--no-sync",
            "--auth=scram-sha-256", "--encoding=UTF8", "--no-locale",
        )  # fmt: skip

    def start(self) -> None:
        """Start it, and wait until it answers."""
        address = ["-h", "127.0.0.1", "-p", str(self.port), "-k", str(self.folder)]
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", "data", *address, "-c", "fsync=on"],
                cwd=self.folder, stdout=log, stderr=log, start_new_session=True,
                preexec_fn=stop_with_parent, **self._as_user,
            )  # fmt: skip
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop it at once, with no care for its folder; nothing if it is not running."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(PATIENCE)
            self._process = None

    def kill(self) -> None:
        """`kill -9` to the server and all its children: what a crash of the machine's software looks like."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)  # so that it makes no new ones meanwhile
        children = children_of(self._process.pid)
        for pid in children:
            os.kill(pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait(PATIENCE)
        self._process = None
        while any(is_running(pid) for pid in children):
            time.sleep(0.01)

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._programs / program, *arguments],
            cwd=self.folder, capture_output=True, text=True, check=False, **self._as_user,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr or done.stdout}")


@contextmanager
def running_server(programs: Path) -> Iterator[Server]:
    """A server from here to the end of the block."""
    # Not under pytest's folders, which other users may not enter; and a socket's path has to be short.
    with tempfile.TemporaryDirectory(prefix="sameornot-pg-") as folder:
        server = Server(programs, Path(folder))
        server.create()
        try:
            server.start()
            yield server
        finally:
            server.stop()


def find_programs() -> Path | None:
    """The folder of PostgreSQL's programs, the newest version's if they are not on PATH."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda bin: (len(bin.parent.name), bin), reverse=True
    )
    return next((f for f in folders if (f / "initdb").exists() and (f / "postgres").exists()), None)


def unprivileged() -> str:
    """A user who is not root."""
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def stop_with_parent() -> None:
    """Have Linux stop this process when its parent dies: a killed test run leaves no server behind."""
    if LIBC is not None:
        LIBC.prctl(1, signal.SIGQUIT)  # 1: PR_SET_PDEATHSIG


def children_of(parent: int) -> list[int]:
    """The processes that a process has started, as Linux lists them."""
    text = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    return [int(pid) for pid in text.split()]


def is_running(pid: int) -> bool:
    """Whether a process still holds anything; one that only waits to be reaped does not."""
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """The server of this test process, started when first needed."""
    programs = find_programs()
    if programs is None:
        pytest.skip(MISSING)
    with running_server(programs) as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: Server) -> str:
    """The address of an empty place for one test."""
    return postgres_server.empty()
