"""Tables that are large: how long a person waits, and how much memory is needed.

    python benchmarks/large_tables.py

Claims: a million rows open, since questions are about a bounded pool of them; `assign` needs no more memory
for a large file than for a small one. Each case runs in a process of its own, whose peak memory Linux
reports (VmHWM: ru_maxrss begins with the memory of the parent process); beside it is pandas, which only reads
the same file.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from machine import report, table
from sameornot.cli import app
from sameornot.export import Model, answers_table, labels_table, write_csv, write_report
from sameornot.service import LabellingService, Options
from sameornot.store import open_store
from sameornot.table import read_table

N_ANSWERS = 10
WARDS = np.array(["surgery", "medicine", "neurology"])
WORDS = np.array(["knee", "cough", "fever", "stiff", "dizzy", "tired", "pain", "walking", "light", "throat"])
BLOCK = 100_000
CSV_BYTES = 200 * 10**6

Line = list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--session", type=Path, help="(used by the benchmark itself) work on this table")
    parser.add_argument("--pandas", type=Path, help="(used by the benchmark itself) only read this table")
    parser.add_argument(
        "--out", type=Path, help="(used by the benchmark itself) for the model, or where it is"
    )
    parser.add_argument("--assign", type=Path, help="(used by the benchmark itself) give its rows groups")
    parser.add_argument("--nothing", action="store_true", help="(used by the benchmark itself) only import")
    options = parser.parse_args()
    if options.nothing:
        print(json.dumps([[peak_memory()]]))
    elif options.assign:
        arguments = ["assign", str(options.out), str(options.assign), "--out", f"{options.assign}.groups.csv"]
        with redirect_stdout(sys.stderr):
            app(arguments, standalone_mode=False)
        print(json.dumps([[peak_memory()]]))
    elif options.session:
        print(json.dumps(list(work(options.session, options.out))))
    elif options.pandas:
        print(json.dumps(list(read_only(options.pandas))))
    else:
        report("large_tables", "Large tables", measure_all(), "pandas", "pyarrow")


def measure_all() -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = [
            million_rows(folder),
            large_csv(folder),
            many_columns(folder),
        ]
    bare = run(["--nothing"])[0][0]
    intro = (
        "Seconds for one step, and the peak memory of its process up to then; Python and the libraries alone "
        f"take {bare}. A session reads the table, opens it for labelling, shows the first question, takes "
        f"{N_ANSWERS} answers without working ahead, and writes everything that can be downloaded."
    )
    return "\n\n".join([intro, *parts])


def million_rows(folder: Path) -> str:
    path = folder / "million.parquet"
    patients(1_000_000, 0).to_parquet(path, index=False)
    return section("A million rows × 12 columns (Parquet)", path, [])


def large_csv(folder: Path) -> str:
    small, large = folder / "small.csv", folder / "large.csv"
    n_rows = write_csv_file(large, CSV_BYTES)
    write_csv_file(small, CSV_BYTES // 20)
    title = f"A CSV file of {large.stat().st_size / 1e6:,.0f} MB, {n_rows:,} rows × 12 columns"
    return section(title, large, [small, large])


def many_columns(folder: Path) -> str:
    path = folder / "wide.parquet"
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 2_000)
    columns = {f"m{j}": rng.normal(group * (j < 50), 1.0) for j in range(9_999)}
    pd.DataFrame({"ward": WARDS[group], **columns}).to_parquet(path, index=False)
    return section("2,000 rows × 10,000 columns (Parquet)", path, [])


def section(title: str, path: Path, to_assign: list[Path]) -> str:
    """All that is measured about one table."""
    out = path.with_suffix(".out")
    out.mkdir()
    lines = run(["--pandas", str(path)]) + run(["--session", str(path), "--out", str(out)])
    lines += [assign(out / "model.json", other) for other in to_assign]
    print(title, *lines, sep="\n", file=sys.stderr, flush=True)
    return f"## {title}\n\n" + table(["step", "seconds", "peak memory"], lines)


def run(arguments: list[str]) -> list[Line]:
    """The benchmark itself with other arguments, in a process of its own; what that says of itself."""
    done = subprocess.run([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def assign(model: Path, path: Path) -> Line:
    """The command on a file of new rows."""
    arguments = ["--assign", str(path), "--out", str(model)]
    start = time.perf_counter()
    peak = run(arguments)[0][0]
    taken = time.perf_counter() - start
    return [
        f"`sameornot assign` on {path.stat().st_size / 1e6:,.0f} MB, start included",
        f"{taken:.1f}",
        peak,
    ]


# In a process of its own


class Clock:
    """Times steps, and says how much memory was needed so far."""

    def __call__(self, name: str, step: Callable[[], object]) -> Line:
        start = time.perf_counter()
        step()
        return self.line(name, time.perf_counter() - start)

    @staticmethod
    def line(name: str, seconds: float) -> Line:
        return [name, f"{seconds:.2f}" if seconds < 1 else f"{seconds:.1f}", peak_memory()]


def peak_memory() -> str:
    status = Path("/proc/self/status").read_text()
    return f"{int(status.partition('VmHWM:')[2].split()[0]) / 1e3:,.0f} MB"


def read_only(path: Path) -> Iterator[Line]:
    read = pd.read_parquet if path.suffix == ".parquet" else pd.read_csv
    yield Clock()("pandas alone: read the file", lambda: read(path))


def work(path: Path, out: Path) -> Iterator[Line]:
    clock, found = Clock(), {}
    store = open_store(out / "sessions.sqlite")

    def read() -> None:
        found["frame"] = read_table(path)

    def begin() -> None:
        options = Options(clusters=3)
        found["service"] = LabellingService.open(
            store, found["frame"], title=path.name, path=path, options=options, ahead=False
        )

    yield clock("read the file", read)
    yield clock("open the session", begin)
    service = found["service"]
    yield clock("first question", lambda: service.state("ana"))
    taken = [seconds_to_answer(service, found["frame"]["ward"]) for _ in range(N_ANSWERS)]
    yield clock.line(f"one of {N_ANSWERS} answers, median", median(taken))
    yield clock("groups and picture", lambda: (service.groups(), service.picture("ana")))
    snapshot = service.snapshot()
    yield clock(
        "labels of all rows", lambda: (out / "labels.csv").write_text(write_csv(labels_table(snapshot)))
    )
    yield clock("answers and model", lambda: save_rest(snapshot, out))
    yield clock("report", lambda: (out / "report.html").write_text(write_report(snapshot)))
    service.close()


def seconds_to_answer(service: LabellingService, wards: pd.Series) -> float:
    """Answer by the ward, and wait for the next question."""
    question = service.state("ana")["question"]
    left, right = (wards.iat[question[side]["row"]] for side in ("left", "right"))
    start = time.perf_counter()
    service.answer("ana", question["id"], "same" if left == right else "different", 1.0)
    return time.perf_counter() - start


def save_rest(snapshot: object, out: Path) -> None:
    (out / "answers.csv").write_text(write_csv(answers_table(snapshot)))
    Model.from_snapshot(snapshot).save(out / "model.json")


# Tables


def patients(n_rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n_rows)
    notes = WORDS[rng.integers(0, len(WORDS), (n_rows, 4))]
    days = rng.normal(180 * group, 120).round()
    return pd.DataFrame(
        {
            "patient": np.arange(n_rows) + seed * 10_000_000,
            "age": rng.normal(40 + 15 * group, 9).round(),
            "temperature": np.where(rng.random(n_rows) < 0.05, np.nan, rng.normal(37, 0.6, n_rows).round(1)),
            **{f"blood {j}": rng.lognormal(1 + 0.2 * group, 0.5).round(3) for j in range(5)},
            "ward": WARDS[group],
            "smoker": rng.choice(["yes", "no"], n_rows),
            "admitted": (pd.Timestamp("2022-01-01") + pd.to_timedelta(days, unit="D")).strftime("%Y-%m-%d"),
            "note": pd.Series(notes[:, 0]).str.cat([notes[:, j] for j in (1, 2, 3)], sep=" "),
        }
    )


def write_csv_file(path: Path, n_bytes: int) -> int:
    """Patients as CSV, at least so many bytes; how many rows that took."""
    n_blocks = 0
    while n_blocks == 0 or path.stat().st_size < n_bytes:
        patients(BLOCK, n_blocks).to_csv(path, index=False, mode="a", header=n_blocks == 0)
        n_blocks += 1
    return n_blocks * BLOCK


if __name__ == "__main__":
    main()
