"""The block function on a GPU beside one core: seconds, share of the memory's bandwidth, and equal labels.

    python benchmarks/gpu.py            (needs a GPU, PyTorch and array-api-compat)

50 features in single precision, 10 groups of 6 centres each, rows made on the device block by block. The
bandwidth is that of copying a block from one place of the device's memory to another, in the same run; the
share is what reading the rows once and writing a label and a share for each would need of it. The processor
judges the same rows as the first block of the device.
"""

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from sameornot.cluster.block import Rule, judge

N_FEATURES, N_GROUPS, N_CENTRES = 50, 10, 6
BLOCK, CORE_BLOCK, CHECKED = 4_000_000, 16_384, 2_000_000
BYTES = 4 * N_FEATURES + 8 + 4  # a row read, a label and a share written


def main() -> None:
    """Measure and write the page, or either of the two: a machine with a GPU may lack what the page needs."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, nargs="+", default=[10**7, 10**8])
    options.add_argument("--out", type=Path, help="write what was measured here, as JSON, and no page")
    options.add_argument("--read", type=Path, help="write the page from such a file")
    wanted = options.parse_args()
    found = json.loads(wanted.read.read_text()) if wanted.read else measure(wanted.rows)
    if wanted.out is None:
        write_page(found)
    else:
        wanted.out.write_text(json.dumps(found))


def write_page(found: dict[str, Any]) -> None:
    """The measurements as a table."""
    from machine import RESULTS, table

    lines = [
        [what, f"{value:.3g}" if isinstance(value, float) else str(value)] for what, value in found.items()
    ]
    about = __doc__.partition("\n\n")[2].partition("\n\n")[2].strip()
    page = f"# The block function on a GPU\n\n{about}\n\n{table(['', ''], lines)}\n"
    print(page)
    (RESULTS / "gpu.md").write_text(page, "utf-8")


def measure(sizes: list[int]) -> dict[str, Any]:
    """What the device does, and one core beside it."""
    import array_api_compat.torch as xp
    import torch

    rule = made_rule(np.random.default_rng(0))
    on_device = rule.as_arrays(lambda part: torch.asarray(part, dtype=torch.float32, device="cuda"))
    rows = torch.randn(BLOCK, N_FEATURES, device="cuda")
    beside = torch.empty_like(rows)
    found: dict[str, Any] = {"device": torch.cuda.get_device_name(), "PyTorch": torch.__version__}
    bandwidth = 2 * rows.nbytes / timed(lambda: beside.copy_(rows), torch.cuda.synchronize) / 1e12
    found["copy, TB a second"] = bandwidth
    product = timed(lambda: on_device.weights @ rows.T, torch.cuda.synchronize)
    found["the matrix product alone, billion rows a second"] = len(rows) / product / 1e9
    for n_rows in sizes:
        taken = timed(partial(stream, n_rows, rows, on_device, xp), torch.cuda.synchronize)
        found[f"{n_rows:,} rows, seconds"] = taken
        found[f"{n_rows:,} rows, share of the bandwidth"] = n_rows * BYTES / taken / 1e12 / bandwidth
    return found | compare(rows[:CHECKED], rule, on_device, xp)


def compare(rows: Any, rule: Rule, on_device: Rule, xp: Any) -> dict[str, Any]:
    """One core on the same rows: how fast, and whether the labels are the same."""
    block, single = rows.cpu().numpy(), rule.as_arrays(lambda part: part.astype(np.float32))
    with threadpool_limits(limits=1):
        start = time.perf_counter()
        parts = [judge(block[at : at + CORE_BLOCK], single).labels for at in range(0, len(block), CORE_BLOCK)]
        taken = time.perf_counter() - start
    labels = judge(rows, on_device, xp).labels.cpu().numpy()
    return {
        "one core beside it, million rows a second": len(block) / taken / 1e6,
        f"labels of {len(block):,} that differ from the core's": int((labels != np.concatenate(parts)).sum()),
    }


def made_rule(rng: np.random.Generator) -> Rule:
    """Groups of several centres, as a panel leaves them."""
    n_centres = N_GROUPS * N_CENTRES
    weights = rng.normal(size=(n_centres, N_FEATURES))
    return Rule(rng.normal(size=N_FEATURES), weights, (weights**2).sum(axis=1) / 4, N_GROUPS, 1.0)


def stream(n_rows: int, rows: Any, rule: Rule, xp: Any) -> None:
    """Judge so many rows, the same block again and again."""
    for start in range(0, n_rows, len(rows)):
        judge(rows[: min(len(rows), n_rows - start)], rule, xp)


def timed(work: Callable[[], object], wait: Callable[[], None], n_times: int = 3) -> float:
    """The best of a few times of some work on a device, after one to warm up."""
    taken = []
    for _ in range(n_times + 1):
        wait()
        start = time.perf_counter()
        work()
        wait()
        taken.append(time.perf_counter() - start)
    return min(taken[1:])


if __name__ == "__main__":
    main()
