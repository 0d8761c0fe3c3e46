"""Groups for ten million rows on disk: one core beside bare reads and products, and two workers of Dask.

    python benchmarks/assign.py [--rows 10000000]

50 columns of single-precision numbers in 40 Parquet files, ten groups. "Bare" reads the same files and
multiplies each block with the centres, and writes nothing. Each route runs in a process of its own, whose
peak memory is what Linux says of it (of Dask's, without its workers), the first two on one core. Labels of
the routes are compared row by row.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from machine import one_core, report, table

from sameornot.cluster.prototypes import cover
from sameornot.handover import Model, assign_parts
from sameornot.metric.learn import feature_scale
from sameornot.table import TableEncoder

N_FEATURES, N_GROUPS, N_PARTS = 50, 10, 40
NAMES = [f"x{m}" for m in range(N_FEATURES)]
BLOCK = 50_000
ROUTES = ("bare", "one core", "local")


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
        found = {route: in_own_process(route, folder) for route in ROUTES}
        pairs = ([labels(folder, route, part) for route in ROUTES[1:]] for part in range(N_PARTS))
        same = all(np.array_equal(*pair) for pair in pairs)
    bare = found["bare"]["seconds"]
    lines = []
    for route, one in found.items():
        rate = wanted.rows / one["seconds"] / 1e6
        facts = one["seconds"], rate, bare / one["seconds"], one["memory"]
        lines.append([route, *(f"{fact:.2f}" for fact in facts)])
    header = ["route", "seconds", "million rows a second", "speed / bare", "peak memory (GB)"]
    text = (
        f"{__doc__.split(chr(10) * 2)[2].strip()}\n\n{wanted.rows:,} rows.\n\n{table(header, lines)}\n\n"
        f"Labels of one core and of Dask are {'the same' if same else 'NOT the same'}."
    )
    report("assign", "Groups for ten million rows on disk", text, "pyarrow", "dask")


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
    for part in range(N_PARTS):
        X, _ = draw(n_rows // N_PARTS)
        columns = pa.table({name: X[:, m] for m, name in enumerate(NAMES)})
        pq.write_table(columns, folder / "table" / f"part-{part:02}.parquet", compression="none")
    X, y = draw(1500)
    frame = pd.DataFrame(X, columns=NAMES)
    encoder = TableEncoder.fit(frame)
    encoded = encoder.transform(frame)
    clustering = cover(encoded, feature_scale(encoded), y, rng)
    numbers, names = list(range(1, N_GROUPS + 1)), [f"kind {m}" for m in range(N_GROUPS)]
    Model("numbers", encoder, clustering, clustering.width(encoded), numbers, names).save(
        folder / "model.json"
    )


def run(route: str, folder: Path) -> dict[str, float]:
    """Seconds and memory of one route."""
    model = Model.load(folder / "model.json")
    engine = "local" if route == "local" else None
    if engine is None:
        os.sched_setaffinity(0, {0})  # reading Parquet would use all cores
    with one_core():
        start = time.perf_counter()
        if route == "bare":
            multiply(folder / "table", len(model.clustering.centers))
        else:
            assign_parts(model, folder / "table", folder / route, engine=engine)
        taken = time.perf_counter() - start
    lines = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    return {"seconds": taken, "memory": peak / 1e6}


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
