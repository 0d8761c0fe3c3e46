"""Seconds a question and memory at 10,000 to a million rows, and what the bounded pool costs in agreement.

    python benchmarks/scale.py questions
    python benchmarks/scale.py quality --rows 10000 --seeds 10 --data FOLDER   (resumes from its CSV file)
    python benchmarks/scale.py score --rows 10000 --seeds 3 --data FOLDER

50 features, 10 groups, 10 of the features tell them apart; one thread; a process of its own for each size,
whose peak memory Linux reports. The time of a question runs from the answer before it. Questions that begin a
step, with a fit, are shown in a column of their own.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from machine import RESULTS, one_core, report, table
from sameornot import ActiveSession
from sameornot.datasets import load_keel, make_opposite
from sameornot.ensemble import EnsembleFit
from sameornot.ensemble.expansion import training_rows
from sameornot.ensemble.learners import base_proba
from sameornot.ensemble.preparation import make_views
from sameornot.ensemble.stacking import mixture_proba
from sameornot.ensemble.training import TrainingSet, all_rows
from sameornot.oracles import truth
from sameornot.session.pool import ALL_UP_TO, POOL

SIZES = (10**4, 10**5, 10**6)
N_FEATURES, N_RELEVANT, N_GROUPS, N_QUESTIONS = 50, 10, 10, 150
BEGINS_STEP = 5e-3  # seconds: an open sweep needs no fit and takes far less

TABLES = ("texture", "penbased", "mixture")
SCORED_AFTER = (30, 90, 180)
CHECKPOINTS = tuple(range(0, 301, 30))
N_CHOSEN_ON = 2  # the first seeds chose a rule
QUALITY = RESULTS / "scale_quality.csv"


def main() -> None:
    """Run the part that was asked for."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("part", choices=["questions", "one", "quality", "score"])
    options.add_argument("--rows", type=int, default=SIZES[0], help="of all but `questions`: a size")
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--data", type=Path, help="a folder with KEEL's tables")
    wanted = options.parse_args()
    if wanted.part == "questions":
        report_questions()
    elif wanted.part == "one":
        print(json.dumps(time_questions(wanted.rows)))
    elif wanted.part == "score":
        report_scores(wanted.rows, wanted.seeds, wanted.data)
    else:
        compare_with_all_rows(wanted.rows, wanted.seeds, wanted.data)
        report_quality()


def report_questions() -> None:
    """A line for each size, and how the slowest questions grow."""
    found = []
    for n_rows in SIZES:
        command = [sys.executable, __file__, "one", "--rows", str(n_rows)]
        found.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    header = [
        "rows",
        "median (s)",
        "95th (s)",
        "with a fit (s)",
        "first (s)",
        "all groups (s)",
        "over the table (GB)",
    ]
    keys = ("median", "high", "step", "first", "result", "memory")
    lines = [[f"{n:,}", *(f"{one[key]:.3f}" for key in keys)] for n, one in zip(SIZES, found, strict=True)]
    growth = np.log(found[-1]["high"] / found[0]["high"]) / np.log(SIZES[-1] / SIZES[0])
    text = f"{about()}\n\n{table(header, lines)}\n\nGrowth of the 95th percentile: rows^{growth:.2f}."
    report("scale", "Questions about tables of any size", text)


def about() -> str:
    """What the head of this file says about the measurements."""
    return __doc__.split("\n\n")[2].strip()


def time_questions(n_rows: int) -> dict[str, float]:
    """Answer a session and time it."""
    X, y = made(n_rows)
    before = peak()
    with one_core():
        start = time.perf_counter()
        session = ActiveSession(X, N_GROUPS, random_state=0)
        session.ask()
        first = time.perf_counter() - start
        taken, expert = [], truth(y)
        for _ in range(N_QUESTIONS):
            answer = expert(session.ask())
            start = time.perf_counter()
            session.tell(answer)
            session.ask()
            taken.append(time.perf_counter() - start)
        start = time.perf_counter()
        session.result()
        result = time.perf_counter() - start
    steps = [one for one in taken if one > BEGINS_STEP]
    return {
        "median": float(np.median(taken)),
        "high": float(np.quantile(taken, 0.95)),
        "step": float(np.median(steps)),
        "first": first,
        "result": result,
        "memory": peak() - before,
    }


def made(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Round groups in a few of many features; made in place, so that the peak is that of the table."""
    rng = np.random.default_rng(0)
    centers = np.zeros((N_GROUPS, N_FEATURES))
    centers[:, :N_RELEVANT] = 1.5 * rng.normal(size=(N_GROUPS, N_RELEVANT))
    y = rng.integers(0, N_GROUPS, n_rows)
    X = rng.standard_normal((n_rows, N_FEATURES))
    for start in range(0, n_rows, 10_000):
        X[start : start + 10_000] += centers[y[start : start + 10_000]]
    return X, y


def peak() -> float:
    """Most memory that this process has ever had, in GB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1e6


def compare_with_all_rows(n_rows: int, n_seeds: int, folder: Path | None) -> None:
    """The same sessions with a pool and with questions about all rows; finished ones are not repeated."""
    place = ["set", "rows", "seed", "route"]
    done = pd.read_csv(QUALITY) if QUALITY.exists() else pd.DataFrame(columns=place)
    seen = set(done[place].itertuples(index=False, name=None))
    for seed in range(n_seeds):
        for name in TABLES:
            X, y = load(name, n_rows, seed, folder)
            for route, pool in (("pool", POOL), ("all rows", len(X))):
                here = (name, len(X), seed, route)
                if here not in seen:
                    line = dict(zip(place, here, strict=True)) | curve(X, y, seed, pool)
                    pd.DataFrame([line]).to_csv(QUALITY, mode="a", header=not QUALITY.exists(), index=False)
                    print(line, flush=True)


def load(name: str, n_rows: int, seed: int, folder: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """So many rows of a table, or all it has: two of KEEL's, and a mixture as in section 6.2 of the paper.

    Each seed draws its own: from the same rows, questions about all of them hardly differ between seeds.
    """
    if name == "mixture":
        return make_opposite(n_samples=n_rows, n_relevant=5, mixing=True, random_state=seed)
    X, y = load_keel(name, folder)
    drawn = np.sort(np.random.default_rng(seed).choice(len(X), min(n_rows, len(X)), replace=False))
    return X.to_numpy(dtype=np.float64)[drawn], y[drawn]


def curve(X: np.ndarray, y: np.ndarray, seed: int, pool: int) -> dict[str, float]:
    """Agreement at the checkpoints, its mean over questions, and the time that it took."""
    expert, agreement = truth(y), []
    start = time.perf_counter()
    session = ActiveSession(X, len(np.unique(y)), random_state=seed, pool=pool)
    for checkpoint in CHECKPOINTS:
        while len(session.answers) < checkpoint and (pair := session.ask()) is not None:
            session.tell(expert(pair))
        agreement.append(adjusted_rand_score(y, session.result().labels))
    area = float(np.trapezoid(agreement, CHECKPOINTS) / CHECKPOINTS[-1])
    seconds = time.perf_counter() - start
    return {"area": area, "seconds": seconds} | dict(zip(map(str, CHECKPOINTS), agreement, strict=True))


def report_scores(n_rows: int, n_seeds: int, folder: Path | None) -> None:
    """Scores by the pool beside scores by all rows, after the same answers."""
    lines = []
    for name in TABLES:
        found = [compare_scores(*load(name, n_rows, seed, folder), seed) for seed in range(n_seeds)]
        for at, n_answers in enumerate(SCORED_AFTER):
            mean = np.mean([one[at] for one in found], axis=0)
            lines.append([name, str(n_answers), f"{mean[0]:.0%}", *(f"{value:.3f}" for value in mean[1:])])
    header = [
        "set",
        "answers",
        "same group",
        "score apart",
        "exact score of the row asked",
        "best exact score",
    ]
    text = (
        f"The score of a row is −|b − ½|, where b is the probability of its most likely group: 0 is best, "
        f"−½ worst. The exact score is that of an ensemble that is trained on the same answers and sees all "
        f"{n_rows:,} rows (5,500 of texture). Compared are rows of the pool that no question was about. Mean "
        f"of {n_seeds} seeds. The last two columns are exact scores: that of the row that the pool's score "
        f"puts first, and the best one.\n\n{table(header, lines)}"
    )
    report("scale_score", "The pool's score beside the exact one", text)


def compare_scores(X: np.ndarray, y: np.ndarray, seed: int) -> list[tuple[float, float, float, float]]:
    """A session with a pool, and after some answers its scores beside those of all rows."""
    expert, found = truth(y), []
    session = ActiveSession(X, len(np.unique(y)), random_state=seed, pool=POOL)
    pool = session.pool
    for n_answers in SCORED_AFTER:
        while len(session.answers) < n_answers and (pair := session.ask()) is not None:
            session.tell(expert(pair))
        fit = session.pool_result().clustering
        exact = proba_of_all_rows(X, pool, fit)[pool]
        free = np.setdiff1d(np.arange(len(pool)), all_rows(training_rows(fit.posterior)))
        own, true = (-np.abs(proba[free].max(axis=1) - 0.5) for proba in (fit.posterior.proba, exact))
        same = fit.posterior.proba[free].argmax(axis=1) == exact[free].argmax(axis=1)
        found.append((same.mean(), np.abs(own - true).mean(), true[own.argmax()], true.max()))
    return found


def proba_of_all_rows(X: np.ndarray, pool: np.ndarray, fit: EnsembleFit) -> np.ndarray:
    """What the ensemble predicts where it sees all rows, with the training rows and stacking of a pool."""
    groups = [pool[rows] for rows in training_rows(fit.posterior)]
    training = TrainingSet.without_exclusions(groups, len(X))
    views = make_views(X, fit.metric.scale, fit.ensemble.config)
    predicted = base_proba(views, training, fit.ensemble, np.random.default_rng(0))
    return mixture_proba(predicted, groups, fit.posterior.stacking, fit.ensemble)


def report_quality() -> None:
    """Both routes side by side, paired by seed."""
    rows = pd.read_csv(QUALITY)
    lines = []
    for (name, n_rows), own in rows.groupby(["set", "rows"]):
        areas = own.pivot(index="seed", columns="route", values="area").dropna()
        ratio = 100 * (areas["pool"] / areas["all rows"] - 1)
        means = [f"{areas[route].mean():.3f}" for route in ("all rows", "pool")]
        untouched = ratio[ratio.index >= N_CHOSEN_ON]
        spread = f"{ratio.min():+.1f} to {ratio.max():+.1f}"
        differences = [with_error(ratio), spread, with_error(untouched)]
        lines.append([str(name), f"{n_rows:,}", str(len(areas)), *means, *differences])
    header = ["set", "rows", "seeds", "all rows", "pool", "difference (%)", "single seeds", "untouched seeds"]
    text = (
        f"Area under the curve of agreement (ARI) over 300 questions: questions about a pool of"
        f" {POOL:,} rows, with all rows predicted in the end, beside questions about all rows."
        f" Each seed draws its own rows. How rows outside of the pool are predicted was chosen on seeds 0 and"
        f" 1 of texture and penbased, which the last column leaves out. Questions are about all rows of"
        f" tables of up to {ALL_UP_TO:,} rows: there the two are the same.\n\n"
        f"{table(header, lines)}"
    )
    report("scale_quality", "What the bounded pool costs in agreement", text)


def with_error(values: pd.Series) -> str:
    """A mean and its standard error, where one can be told."""
    error = f" ± {values.std() / np.sqrt(len(values)):.1f}" if len(values) > 1 else ""
    return f"{values.mean():+.1f}{error}" if len(values) else ""


if __name__ == "__main__":
    main()
