"""Work in parts, here or on a Dask cluster: who does what, and what is done again, is Dask's business.

An engine is None (this process), "local" (a worker for each core of this machine) or the address of a
scheduler, such as tcp://10.0.0.7:8786, whose workers reach the same files by the same names.
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
CONNECT_SECONDS = 20


class EngineProblem(ValueError):
    """A cluster that cannot do the work, in one sentence."""


class ClusterLost(EngineProblem):
    """A cluster that could not go on with work it had begun."""


class Cluster(NamedTuple):
    """A cluster that answers, and the engine by which it was asked for."""

    engine: str
    client: Any


def each(
    engine: str | None,
    prepare: Callable[[str], Any],
    text: str,
    work: Callable[[Any, Item], Result],
    items: Sequence[Item],
) -> Iterator[tuple[Item, Result]]:
    """`work(prepare(text), item)` for each item, as they are done; `prepare` is called once in all."""
    if engine is None:
        prepared = prepare(text)
        yield from ((item, work(prepared, item)) for item in items)
        return
    with connect(engine) as cluster:
        # A task and not data sent there: a worker that dies takes data with it, and a task is done again.
        yield from spread(cluster, work, items, cluster.client.submit(prepare, text))


def spread(
    cluster: Cluster, work: Callable[..., Result], items: Sequence[Item], *given: Any
) -> Iterator[tuple[Item, Result]]:
    """`work(*given, item)` for each item, as they are done; the first are begun first."""
    from distributed import as_completed

    client = cluster.client

    async def hand_out() -> dict[Any, Item]:
        return {
            client.submit(work, *given, item, pure=False, priority=-nth): item
            for nth, item in enumerate(items)
        }

    with told(cluster, {}):
        # In the client's own thread: Dask trips over new tasks of another while it notes a lost scheduler.
        waiting = client.sync(hand_out)
    for future in as_completed(list(waiting), loop=client.loop):
        with told(cluster, waiting, future):
            result = future.result()
        item = waiting.pop(future)
        del future  # or it would be done again if the worker that holds it dies
        yield item, result


@contextmanager
def connect(engine: str) -> Iterator[Cluster]:
    """The cluster that an engine stands for, until the end of the block."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise EngineProblem(
            "Dask is needed for --engine and is not installed: pip install 'sameornot[dask]'"
        ) from None
    if engine == LOCAL:
        alone = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
        with closing(LocalCluster(threads_per_worker=1, **alone)) as local, closing(Client(local)) as client:
            yield Cluster(engine, client)
        return
    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook runs a loop of its own in this one
            thread.submit(asyncio.run, knock(engine)).result()
        client = Client(engine, timeout=CONNECT_SECONDS)
    except (OSError, ValueError, TypeError, MemoryError):  # the last two if something else answers there
        raise EngineProblem(
            f"no scheduler answers at {engine}: start one with `dask scheduler`, or use --engine {LOCAL}"
        ) from None
    with closing(client):
        yield Cluster(engine, client)


async def knock(address: str) -> None:
    """See whether Dask answers there: a client waits for ever for a server that accepts and says nothing."""
    from distributed import Security
    from distributed.comm.core import connect

    options = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, **options), CONNECT_SECONDS)
    comm.abort()


@contextmanager
def closing(opened: Any) -> Iterator[Any]:
    """Close what was opened; Dask's log of how that went would hide the sentence that tells why."""
    from distributed.utils import silence_logging_cmgr

    try:
        yield opened
    finally:
        with silence_logging_cmgr(logging.CRITICAL):
            opened.close()


@contextmanager
def told(cluster: Cluster, waiting: Mapping[Any, Item], future: Any = None) -> Iterator[None]:
    """Say in a sentence what went wrong with the cluster; an error of the work itself stays as it is."""
    from distributed import KilledWorker
    from distributed.client import ClosedClientError

    try:
        yield
    except KilledWorker:
        names = " or ".join(blamed(waiting)) or "the start of the work"
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


def blamed(waiting: Mapping[Any, Item]) -> list[str]:
    """What workers died over: Dask counts a death against all that the worker held, run or not."""
    from distributed import KilledWorker

    errors = {future: future.exception() for future in waiting if future.status == "error"}
    return [
        str(waiting[future])
        for future, error in errors.items()
        if isinstance(error, KilledWorker) and error.task == future.key
    ]
