"""A million embeddings beside a table that is only shown: opening, first question, answers, all groups.

    python benchmarks/embeddings_scale.py FOLDER [--rows 1000000] [--features 256]

FOLDER gets a CSV file and an .npy file of unit vectors in 10 groups, which are kept for the next run. The
result goes to `benchmarks/results/embeddings_scale.md`.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd

from machine import facts
from sameornot.export import write_labels
from sameornot.service import LabellingService, Options
from sameornot.store import open_store
from sameornot.table import read_features, read_sample

PAGE = Path(__file__).parent / "results" / "embeddings_scale.md"
N_GROUPS, N_ANSWERS = 10, 30


def make(folder: Path, n_rows: int, n_features: int) -> tuple[Path, Path]:
    """The two files, written once."""
    table, vectors = folder / f"records-{n_rows}.csv", folder / f"vectors-{n_rows}-{n_features}.npy"
    rng = np.random.default_rng(0)
    kind = rng.integers(N_GROUPS, size=n_rows)
    if not vectors.exists():
        centers = rng.normal(size=(N_GROUPS, n_features)).astype(np.float32)
        found = np.lib.format.open_memmap(vectors, "w+", np.float32, (n_rows, n_features))
        for start in range(0, n_rows, 50_000):
            own = kind[start : start + 50_000]
            noise = rng.standard_normal((len(own), n_features), dtype=np.float32)
            block = centers[own] + 1.5 * noise
            found[start : start + len(own)] = block / np.linalg.norm(block, axis=1, keepdims=True)
        found.flush()
        frame = pd.DataFrame({"id": np.arange(n_rows), "text": [f"a record of kind {k}" for k in kind]})
        frame.to_csv(table, index=False)
    return table, vectors


class Clock:
    """Elapsed and processor seconds of each part: one thread takes the latter on an idle machine."""

    def __init__(self) -> None:
        self.lines: dict[str, tuple[float, float]] = {}
        self._start = time.perf_counter(), time.process_time()

    def lap(self) -> tuple[float, float]:
        """The seconds since the last lap."""
        now = time.perf_counter(), time.process_time()
        before, self._start = self._start, now
        return now[0] - before[0], now[1] - before[1]

    def note(self, what: str) -> None:
        """Note the seconds since the last lap."""
        self.lines[what] = self.lap()


def measure(folder: Path, n_rows: int, n_features: int) -> dict[str, tuple[float, float]]:
    """Seconds of each part of a session."""
    table, vectors = make(folder, n_rows, n_features)
    clock = Clock()
    sample = read_sample(table)
    clock.note("read the table")
    sample = sample.with_features(read_features(vectors), title=table.name)
    clock.note("check and hash the vectors")
    store = open_store(str(folder / f"store-{time.time_ns()}.sqlite"))
    options = Options(clusters=N_GROUPS, id="id", features=vectors.stem)
    service = LabellingService.open(store, sample, title="records", options=options, ahead=False)
    clock.note("learn the encoding")
    step = service.state("ana")
    clock.note("first question")
    laps = []
    for _ in range(N_ANSWERS):
        texts = [step["question"]["fields"][0][side] for side in ("left", "right")]
        said = "same" if texts[0] == texts[1] else "different"
        step = service.answer("ana", step["question"]["id"], said)
        laps.append(clock.lap())
    for what, share in (("median", 0.5), ("95th", 0.95)):
        wall, cpu = np.quantile(laps, share, axis=0).tolist()
        clock.lines[f"answer to next question, {what}"] = wall, cpu
    snapshot = service.snapshot()
    clock.lap()
    sizes = write_labels(snapshot, folder / "labels.csv")
    clock.note("labels.csv of all rows")
    assert sizes.sum() == n_rows
    service.close()
    return clock.lines


def main() -> None:
    """Measure once and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=256)
    asked = parser.parse_args()
    seconds = measure(asked.folder, asked.rows, asked.features)
    lines = [f"| {what} | {cpu:.3f} | {wall:.3f} |" for what, (wall, cpu) in seconds.items()]
    text = [
        f"# {asked.rows:,} embeddings of {asked.features} numbers beside a table",
        "",
        "One CSV file that is only shown, one .npy file that is learned from; 10 groups, one thread, a",
        f"process of its own; {N_ANSWERS} answers through the service, with nothing prepared ahead.",
        "",
        "| | processor (s) | elapsed (s) |",
        "| - | - | - |",
        *lines,
        "",
        f"Machine: {facts()}; one thread.",
        "",
    ]
    PAGE.write_text("\n".join(text))
    print("\n".join(text))


if __name__ == "__main__":
    main()
