"""The engine: what a cluster gives is what this process gives, and what goes wrong is told in a sentence.

Schedulers and workers are processes of their own, and what goes wrong with them goes wrong indeed.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

from sameornot.engine import ClusterLost, EngineProblem, connect, each, spread

PARTS = [f"part-{nth}" for nth in range(8)]
MEGABYTE = 2**20


# What workers do: they find it by the name of this module.


def shout(mark, part):
    return part.upper() + mark


def linger(mark, part):
    time.sleep(0.1)
    return part.upper() + mark


def refuse(mark, part):
    if part == PARTS[3]:
        raise {"ValueError": ValueError, "FileNotFoundError": FileNotFoundError}[mark](2, "it is not there")
    return part


def die(fatal, part):
    linger("", part)
    if part == fatal:
        os.kill(os.getpid(), signal.SIGKILL)


def fall(_):
    os.kill(os.getpid(), signal.SIGKILL)


def hoard(fatal, part):
    """Fill memory bit by bit, and hold it: whoever watches looks ten times a second."""
    hoarded = []
    while part == fatal and len(hoarded) < 300:
        hoarded.append(np.ones(4 * MEGABYTE, dtype=np.uint8))
        time.sleep(0.02)


def sign(book, part):
    """Write down that a part was begun, and say who did it."""
    with open(book, "a") as file:
        file.write(f"{part}\n")
    time.sleep(0.2)
    return os.getpid()


@pytest.fixture(autouse=True)
def patience():
    """Fail what would hang for ever."""

    def give_up(*_):
        raise AssertionError("nothing happens any more")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@contextmanager
def running(folder, n_workers, *options):
    """A scheduler that forgives one death, and its workers, over TCP: its address, and its process."""
    file = folder / "scheduler.json"
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    surroundings = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    }

    def start(kind, *options):
        words = ["--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", str(file), *options]
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, env=surroundings, **quiet)

    with ExitStack() as stack:
        started = [start("scheduler", "--port", "0")]
        started += [start("worker", "--nthreads", "1", *options) for _ in range(n_workers)]
        for process in started:
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield address_in(file), started[0]


def address_in(file):
    """What a scheduler has written once it listens."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if file.exists() and (text := file.read_text()).endswith("}"):
            return json.loads(text)["address"]
        time.sleep(0.05)
    raise AssertionError("the scheduler does not start")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A cluster whose workers are started again when they die."""
    with running(tmp_path_factory.mktemp("cluster"), 2, "--memory-limit", "400MiB") as (found, _):
        yield found


def test_a_cluster_gives_what_this_process_gives(address):
    expected = [(part, f"{part.upper()}!") for part in PARTS]
    assert list(each(None, str, "!", shout, PARTS)) == expected
    assert sorted(each(address, str, "!", shout, PARTS)) == expected


@pytest.mark.parametrize("error", [ValueError, FileNotFoundError])
def test_an_error_of_the_work_comes_through_as_it_is(address, error):
    with pytest.raises(error, match="it is not there") as caught:
        list(each(address, str, error.__name__, refuse, PARTS))
    assert type(caught.value) is error
    assert caught.value.args == (2, "it is not there")


@pytest.mark.parametrize("work", [die, hoard], ids=["killed", "out of memory"])
def test_what_workers_die_over_again_and_again_is_named(address, work):
    done = []
    with pytest.raises(ClusterLost, match="again and again, most likely for lack of memory") as caught:
        done.extend(part for part, _ in each(address, str, PARTS[5], work, PARTS))
    named = str(caught.value).removeprefix("workers died over ").partition(" again")[0].split(" or ")
    assert PARTS[5] in named  # perhaps with one that was next in line there, which Dask blames too
    assert set(named) <= set(PARTS) - set(done)


def test_workers_that_die_before_the_first_item_are_told(address):
    with pytest.raises(ClusterLost, match="workers died over the start of the work again and again"):
        list(each(address, fall, "", shout, PARTS))


def test_a_scheduler_that_is_killed_in_mid_run_is_told(tmp_path):
    with running(tmp_path, 1, "--no-nanny") as (address, scheduler):
        answers = each(address, str, "!", linger, PARTS)
        part, answer = next(answers)
        scheduler.kill()
        with pytest.raises(ClusterLost, match=f"^the scheduler at {address} went away: start it and run"):
            list(answers)
    assert answer == f"{part.upper()}!"


def test_a_scheduler_that_is_killed_before_the_work_begins_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("sameornot.engine.CONNECT_SECONDS", 3)
    with running(tmp_path, 0) as (address, scheduler), connect(address) as cluster:
        scheduler.kill()
        scheduler.wait()
        with pytest.raises(ClusterLost, match="went away"):
            list(spread(cluster, str, PARTS))


def test_what_was_handed_over_is_not_done_again_for_a_dead_worker(address, tmp_path):
    book = tmp_path / "book"
    found = {}
    for part, worker in each(address, str, str(book), sign, PARTS):
        found[part] = worker
        if len(found) == 4:
            first = next(iter(found))
            os.kill(found[first], signal.SIGKILL)
    assert set(found) == set(PARTS)
    assert book.read_text().split().count(first) == 1


def test_the_first_items_are_begun_first(address, tmp_path):
    book = tmp_path / "book"
    list(each(address, str, str(book), sign, PARTS))
    begun = book.read_text().split()
    assert set(begun[:4]) >= set(PARTS[:2])
    assert set(begun[-4:]) >= set(PARTS[-2:])


def reply(server, text):
    caller, _ = server.accept()
    with caller:
        caller.recv(1)
        caller.sendall(text)


@pytest.mark.parametrize("text", [None, b"HTTP/1.1 400 Bad Request"], ids=["silent", "another service"])
def test_something_else_that_listens_is_no_scheduler(text, monkeypatch):
    monkeypatch.setattr("sameornot.engine.CONNECT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as threads:
        server.settimeout(60)
        replied = threads.submit(reply, server, text) if text else None
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(EngineProblem, match=f"no scheduler answers at {address}"):
            list(each(address, str, "!", shout, PARTS))
        assert replied is None or replied.result() is None


@pytest.mark.parametrize("address", ["", "locl", "8786", "http://127.0.0.1:1", "tls://127.0.0.1:1"])
def test_what_is_no_address_is_no_scheduler(address):
    with pytest.raises(EngineProblem, match=f"no scheduler answers at {address}: start one with"):
        list(each(address, str, "!", shout, PARTS))


def test_without_dask_the_way_to_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(EngineProblem, match=r"Dask is needed .* pip install 'sameornot\[dask\]'"):
        list(each("local", str, "!", shout, PARTS))
