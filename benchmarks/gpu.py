"""The block function and scoring on a GPU beside one core: seconds, share of the bandwidth, equal labels.

    python benchmarks/gpu.py            (needs a GPU, PyTorch and array-api-compat)

50 features in single precision, 10 groups of 6 centres each; all rows are on the device. The block size is
the quickest of those tried: the results of small blocks stay in the cache. Scoring predicts all rows and
finds the 1,000 nearest to even odds, the ones to ask about. Statistics are the sizes and sums of the groups
beside the labels. "Compiled" is the same function after torch.compile, which fuses all that follows the
product into one pass; the product is in full single precision. The bandwidth is that of copying rows from one
place of the device's memory to another, in the same run; the share of the bandwidth is what reading the rows
once and writing a label and a probability for each would need of it. The processor predicts the device's
first rows.
"""

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from sameornot.cluster.block import BlockPrediction, CenterScorer, predict_block

N_FEATURES, N_GROUPS, N_CENTRES = 50, 10, 6
BLOCKS = tuple(2**power for power in range(16, 23))
CORE_BLOCK, CHECKED, N_CHOSEN = 16_384, 2_000_000, 1000
PredictBlock = Callable[..., BlockPrediction]
BYTES = 4 * N_FEATURES + 8 + 4  # a row read, a label and a probability written


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
    page = f"# The block function and scoring on a GPU\n\n{about}\n\n{table(['', ''], lines)}\n"
    print(page)
    (RESULTS / "gpu.md").write_text(page, "utf-8")


def measure(sizes: list[int]) -> dict[str, Any]:
    """What the device does, and one core beside it."""
    import array_api_compat.torch as xp
    import torch

    scorer = made_scorer(np.random.default_rng(0)).without_origin()
    on_device = scorer.as_arrays(lambda part: torch.asarray(part, dtype=torch.float32, device="cuda"))
    rows = torch.empty(max(sizes), N_FEATURES, device="cuda")
    for part in rows.split(BLOCKS[-1]):
        part.normal_()
    beside = torch.empty_like(rows[: BLOCKS[-1]])
    found: dict[str, Any] = {"device": torch.cuda.get_device_name(), "PyTorch": torch.__version__}
    wait, first = torch.cuda.synchronize, rows[: BLOCKS[-1]]
    bandwidth = 2 * first.nbytes / timed(lambda: beside.copy_(first), wait) / 1e12
    found["copy, TB a second"] = bandwidth
    taken = timed(lambda: on_device.weights @ first.T, wait)
    found["the matrix product alone, billion rows a second"] = len(first) / taken / 1e9
    ways = {"": predict_block, "compiled, ": torch.compile(predict_block)}
    work = {"labels and probabilities": stream, "scoring": score, "statistics": add_up}
    for way, function in ways.items():
        predict = partial(function, scorer=on_device, xp=xp)
        tried = {size: timed(partial(stream, first, predict, size), wait) for size in BLOCKS}
        block = min(tried, key=lambda size: tried[size])
        found[f"{way}rows of a block"] = block
        for n_rows, (name, do) in product(sizes, work.items()):
            taken = timed(partial(do, rows[:n_rows], predict, block), wait)
            found[f"{way}{n_rows:,} rows, {name}, seconds"] = taken
            found[f"{way}{n_rows:,} rows, {name}, share of the bandwidth"] = (
                n_rows * BYTES / taken / 1e12 / bandwidth
            )
        found |= compare(rows[:CHECKED], scorer, predict, way)
    found["memory of the device, GB"] = torch.cuda.max_memory_allocated() / 1e9
    return found


def compare(rows: Any, scorer: CenterScorer, predict: PredictBlock, way: str) -> dict[str, Any]:
    """One core on the same rows: how fast, and whether the labels are the same."""
    block, single = rows.cpu().numpy(), scorer.as_arrays(lambda part: part.astype(np.float32))
    with threadpool_limits(limits=1):
        start = time.perf_counter()
        parts = [
            predict_block(block[at : at + CORE_BLOCK], single) for at in range(0, len(block), CORE_BLOCK)
        ]
        taken = time.perf_counter() - start
    there = predict(rows)
    labels = there.labels.cpu().numpy()
    chosen = score(rows, predict, len(rows)).cpu().numpy()
    distance = np.abs(np.concatenate([part.proba for part in parts]) - 0.5)
    expected = np.argsort(distance, kind="stable")[:N_CHOSEN]
    return {
        f"{way}one core beside it, million rows a second": len(block) / taken / 1e6,
        f"{way}labels of {len(block):,} that differ from the core's": int(
            (labels != np.concatenate([part.labels for part in parts])).sum()
        ),
        f"{way}of the {N_CHOSEN:,} to ask about, the core chose too": len(np.intersect1d(chosen, expected)),
        f"{way}greatest difference of a probability": float(
            np.abs(there.proba.cpu().numpy() - np.concatenate([part.proba for part in parts])).max()
        ),
    }


def made_scorer(rng: np.random.Generator) -> CenterScorer:
    """Groups of several centres, as the prototypes of the ensemble have them."""
    n_centres = N_GROUPS * N_CENTRES
    weights = rng.normal(size=(n_centres, N_FEATURES))
    return CenterScorer(rng.normal(size=N_FEATURES), weights, (weights**2).sum(axis=1) / 4, N_GROUPS, 1.0)


def stream(rows: Any, predict: PredictBlock, block: int) -> None:
    """Predict all rows."""
    for part in rows.split(block):
        predict(part)


def score(rows: Any, predict: PredictBlock, block: int) -> Any:
    """The rows nearest to even odds."""
    import torch

    uncertainty = torch.cat([-(predict(part).proba - 0.5).abs() for part in rows.split(block)])
    return uncertainty.topk(N_CHOSEN).indices


def add_up(rows: Any, predict: PredictBlock, block: int) -> Any:
    """Sizes and sums of the groups."""
    found = [predict(part, with_sums=True) for part in rows.split(block)]
    return sum(one.counts for one in found), sum(one.sums for one in found)


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
