"""The engine: a cluster gives the results of this process, and each failure is one sentence.

Schedulers and workers are real processes, and their failures are real: they are killed.
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

from sameornot.engine import ClusterLost, EngineError, connect, map_on_cluster, map_unordered

pytestmark = pytest.mark.dask

PARTS = [f"part-{nth}" for nth in range(8)]
MEGABYTE = 2**20


# The work that workers do; they import it from this module.


def shout(suffix, part):
    return part.upper() + suffix


def shout_slowly(suffix, part):
    time.sleep(0.1)
    return part.upper() + suffix


def fail_on_one(error, part):
    if part == PARTS[3]:
        raise {"ValueError": ValueError, "FileNotFoundError": FileNotFoundError}[error](2, "it is not there")
    return part


def die(fatal, part):
    time.sleep(0.1)
    if part == fatal:
        os.kill(os.getpid(), signal.SIGKILL)


def die_at_once(_):
    os.kill(os.getpid(), signal.SIGKILL)


def fill_memory(fatal, part):
    """Fill memory step by step: the nanny looks ten times a second."""
    blocks = []
    while part == fatal and len(blocks) < 300:
        blocks.append(np.ones(4 * MEGABYTE, dtype=np.uint8))
        time.sleep(0.02)


def log_start(log, part):
    """Log that a part was started; returns the worker's process number."""
    with open(log, "a") as file:
        file.write(f"{part}\n")
    time.sleep(0.2)
    return os.getpid()


@pytest.fixture(autouse=True)
def time_limit():
    """Fail a test that would hang forever."""

    def give_up(*_):
        raise AssertionError("the test hangs")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@contextmanager
def running(folder, n_workers, *options):
    """A scheduler that allows one death per task, and its workers: its address and its process."""
    file = folder / "scheduler.json"
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    }

    def start(kind, *options):
        words = ["--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", str(file), *options]
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, env=environment, **quiet)

    with ExitStack() as stack:
        started = [start("scheduler", "--port", "0")]
        started += [start("worker", "--nthreads", "1", *options) for _ in range(n_workers)]
        for process in started:
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield address_in(file), started[0]


def address_in(file):
    """The address that a scheduler writes once it listens."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if file.exists() and (text := file.read_text()).endswith("}"):
            return json.loads(text)["address"]
        time.sleep(0.05)
    raise AssertionError("the scheduler does not start")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A cluster whose workers are restarted when they die."""
    with running(tmp_path_factory.mktemp("cluster"), 2, "--memory-limit", "400MiB") as (found, _):
        yield found


def test_cluster_gives_the_results_of_this_process(address):
    expected = [(part, f"{part.upper()}!") for part in PARTS]
    assert list(map_unordered(None, str, "!", shout, PARTS)) == expected
    assert sorted(map_unordered(address, str, "!", shout, PARTS)) == expected


@pytest.mark.parametrize("error", [ValueError, FileNotFoundError])
def test_error_of_the_work_passes_unchanged(address, error):
    with pytest.raises(error, match="it is not there") as caught:
        list(map_unordered(address, str, error.__name__, fail_on_one, PARTS))
    assert type(caught.value) is error
    assert caught.value.args == (2, "it is not there")


@pytest.mark.parametrize("work", [die, fill_memory], ids=["killed", "out of memory"])
def test_item_that_kills_workers_is_named(address, work):
    done = []
    with pytest.raises(ClusterLost, match="again and again, most likely for lack of memory") as caught:
        done.extend(part for part, _ in map_unordered(address, str, PARTS[5], work, PARTS))
    named = str(caught.value).removeprefix("workers died over ").partition(" again")[0].split(" or ")
    assert PARTS[5] in named  # Dask may also blame an item that was queued on the same worker
    assert set(named) <= set(PARTS) - set(done)


def test_workers_that_die_before_the_first_item_are_reported(address):
    with pytest.raises(ClusterLost, match="workers died over the start of the work again and again"):
        list(map_unordered(address, die_at_once, "", shout, PARTS))


def test_scheduler_killed_during_the_work_is_reported(tmp_path):
    with running(tmp_path, 1, "--no-nanny") as (address, scheduler):
        answers = map_unordered(address, str, "!", shout_slowly, PARTS)
        part, answer = next(answers)
        scheduler.kill()
        with pytest.raises(ClusterLost, match=f"^the scheduler at {address} went away: start it and run"):
            list(answers)
    assert answer == f"{part.upper()}!"


def test_scheduler_killed_before_the_work_begins_is_reported(tmp_path):
    with running(tmp_path, 0) as (address, scheduler), connect(address, timeout=3) as cluster:
        scheduler.kill()
        scheduler.wait()
        with pytest.raises(ClusterLost, match="went away"):
            list(map_on_cluster(cluster, str, PARTS))


def test_delivered_result_is_not_recomputed_when_its_worker_dies(address, tmp_path):
    log = tmp_path / "log"
    found = {}
    for part, worker in map_unordered(address, str, str(log), log_start, PARTS):
        found[part] = worker
        if len(found) == 4:
            first = next(iter(found))
            os.kill(found[first], signal.SIGKILL)
    assert set(found) == set(PARTS)
    assert log.read_text().split().count(first) == 1


def test_earlier_items_start_first(address, tmp_path):
    log = tmp_path / "log"
    list(map_unordered(address, str, str(log), log_start, PARTS))
    started = log.read_text().split()
    assert set(started[:4]) >= set(PARTS[:2])
    assert set(started[-4:]) >= set(PARTS[-2:])


def reply(server, text):
    caller, _ = server.accept()
    with caller:
        caller.recv(1)
        caller.sendall(text)


@pytest.mark.parametrize("text", [None, b"HTTP/1.1 400 Bad Request"], ids=["silent", "another service"])
def test_another_service_at_the_address_is_not_a_scheduler(text):
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as threads:
        server.settimeout(60)
        replied = threads.submit(reply, server, text) if text else None
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with (
            pytest.raises(EngineError, match=f"no scheduler answers at {address}"),
            connect(address, timeout=0.5),
        ):
            pass
        assert replied is None or replied.result() is None


@pytest.mark.parametrize("address", ["", "locl", "8786", "http://127.0.0.1:1", "tls://127.0.0.1:1"])
def test_invalid_address_is_refused(address):
    with pytest.raises(EngineError, match=f"no scheduler answers at {address}: start one with"):
        list(map_unordered(address, str, "!", shout, PARTS))


def test_missing_dask_is_reported_with_its_install_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(EngineError, match=r"Dask is needed .* pip install 'sameornot\[dask\]'"):
        list(map_unordered("local", str, "!", shout, PARTS))
