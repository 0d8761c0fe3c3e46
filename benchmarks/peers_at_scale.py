"""Seconds a question and seconds a clustering at 1,000 to 10,000 rows, beside two published packages.

    .venv-parity/bin/python benchmarks/peers_at_scale.py

`./run parity` makes that environment. The packages are those of `peers.py`, with its repairs, the table is
that of `scale.py`; like against like, at fewer rows, is in `parity.py`.
"""

import multiprocessing
import signal
import statistics
import time
from collections.abc import Callable
from ctypes import c_int
from functools import partial
from multiprocessing.connection import Connection
from typing import NamedTuple

import numpy as np

import peers
from machine import one_core, report, table
from parity import agreement, draw_links, limit_cpu, received
from quality import fingerprint
from sameornot import ActiveSession, Answer
from scale import N_FEATURES, N_GROUPS, N_RELEVANT, made

SIZES = (1000, 3000, 10_000)
N_QUESTIONS = 50
LIMIT = 150.0  # CPU seconds until a run is cut off
REPEATS, PATIENCE = 5, 20.0  # most runs of each side, and the seconds after which no other is begun
WARM_UP_ROWS, WARM_UP_QUESTIONS = 200, 5
PACKAGES = ("active-semi-supervised-clustering", "cobras-ts")

ABOUT = f"""
p = {N_FEATURES}, K = {N_GROUPS}, {N_RELEVANT} features tell the groups apart: `made` of `scale.py`, the same
rows for all. "Ours" is `ActiveSession(X, {N_GROUPS}, random_state=seed)` with its defaults: the ensemble,
each feature divided by its standard deviation, and above 3,000 rows questions about 2,000 of them, while all
rows get a group. The packages get the rows as they are. Times are CPU seconds, one process and thread for
each line, ours and theirs in turns after a small run that loads what is needed: medians of up to {REPEATS}
runs with seeds 0, 1, … of the methods, the rows being one draw, and none begun after {PATIENCE:.0f} s; ARI is
their mean. A run over {LIMIT:.0f} s is cut off.
"""

QUESTIONS = f"""
From the bare table to the groups of all rows after {N_QUESTIONS} answers, by an expert who is always right
and answers at once: all that is computed before, between and after the questions, divided by {N_QUESTIONS}.
NPU knows K and has the package's settings (w = 1, 50 trees, at most 100 iterations of PCKMeans, 10 of
MPCKMeans); its groups are those of its last fit. COBRAS is not told K; it makes ten starts of each k-means,
and its groups are those that it stores after the last question. Where a package was cut off, both sides are
counted up to the question that it had not reached, in seconds and in questions: a lower bound of its time.
Our ARI is after {N_QUESTIONS} answers there too.
"""

CLUSTERING = f"""
Groups of all rows from the answers to {N_QUESTIONS} random pairs, the same for both sides, with no question
asked: ours is `ActiveSession(…, answers=answers).result()`, theirs `fit(X, ml=…, cl=…)` with w = 1. cobras-ts
is not here: it groups by questions of its own choice only.
"""


class Run(NamedTuple):
    """Seconds until each question was there, and at last the groups; how well these agree with the truth."""

    reached: list[float]
    ari: float


class Race(NamedTuple):
    """Runs of both sides, none of theirs where it was cut off, and how many questions its last one asked."""

    ours: list[Run]
    theirs: list[Run]
    n_asked: int


class Expert(peers.ExampleOracle, peers.LabelQuerier):
    """Answers all sides by the truth and notes when each question was there."""

    def __init__(self, labels: np.ndarray, n_questions: int, n_asked: c_int) -> None:
        super().__init__(labels, max_queries_cnt=n_questions)
        self.asked_at: list[float] = []
        self.n_asked = n_asked  # seen from outside the process, also when that is ended
        self.n_asked.value = 0
        self.start = time.process_time()

    def query(self, left: int, right: int) -> bool:
        is_same = bool(super().query(left, right))
        self.asked_at.append(self.seconds())
        self.n_asked.value += 1
        return is_same

    def query_points(self, left: int, right: int) -> bool:
        return self.query(left, right)

    def seconds(self) -> float:
        return time.process_time() - self.start


Work = Callable[[np.ndarray, Expert, int], np.ndarray]


def main() -> None:
    code = fingerprint()
    asked = [question_cells(n, name, hold(name, n, code)) for n in SIZES for name in ASKING]
    given = [clustering_cells(n, name, hold(name, n, code)) for n in SIZES for name in GROUPING]
    sides = ["theirs (s)", "ours (s)", "theirs / ours", "ARI, theirs", "ARI, ours"]
    sections = [
        ABOUT.strip(),
        "## A question",
        QUESTIONS.strip(),
        table(["rows", "package", "runs", "asked", *sides], asked),
        "## A clustering",
        CLUSTERING.strip(),
        table(["rows", "package", "runs", *sides], given),
        f"Code {code}.",
    ]
    report("peers_at_scale", "Published packages on larger tables", "\n\n".join(sections), *PACKAGES)


# Both sides: groups of all rows, by an expert or by random pairs that were answered before


def ask_ours(X: np.ndarray, expert: Expert, seed: int) -> np.ndarray:
    session = ActiveSession(X, N_GROUPS, random_state=seed)
    for _ in range(expert.max_queries_cnt):
        session.tell(Answer.SAME if expert.query(*session.ask()) else Answer.DIFFERENT)
    return session.result().labels


def ask_npu(model: type, X: np.ndarray, expert: Expert, seed: int) -> np.ndarray:
    peers.seed_all(seed)
    clusterer = model(N_GROUPS)
    peers.NPU(clusterer).fit(X, expert)
    return clusterer.labels_


def ask_cobras(X: np.ndarray, expert: Expert, seed: int) -> np.ndarray:
    peers.seed_all(seed)
    _, after_each, *_ = peers.cobras_kmeans.COBRAS_kmeans(X, expert, expert.max_queries_cnt).cluster()
    return np.asarray(after_each[-1])


def group_ours(X: np.ndarray, expert: Expert, seed: int) -> np.ndarray:
    links = draw_links(expert.labels, expert.max_queries_cnt, seed)
    answers = [(pair, Answer.SAME) for pair in links.must]
    answers += [(pair, Answer.DIFFERENT) for pair in links.cannot]
    return ActiveSession(X, N_GROUPS, random_state=seed, answers=answers).result().labels


def group_theirs(name: str, X: np.ndarray, expert: Expert, seed: int) -> np.ndarray:
    links = draw_links(expert.labels, expert.max_queries_cnt, seed)
    found = peers.FITS[name](X, N_GROUPS, links, seed)
    if found is None:
        raise RuntimeError(f"{name} found no groups of {len(X)} rows with seed {seed}")
    return found.labels


ASKING: dict[str, Work] = {
    "COBRAS": ask_cobras,
    "NPU + PCKMeans": partial(ask_npu, peers.PCKMeans),
    "NPU + MPCKMeans": partial(ask_npu, peers.MPCKMeans),
}
GROUPING: dict[str, Work] = {
    "PCKMeans": partial(group_theirs, "pckmeans"),
    "MPCKMeans": partial(group_theirs, "mpckmeans"),
}


# The races, each in a process of its own


def hold(name: str, n_rows: int, code: str) -> Race:
    """Both sides in turns; what was not sent before the limit is not there."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    n_asked = context.RawValue(c_int, 0)
    process = context.Process(target=run_in_turns, args=(name, n_rows, n_asked, there), daemon=True)
    process.start()
    there.close()
    runs = list(received(here))  # ours, theirs, ours, …
    process.join()
    is_cut_off = process.exitcode == -signal.SIGXCPU and len(runs) == 1
    if process.exitcode != 0 and not is_cut_off:
        raise RuntimeError(f"{name} at {n_rows} rows ended with exit status {process.exitcode}")
    if fingerprint() != code:
        raise SystemExit("peers_at_scale: the code of sameornot was changed during the run: start it again")
    print(n_rows, name, *(f"{run.reached[-1]:.2f} s {run.ari:.3f}" for run in runs), sep=", ", flush=True)
    return Race(runs[::2], runs[1::2], n_asked.value)


def run_in_turns(name: str, n_rows: int, n_asked: c_int, report: Connection) -> None:
    works = (ask_ours, ASKING[name]) if name in ASKING else (group_ours, GROUPING[name])
    with one_core():
        for work in works:
            run(work, *made(WARM_UP_ROWS), WARM_UP_QUESTIONS, n_asked, 0)
        X, y = made(n_rows)
        begun = time.process_time()
        for seed in range(REPEATS):
            for work in works:
                report.send(run(work, X, y, N_QUESTIONS, n_asked, seed))
            if time.process_time() - begun > PATIENCE:
                break


def run(work: Work, X: np.ndarray, y: np.ndarray, n_questions: int, n_asked: c_int, seed: int) -> Run:
    limit_cpu(LIMIT)
    expert = Expert(y, n_questions, n_asked)
    labels = work(X, expert, seed)
    return Run([*expert.asked_at, expert.seconds()], agreement(y, labels))


# The tables


def question_cells(n_rows: int, name: str, race: Race) -> list[str]:
    counted = N_QUESTIONS if race.theirs else min(race.n_asked + 1, N_QUESTIONS)
    runs, *sides = cells(race, counted)
    return [f"{n_rows:,}", name, runs, str(race.n_asked), *sides]


def clustering_cells(n_rows: int, name: str, race: Race) -> list[str]:
    return [f"{n_rows:,}", name, *cells(race, 1)]


def cells(race: Race, divisor: int) -> list[str]:
    """Number of runs, seconds of both sides, their ratio, and agreement."""
    over, at = ("", -1) if race.theirs else ("> ", race.n_asked)
    theirs = statistics.median(run.reached[-1] for run in race.theirs) if race.theirs else LIMIT
    ours = statistics.median(run.reached[at] for run in race.ours)
    seconds = [f"{over}{theirs / divisor:.3g}", f"{ours / divisor:.3g}"]
    ratio = f"**{over}{theirs / ours:.{2 if theirs < 10 * ours else 0}f}**"
    return [str(len(race.ours)), *seconds, ratio, mean_ari(race.theirs), mean_ari(race.ours)]


def mean_ari(runs: list[Run]) -> str:
    return f"{statistics.mean(run.ari for run in runs):.3f}" if runs else "–"


if __name__ == "__main__":
    main()
