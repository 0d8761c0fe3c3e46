"""Ten million rows on disk: groups for all, one core beside bare reads and products; two workers of Dask.

    python benchmarks/assign.py [--rows 10000000]

50 columns of single-precision numbers in 40 Parquet files, ten groups. "Bare" reads the same files and
multiplies each block with the centres, and writes nothing; "one core, not written" assigns, and "one core"
assigns and writes: three times in turns, of which the median is shown. "Dask" has a scheduler and two
workers, each a process of its own, reached over TCP; they are started before the clock is. "Dask, a worker
killed" has three processes that know each other by an address alone, a scheduler and two workers, of which
one is killed once ten parts are written. "Session" opens the folder as `label` does, answers 60 questions and
exports the labels of all rows; "session, Dask" has its rows drawn and its labels written by the workers. Each
route runs in a process of its own, whose peak memory Linux reports, all but Dask's workers on one core.
Labels of "one core" and of both with Dask are compared row by row.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, LocalCluster

from machine import one_core, report, table
from sameornot import EnsembleConfig, Metric
from sameornot.ensemble.prototypes import fit_prototypes
from sameornot.export import Model, assign_parts, label_parts
from sameornot.export.assign import predict_file
from sameornot.export.assigner import Assigner
from sameornot.metric.learn import feature_scale
from sameornot.service import LabellingService, Options
from sameornot.store import open_store
from sameornot.table import TableEncoder, read_sample

N_FEATURES, N_GROUPS, N_PARTS = 50, 10, 40
NAMES = [f"x{m}" for m in range(N_FEATURES)]
BLOCK = 50_000
N_ANSWERS = 60
ONE_CORE = ("bare", "one core, not written", "one core")
ON_CLUSTER = ("Dask", "Dask, a worker killed")
ROUTES = (*ONE_CORE, *ON_CLUSTER, "session", "session, Dask")
KILLED_AFTER = 10  # parts


def main() -> None:
    """Make the files, run each route, write the page."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--rows", type=int, default=10**7)
    options.add_argument("--route", choices=ROUTES, help=argparse.SUPPRESS)
    options.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    wanted = options.parse_args()
    if wanted.route is not None:
        print(json.dumps(run(wanted.route, wanted.folder)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_table(folder, wanted.rows)
        found = time_routes(folder)
        same = all(
            np.array_equal(labels(folder, "one core", part), labels(folder, route, part))
            for part in range(N_PARTS)
            for route in ON_CLUSTER
        )
    bare = found["bare"]["seconds"]
    lines = []
    for route, one in found.items():
        rate = wanted.rows / one["seconds"] / 1e6
        facts = one["seconds"], rate, bare / one["seconds"], one["memory"]
        worker = f"{one['worker']:.2f}" if one["worker"] else ""
        lines.append([route, *(f"{fact:.2f}" for fact in facts), worker])
    header = ["route", "seconds", "million rows a second", "speed / bare", "peak memory (GB)", "of a worker"]
    text = (
        f"{__doc__.split(chr(10) * 2)[2].strip()}\n\n{wanted.rows:,} rows.\n\n{table(header, lines)}\n\n"
        f"Labels of one core and of Dask, with and without a worker killed, are"
        f" {'the same' if same else 'NOT the same'}."
    )
    report("assign", "Ten million rows on disk", text, "pyarrow", "dask")


def time_routes(folder: Path) -> dict[str, dict[str, float]]:
    """What each route takes, those of one core in the median of three times by turns."""
    turns = []
    for _ in range(3):
        shutil.rmtree(folder / "one core", ignore_errors=True)  # finished parts are not written again
        turns.append({route: in_own_process(route, folder) for route in ONE_CORE})
    found = {route: sorted((turn[route] for turn in turns), key=by_seconds)[1] for route in ONE_CORE}
    return found | {route: in_own_process(route, folder) for route in ROUTES if route not in ONE_CORE}


def by_seconds(one: dict[str, float]) -> float:
    """What runs are put in order by."""
    return one["seconds"]


def in_own_process(route: str, folder: Path) -> dict[str, float]:
    """What a route takes."""
    command = [sys.executable, __file__, "--route", route, "--folder", str(folder)]
    return dict(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def write_table(folder: Path, n_rows: int) -> None:
    """The files, and a model of some rows like theirs."""
    rng = np.random.default_rng(0)
    centers = np.zeros((N_GROUPS, N_FEATURES))
    centers[:, :10] = 1.5 * rng.normal(size=(N_GROUPS, 10))

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        y = rng.integers(0, N_GROUPS, n)
        return (centers[y] + rng.standard_normal((n, N_FEATURES))).astype(np.float32), y

    (folder / "table").mkdir()
    kind = []
    for part in range(N_PARTS):
        X, y = draw(n_rows // N_PARTS)
        kind.append(y.astype(np.int8))
        columns = pa.table({name: X[:, m] for m, name in enumerate(NAMES)})
        pq.write_table(columns, folder / "table" / f"part-{part:02}.parquet", compression="none")
    np.save(folder / "kind.npy", np.concatenate(kind))
    X, y = draw(1500)
    frame = pd.DataFrame(X, columns=NAMES)
    encoder = TableEncoder.fit(frame)
    encoded = encoder.transform(frame)
    metric = Metric(feature_scale(encoded), np.ones(N_FEATURES))
    clustering = fit_prototypes(encoded, y, metric, EnsembleConfig(), rng)
    numbers, names = list(range(1, N_GROUPS + 1)), [f"kind {m}" for m in range(N_GROUPS)]
    Model("numbers", encoder, clustering, clustering.width(encoded), numbers, names).save(
        folder / "model.json"
    )


def run(route: str, folder: Path) -> dict[str, float]:
    """Seconds and memory of one route."""
    if "Dask" not in route:
        os.sched_setaffinity(0, {0})  # reading Parquet would use all cores
        seconds = time_route(route, folder, None)
        return {"seconds": seconds, "memory": peak(), "worker": 0.0}
    if "killed" in route:
        with three_processes(folder) as (address, workers):
            threading.Thread(target=kill_later, args=(workers[0], folder / route), daemon=True).start()
            seconds = time_route(route, folder, address)
            if workers[0].poll() is None:
                raise RuntimeError("all was done before the worker could be killed: take more rows")
            with Client(address) as client:
                return {"seconds": seconds, "memory": peak(), "worker": max(client.run(peak).values())}
    alone = {"host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(n_workers=2, threads_per_worker=1, **alone) as cluster, Client(cluster) as client:
        seconds = time_route(route, folder, cluster.scheduler_address)
        return {"seconds": seconds, "memory": peak(), "worker": max(client.run(peak).values())}


@contextmanager
def three_processes(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler's address and two workers, all ended with the block."""
    meeting = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

    def start(kind: str, *options: str) -> subprocess.Popen[bytes]:
        words = ["--scheduler-file", str(meeting), "--no-dashboard", *options]
        return subprocess.Popen([sys.executable, "-m", f"distributed.cli.dask_{kind}", *words], **quiet)

    own = ["--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]
    scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0")
    workers = [start("worker", "--host", "127.0.0.1", *own) for _ in range(2)]
    try:
        with Client(scheduler_file=str(meeting), timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            address = str(client.scheduler.address)
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def kill_later(worker: subprocess.Popen[bytes], out: Path) -> None:
    """Kill a worker once some parts are written."""
    while len(list(out.glob("*.parquet"))) < KILLED_AFTER:
        time.sleep(0.02)
    worker.kill()


def time_route(route: str, folder: Path, engine: str | None) -> float:
    """Seconds that a route takes."""
    with one_core():
        start = time.perf_counter()
        if route == "bare":
            multiply(folder / "table", len(Model.load(folder / "model.json").clustering.centers))
        elif "not written" in route:
            assigner = Assigner.of_model(Model.load(folder / "model.json"))
            for path in sorted((folder / "table").iterdir()):
                for _ in predict_file(assigner, path):
                    pass
        elif "session" in route:
            label_all(folder, route, engine)
        else:
            model = Model.load(folder / "model.json")
            assign_parts(model, folder / "table", folder / route, engine=engine)
        return time.perf_counter() - start


def label_all(folder: Path, route: str, engine: str | None) -> None:
    """What `label` and `export` do."""
    table = read_sample(folder / "table", engine)
    kind = np.load(folder / "kind.npy", mmap_mode="r")
    options = Options(clusters=N_GROUPS, budget=N_ANSWERS)
    store = open_store(folder / f"{route}.db")
    service = LabellingService.open(
        store, table, title="numbers", path=folder / "table", options=options, ahead=False
    )
    state = service.state("expert")
    for _ in range(N_ANSWERS):
        left, right = (state["question"][side]["row"] for side in ("left", "right"))
        answer = "same" if kind[left] == kind[right] else "different"
        state = service.answer("expert", state["question"]["id"], answer)
    label_parts(service.snapshot(), folder / route, engine=engine)
    service.close()


def peak() -> float:
    """Most memory that this process has ever had, in GB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1e6


def multiply(folder: Path, n_centers: int) -> None:
    """Read every file and multiply every block."""
    weights = np.ones((n_centers, N_FEATURES), dtype=np.float32)
    for path in sorted(folder.iterdir()):
        for batch in pq.ParquetFile(path).iter_batches(batch_size=BLOCK):
            weights @ np.stack([column.to_numpy() for column in batch.columns])


def labels(folder: Path, route: str, part: int) -> np.ndarray:
    """The groups that a route found for the rows of a part."""
    found = pq.read_table(folder / route / f"part-{part:02}.parquet", columns=["group"])
    return np.asarray(found["group"])


if __name__ == "__main__":
    main()
