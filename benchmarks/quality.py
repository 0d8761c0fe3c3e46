"""Mean agreement (ARI) over seeds for the three metrics, with and without penalty, beside the paper's.

    python benchmarks/quality.py --seeds 10 --jobs 2      run what is missing, then report
    python benchmarks/quality.py --report                 report only

Each finished row (data, setting, seed, checkpoint) is appended to results/quality.csv, with a fingerprint of
the code that made it: a stopped run is resumed, and rows of other code are neither repeated nor reported. The
penalty plays no part in what is asked (Algorithm 1, step 1), so the settings that share a metric share one
run of questions; a seed draws the simulated data and seeds the session.
"""

import argparse
import csv
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from machine import RESULTS, facts, table
from reproduction.rows import fingerprint
from sameornot import ActiveSession, AugmentedClustering, MinimumExpectedEntropy
from sameornot.datasets import load_breast_cancer, make_opposite
from sameornot.oracles import truth

METRICS = ("separable", "exact", "full")
COLUMNS = ("code", "data", "setting", "seed", "questions", "ari")


class Benchmark(NamedTuple):
    """Data for a seed, how questions are counted, and the paper's figures for AQM + MEE."""

    title: str
    load: Callable[[int], tuple[Any, np.ndarray]]
    n_clusters: int
    infer_last: bool
    paper: dict[int, float | None]
    penalties: dict[str, Any]


class Run(NamedTuple):
    """One run of questions, and the settings whose rows it is to give."""

    data: str
    metric: str
    seed: int
    settings: tuple[str, ...]


BENCHMARKS = {
    "table1": Benchmark(
        "Table 1: `make_opposite(mixing=True)`, n = 300, p = 5 + 30, K = 5, `infer_last=False`",
        lambda seed: make_opposite(mixing=True, random_state=seed),
        n_clusters=5,
        infer_last=False,
        paper={60: 0.474, 120: 0.630, 180: 0.725, 240: 0.845, 300: 0.921},
        penalties={"none": None, "half": ("auto", 15), "auto": "auto"},  # q = p2 / 2 is the paper's
    ),
    "cancer": Benchmark(
        "Breast cancer: 569 × 30, K = 2, `infer_last=False`",
        lambda _: load_breast_cancer(),
        n_clusters=2,
        infer_last=False,
        paper={20: None, 40: None, 80: 0.928},
        penalties={"none": None, "auto": "auto"},  # the paper gives no q, and ("auto", "auto") is "auto"
    ),
}


def main() -> None:
    options = read_options()
    code = fingerprint()
    if not options.report:
        runs = missing_runs(read_rows(options.out, code), options)
        for number, rows in enumerate(play_all(runs, options.jobs), start=1):
            append(options.out, code, rows)
            print(f"{number} of {len(runs)} runs", flush=True)
    page = write_report(read_rows(options.out, code), code)
    print(page)
    options.out.with_suffix(".md").write_text(page, "utf-8")


def read_options() -> argparse.Namespace:
    settings = sorted({name for benchmark in BENCHMARKS.values() for name in settings_of(benchmark)})
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10, help="seeds 0 … SEEDS − 1")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time, each on one core")
    parser.add_argument("--data", nargs="+", choices=BENCHMARKS, default=list(BENCHMARKS))
    parser.add_argument("--settings", nargs="+", choices=settings, default=settings, help="metric/penalty")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--out", type=Path, default=RESULTS / "quality.csv", help="the report lies beside it")
    return parser.parse_args()


def settings_of(benchmark: Benchmark) -> list[str]:
    return [f"{metric}/{penalty}" for metric in METRICS for penalty in benchmark.penalties]


def missing_runs(rows: pd.DataFrame, options: argparse.Namespace) -> list[Run]:
    """What was asked for and is not there; a setting counts as there with all of its checkpoints."""
    n_there = rows.groupby(["data", "setting", "seed"]).questions.nunique().to_dict()
    runs = []
    for seed in range(options.seeds):  # all settings of a seed before the next one: means can be read early
        for data in options.data:
            benchmark = BENCHMARKS[data]
            wanted = [
                setting
                for setting in settings_of(benchmark)
                if setting in options.settings
                and n_there.get((data, setting, seed), 0) < len(benchmark.paper)
            ]
            for metric in METRICS:
                settings = tuple(setting for setting in wanted if setting.startswith(f"{metric}/"))
                if settings:
                    runs.append(Run(data, metric, seed, settings))
    return runs


def play_all(runs: list[Run], n_jobs: int) -> Iterator[list[dict[str, Any]]]:
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        yield from parallel(joblib.delayed(play)(run) for run in runs)


def play(run: Run) -> list[dict[str, Any]]:
    """Answer the questions once; at each checkpoint group the rows with every penalty."""
    benchmark = BENCHMARKS[run.data]
    X, y = benchmark.load(run.seed)
    answer = truth(y)

    def session_with(setting: str, answers: Iterable[Any] = ()) -> ActiveSession:
        return ActiveSession(
            X,
            benchmark.n_clusters,
            strategy=MinimumExpectedEntropy(),
            clusterer=AugmentedClustering(
                metric=run.metric, penalty=benchmark.penalties[setting.partition("/")[2]]
            ),
            infer_last=benchmark.infer_last,
            random_state=run.seed,
            answers=answers,
        )

    asking = session_with(run.settings[0])
    rows = []
    for checkpoint in benchmark.paper:
        while len(asking.answers) < checkpoint and (pair := asking.ask()) is not None:
            asking.tell(answer(pair))
        for setting in run.settings:
            labels = session_with(setting, asking.answers).result().labels
            ari = adjusted_rand_score(y, labels)
            row = {
                "data": run.data,
                "setting": setting,
                "seed": run.seed,
                "questions": checkpoint,
                "ari": ari,
            }
            rows.append(row)
    return rows


def append(path: Path, code: str, rows: list[dict[str, Any]]) -> None:
    """Add the rows of a finished run in one go."""
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if is_new:
            writer.writeheader()
        writer.writerows({"code": code, **row, "ari": f"{row['ari']:.6f}"} for row in rows)


def read_rows(path: Path, code: str) -> pd.DataFrame:
    """The rows that this code made."""
    if not path.exists():
        return pd.DataFrame(columns=COLUMNS)
    rows = pd.read_csv(path, dtype={"code": str})
    return rows[rows.code == code].drop_duplicates(["data", "setting", "seed", "questions"])


def write_report(rows: pd.DataFrame, code: str) -> str:
    parts = [
        "# Agreement with the truth",
        "Adjusted Rand index, mean ± standard deviation over seeds. A setting is metric/penalty: `none`, "
        "`half` (γ by Calinski–Harabasz, q = p2/2 as in the paper's simulations) or `auto` (γ and q both "
        "chosen). The paper's figures are its means of AQM + MEE over 30 replications.",
    ]
    for data, benchmark in BENCHMARKS.items():
        here = rows[rows.data == data]
        if len(here):
            parts += [f"## {benchmark.title}", benchmark_table(here, benchmark)]
    parts.append(f"Code {code}. Machine: {facts()}.")
    return "\n\n".join(parts) + "\n"


def benchmark_table(rows: pd.DataFrame, benchmark: Benchmark) -> str:
    body = [
        ["paper", "30", *("–" if value is None else f"{value:.3f}" for value in benchmark.paper.values())]
    ]
    for setting in settings_of(benchmark):
        mine = rows[rows.setting == setting]
        if len(mine):
            cells = [mean_and_deviation(mine[mine.questions == q].ari) for q in benchmark.paper]
            body.append([setting, str(mine.seed.nunique()), *cells])
    return table(["setting", "seeds", *(str(q) for q in benchmark.paper)], body)


def mean_and_deviation(values: pd.Series) -> str:
    return f"{values.mean():.3f} ± {values.std(ddof=0):.3f}"


if __name__ == "__main__":
    main()
