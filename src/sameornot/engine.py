"""Run work on parts of a table, in this process or on a Dask cluster. Dask schedules and retries.

An engine is None (this process), "local" (one worker per core of this machine) or the address of a Dask
scheduler, such as tcp://10.0.0.7:8786, whose workers see the same files under the same paths.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

LOCAL = "local"
CONNECT_SECONDS = 20.0


class EngineError(ValueError):
    """A cluster cannot do the work; the message is one sentence for the user."""


class ClusterLost(EngineError):
    """A cluster failed after the work had begun."""


class Cluster(NamedTuple):
    """A connected client, and the engine that was asked for."""

    engine: str
    client: Any


def map_unordered(
    engine: str | None,
    prepare: Callable[[str], Any],
    text: str,
    work: Callable[[Any, Item], Result],
    items: Sequence[Item],
) -> Iterator[tuple[Item, Result]]:
    """Yield (item, `work(prepare(text), item)`) as items finish; `prepare` is called once."""
    if engine is None:
        prepared = prepare(text)
        yield from ((item, work(prepared, item)) for item in items)
        return
    with connect(engine) as cluster:
        # `prepare` is a task, not scattered data: data is lost with its worker, a task is run again.
        yield from map_on_cluster(cluster, work, items, cluster.client.submit(prepare, text))


def map_on_cluster(
    cluster: Cluster, work: Callable[..., Result], items: Sequence[Item], *arguments: Any
) -> Iterator[tuple[Item, Result]]:
    """Yield (item, `work(*arguments, item)`) as items finish; earlier items start first."""
    from distributed import as_completed

    client = cluster.client

    async def submit_all() -> dict[Any, Item]:
        return {
            client.submit(work, *arguments, item, pure=False, priority=-position): item
            for position, item in enumerate(items)
        }

    with explained_errors(cluster, {}):
        # On the client's own thread: Dask fails if tasks are submitted while it notes a lost scheduler.
        pending = client.sync(submit_all)
    for future in as_completed(list(pending), loop=client.loop):
        with explained_errors(cluster, pending, future):
            result = future.result()
        item = pending.pop(future)
        del future  # otherwise the task is repeated if the worker that holds its result dies
        yield item, result


@contextmanager
def connect(engine: str, timeout: float | None = None) -> Iterator[Cluster]:
    """Connect to the cluster of an engine, and disconnect at the end of the block.

    A scheduler has `timeout` seconds to answer (by default `CONNECT_SECONDS`).
    """
    timeout = CONNECT_SECONDS if timeout is None else timeout
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise EngineError(
            "Dask is needed for --engine and is not installed: pip install 'sameornot[dask]'"
        ) from None
    if engine == LOCAL:
        loopback = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
        with (
            closing_quietly(LocalCluster(threads_per_worker=1, **loopback)) as local,
            closing_quietly(Client(local)) as client,
        ):
            yield Cluster(engine, client)
        return
    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook already runs an event loop on this thread
            thread.submit(asyncio.run, check_scheduler(engine, timeout)).result()
        client = Client(engine, timeout=timeout)
    except (OSError, ValueError, TypeError, MemoryError):  # the last two: some other service answers
        raise EngineError(
            f"no scheduler answers at {engine}: start one with `dask scheduler`, or use --engine {LOCAL}"
        ) from None
    with closing_quietly(client):
        yield Cluster(engine, client)


async def check_scheduler(address: str, timeout: float) -> None:
    """Raise unless Dask answers: a client waits forever for a server that accepts and says nothing."""
    from distributed import Security
    from distributed.comm.core import connect

    options = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, **options), timeout)
    comm.abort()


@contextmanager
def closing_quietly(opened: Any) -> Iterator[Any]:
    """Close a Dask object without its log output, which would hide our error message."""
    from distributed.utils import silence_logging_cmgr

    try:
        yield opened
    finally:
        with silence_logging_cmgr(logging.CRITICAL):
            opened.close()


@contextmanager
def explained_errors(cluster: Cluster, pending: Mapping[Any, Item], future: Any = None) -> Iterator[None]:
    """Turn failures of the cluster into `ClusterLost`; errors of the work itself pass unchanged."""
    from distributed import KilledWorker
    from distributed.client import ClosedClientError

    try:
        yield
    except KilledWorker:
        names = " or ".join(fatal_items(pending)) or "the start of the work"
        raise ClusterLost(
            f"workers died over {names} again and again, most likely for lack of memory: give them more, or "
            "smaller parts"
        ) from None
    except (CancelledError, ClosedClientError, OSError):
        if future is not None and future.status == "error":
            raise
        raise ClusterLost(
            f"the scheduler at {cluster.engine} went away: start it and run this again"
        ) from None


def fatal_items(pending: Mapping[Any, Item]) -> list[str]:
    """Items over which workers died; Dask counts a death against every task the worker held."""
    from distributed import KilledWorker

    errors = {future: future.exception() for future in pending if future.status == "error"}
    return [
        str(pending[future])
        for future, error in errors.items()
        if isinstance(error, KilledWorker) and error.task == future.key
    ]
