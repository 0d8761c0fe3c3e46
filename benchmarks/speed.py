"""How long a question takes, at every size and number of groups, beside the code of another source tree.

    python benchmarks/speed.py --base PATH [--cases NAME …] [--repeats 2]      PATH: another checkout

Both trees run the same sessions in turns, in a process each, by names that are public in both. An expert who
is always right answers at once, but where errors are named. Times are CPU seconds of one thread, so programs
beside them lengthen them less than those of a clock: medians over a session, and over the runs of a tree.
"""

import argparse
import cProfile
import json
import os
import pstats
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from machine import one_core, report, table
from sameornot import ActiveSession, Answer, AugmentedClustering
from sameornot.datasets import make_opposite
from sameornot.oracles import truth
from scale import made

ROOT = Path(__file__).parents[1]
N_TREES = 50
Rows = tuple[np.ndarray, np.ndarray]


def table_1() -> Rows:
    """Table 1 of the paper: 300 rows, 35 features, 5 groups."""
    X, y = make_opposite(mixing=True, random_state=0)
    return np.asarray(X), np.asarray(y)


def embeddings() -> Rows:
    """1,500 unit vectors of 256 dimensions in 20 groups, which differ in 40 directions."""
    rng = np.random.default_rng(0)
    axes, centers, y = rng.normal(size=(40, 256)), rng.normal(size=(20, 40)), rng.integers(20, size=1500)
    X = (centers[y] + 0.8 * rng.normal(size=(1500, 40))) @ axes + 2.0 * rng.normal(size=(1500, 256))
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


def many_gaussians() -> Rows:
    """2,000 rows in 200 Gaussian groups, 20 features."""
    rng = np.random.default_rng([0, 200])
    centers, y = rng.normal(size=(200, 20)) * np.sqrt(0.4), np.arange(2000) % 200
    return centers[y] + 0.5 * rng.normal(size=(2000, 20)), y


class Case(NamedTuple):
    """A session: its rows, how many questions are answered, how often wrongly, and by which method."""

    title: str
    load: Callable[[], Rows]
    n_groups: int
    n_questions: int
    error_rate: float = 0.0
    is_paper: bool = False


CASES = {
    "small": Case("300 × 35, K = 5", table_1, 5, 80),
    "paper": Case("300 × 35, K = 5, the paper's method", table_1, 5, 60, is_paper=True),
    "errors": Case("300 × 35, K = 5, 10 % wrong answers", table_1, 5, 60, error_rate=0.1),
    "long": Case("300 × 35, K = 5, 300 answers", table_1, 5, 300),
    "pool": Case("10,000 × 50, K = 10", partial(made, 10_000), 10, 40),
    "large": Case("3,000 × 50, K = 10", partial(made, 3_000), 10, 16),
    "embeddings": Case("1,500 × 256, K = 20", embeddings, 20, 20),
    "groups": Case("2,000 × 20, K = 200", many_gaussians, 200, 12),
    "cold": Case("100,000 × 50, K = 10", partial(made, 100_000), 10, 3),
    "million": Case("1,000,000 × 50, K = 10", partial(made, 1_000_000), 10, 8),
}
WORK = {
    "first": "first question",
    "step": "question of a new step",
    "after": "question once answers contradict",
    "resume": "resume",
    "result": "result",
    "ratio": "step, of a forest of 50 trees",
}
PARTS = {
    "find_nearest": "neighbour searches",
    "label_spreading": "label spreading",
    "semi_supervised_lda": "EM of both LDAs",
    "extra_trees": "extremely randomised trees",
    "facility_location": "placeholders (facility location)",
    "estimate_error_rate": "error rate of the expert",
    "stack": "stacking",
    "expected_gain": "what placing each row is worth",
    "next_question": "all",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--base", type=Path, help="another checkout of this repository")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--name", default="speed", help="of the page in results")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        serve()
        return
    with ExitStack() as stack:
        roots = [ROOT] if options.base is None else [options.base, ROOT]
        trees = [stack.enter_context(closing(Tree(root))) for root in roots]
        rows = [line for name in options.cases for line in compare(name, trees, options.repeats)]
        parts = profile_lines(trees)
    names = ["base", "now"][-len(trees) :]
    text = "\n\n".join(
        [
            __doc__.split("\n\n")[2],
            table(["session", "work", *(f"{name} (ms)" for name in names), "now / base"], rows),
            "## Where the time goes\n\nCPU milliseconds a question of a pool of 2,000 rows (10,000 × 50, "
            "K = 10, 30 questions), with the profiler's own time.",
            table(["part", *names], parts),
        ]
    )
    report(options.name, "How long a question takes", text)


def compare(name: str, trees: list["Tree"], n_repeats: int) -> list[list[str]]:
    """A line for each kind of work of a session: medians of the runs of each tree."""
    runs: list[list[dict[str, float]]] = [[] for _ in trees]
    for repeat in range(n_repeats):
        for at in range(len(trees))[:: 1 if repeat % 2 else -1]:
            runs[at].append(trees[at].run(name))
    lines = []
    for work, title in WORK.items():
        if any(work not in run for own in runs for run in own):
            continue
        medians = [statistics.median(run[work] for run in own) for own in runs]
        unit = 1.0 if work == "ratio" else 1e3
        share = f"**{medians[-1] / medians[0]:.2f}**" if len(trees) > 1 else ""
        lines.append([CASES[name].title, title, *(f"{unit * m:.3g}" for m in medians), share])
    return lines


def profile_lines(trees: list["Tree"]) -> list[list[str]]:
    found = [tree.run("profile") for tree in trees]
    return [[title, *(f"{1e3 * one.get(part, 0.0):.1f}" for one in found)] for part, title in PARTS.items()]


class Tree:
    """A process that runs sessions with the code of a source tree."""

    def __init__(self, root: Path) -> None:
        path = os.pathsep.join(str(part.resolve()) for part in (root / "src", ROOT / "benchmarks"))
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--worker"],
            env={**os.environ, "PYTHONPATH": path},
            stdin=pipe,
            stdout=pipe,
            text=True,
        )
        self.run("warm")

    def run(self, name: str) -> dict[str, float]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        return dict(json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.communicate()


def serve() -> None:
    """Run the sessions whose names come in, one a line."""
    with one_core():
        for line in sys.stdin:
            name = line.strip()
            if name == "profile":
                found = profile(CASES["pool"]._replace(n_questions=30))
            elif name == "warm":
                found = run(CASES["small"]._replace(n_questions=5))
            else:
                found = run(CASES[name])
            print(json.dumps(found), flush=True)


def run(case: Case) -> dict[str, float]:
    """Seconds of each kind of work."""
    X, y = case.load()
    session, first = timed(partial(open_session, X, case))
    steps, after, forests = [], [], []
    times = play(session, expert(y, case.error_rate))
    for at in range(case.n_questions):
        number, seconds = session.step, next(times, None)
        if seconds is None:
            break
        if session.step > number:
            is_noisy = case.error_rate > 0 and session.constraints.is_inconsistent
            (after if is_noisy else steps).append(seconds)
            if len(X) <= 300 and at % 8 == 0:
                labels = session.result().labels
                forests.append(timed(partial(RandomForestClassifier(N_TREES).fit, X, labels))[1])
    found = {"first": first, "step": statistics.median(steps), "result": timed(session.result)[1]}
    if len(X) <= 10_000:
        found["resume"] = timed(partial(open_session, X, case, session.answers))[1]
    if after:
        found["after"] = statistics.median(after)
    if forests:
        found["ratio"] = found["step"] / statistics.median(forests)
    return found


def open_session(X: np.ndarray, case: Case, answers: Any = ()) -> ActiveSession:
    """A session that shows its next question."""
    method: dict[str, Any] = {}
    if case.is_paper:
        method = {"strategy": "mee", "clusterer": AugmentedClustering()}
    session = ActiveSession(X, case.n_groups, random_state=0, answers=answers, **method)
    session.ask()
    return session


def expert(y: np.ndarray, error_rate: float) -> Callable[[Any], Answer]:
    """Answers of which some are wrong."""
    right, rng = truth(y), np.random.default_rng(0)
    other = {Answer.SAME: Answer.DIFFERENT, Answer.DIFFERENT: Answer.SAME}
    return lambda pair: other[right(pair)] if rng.random() < error_rate else right(pair)


def play(session: ActiveSession, answer: Callable[[Any], Answer]) -> Iterator[float]:
    """Seconds from each answer to the next question."""
    question = session.ask()
    while question is not None:
        said = answer(question)
        begun = time.process_time()
        session.tell(said)
        question = session.ask()
        yield time.process_time() - begun


def profile(case: Case) -> dict[str, float]:
    """Seconds a question in each part, with those of what it calls."""
    X, y = case.load()
    session = open_session(X, case)
    profiler = cProfile.Profile(time.process_time)
    played = play(session, expert(y, 0.0))
    profiler.enable()
    n_played = sum(1 for _ in zip(range(case.n_questions), played, strict=False))
    profiler.disable()
    found: dict[str, float] = {}
    for (_, _, name), (_, _, _, cumulative, _) in pstats.Stats(profiler).stats.items():  # type: ignore[attr-defined]
        if name in PARTS:
            found[name] = found.get(name, 0.0) + cumulative / n_played
    return found


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result of a call, and its CPU seconds."""
    begun = time.process_time()
    found = work()
    return found, time.process_time() - begun


if __name__ == "__main__":
    main()
