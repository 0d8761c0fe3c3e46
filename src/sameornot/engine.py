"""Work in parts, here or on a Dask cluster: who does what, and what is done again, is Dask's business.

An engine is None (this process), "local" (a worker for each core of this machine) or the address of a
scheduler, such as tcp://10.0.0.7:8786, whose workers reach the same files by the same names.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

LOCAL = "local"
CONNECT_SECONDS = 20


class EngineProblem(ValueError):
    """A cluster that cannot do the work, in one sentence."""


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
    with connect(engine) as client:
        from distributed import as_completed

        # A task and not data sent there: a worker that dies takes data with it, and a task is done again.
        prepared = client.submit(prepare, text)
        waiting = {client.submit(work, prepared, item, pure=False): item for item in items}
        for future in as_completed(list(waiting)):
            with told(engine, str(waiting[future])):
                result = future.result()
            yield waiting[future], result


@contextmanager
def connect(engine: str) -> Iterator[Any]:
    """A client of the cluster."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise EngineProblem(
            "Dask is needed for --engine and is not installed: pip install 'sameornot[dask]'"
        ) from None
    if engine == LOCAL:
        alone = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
        with LocalCluster(threads_per_worker=1, **alone) as cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(engine, timeout=CONNECT_SECONDS)
    except (OSError, TimeoutError, ValueError):
        raise EngineProblem(
            f"no scheduler answers at {engine}: start one with `dask scheduler`, or use --engine {LOCAL}"
        ) from None
    with client:
        yield client


@contextmanager
def told(engine: str, what: str) -> Iterator[None]:
    """Say in a sentence what went wrong with the cluster over one part."""
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError

    try:
        yield
    except KilledWorker:
        raise EngineProblem(
            f"workers died over {what} again and again, most likely for lack of memory: give them more, or "
            "write the table in smaller parts; parts that are done are not repeated"
        ) from None
    except (CancelledError, FutureCancelledError, CommClosedError):
        raise EngineProblem(
            f"the scheduler at {engine} went away: start it and run this again, parts that are done are not "
            "repeated"
        ) from None
