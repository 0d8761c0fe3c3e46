"""A full step of the session beside scikit-learn's forest, or beside the same step of another source tree.

    python benchmarks/step.py                 in forests
    python benchmarks/step.py --base PATH     beside the code in PATH, another checkout

A step is what happens between the answer that ends a sweep and the next question. The paper's method: metric,
clustering, forest and scoring. The default: five base learners, their stacking and the posterior. Table 1
data: n = 300, p = 35, K = 5, questions counted as in the paper. Times are CPU seconds of one thread.

With `--base`, each tree has a process of its own. Both run the same sessions in turns, which have to ask the
same questions.
"""

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.ensemble import RandomForestClassifier

from machine import RESULTS, one_core, report, table
from sameornot import ActiveSession
from sameornot.datasets import make_opposite
from sameornot.oracles import truth

ROOT = Path(__file__).parents[1]
N_CLUSTERS, N_TREES = 5, 50
PLACED = (10, 60, 130)
N_STEPS = 15  # steps of which a median is taken
COMPARISON = "## Beside version 0.1"


class Case(NamedTuple):
    """A session that both trees run, named by what both understand."""

    title: str
    strategy: str | None
    n_rows: int
    n_questions: int
    n_repeats: int


CASES = (
    Case("default, 300 rows", None, 300, 50, 7),
    Case("paper's method, 300 rows", "mee", 300, 70, 5),
    Case("default, 2,000 rows", None, 2000, 20, 5),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--base", type=Path, help="another checkout of this repository")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        serve()
    elif options.base is None:
        compare_with_forest()
    else:
        compare_with_base(options.base)


# Beside a forest


def compare_with_forest() -> None:
    rows = []
    with one_core():
        for method, options in methods().items():
            for placed, forest, step in window_times(options):
                cells = [str(placed), f"{1e3 * forest:.1f}", f"{1e3 * step:.1f}", f"**{step / forest:.2f}**"]
                rows.append([method, *cells])
    about = __doc__.split("\n\n")[2]
    text = (
        f"{about}\n\nMedians of {N_STEPS} steps from so many placed rows on, each followed by a fit of "
        f"`RandomForestClassifier(n_estimators={N_TREES})` to the same rows and their groups. Claims: at "
        f"most 1.3 for the paper's method, at most .5 for the default.\n\n"
        f"{table(['method', 'placed', 'forest (ms)', 'step (ms)', 'step / forest'], rows)}"
    )
    report("step", "One step of the session, in forests", "\n\n".join([text, *earlier_comparison()]))


def methods() -> dict[str, dict[str, Any]]:
    from sameornot import AugmentedClustering  # a base that is compared with may lack it

    paper = {f"paper, {kind} metric": AugmentedClustering(metric=kind) for kind in METRICS}
    return {"default": {}} | {name: {"strategy": "mee", "clusterer": own} for name, own in paper.items()}


METRICS = ("separable", "exact", "full")


def window_times(options: dict[str, Any]) -> Iterator[tuple[int, float, float]]:
    """Placed rows, and the median seconds of a forest and of a step from there on."""
    X, y = make_opposite(mixing=True, random_state=0)
    session = ActiveSession(X, N_CLUSTERS, infer_last=False, random_state=0, **options)
    played = play(session, truth(y))
    for n_placed in PLACED:
        while count_placed(session) < n_placed:
            next(played)
        placed, labels = count_placed(session), session.result().labels
        steps, forests = [], []
        while len(steps) < N_STEPS:
            number, seconds = session.step, next(played)
            if session.step > number:  # the question began a step
                steps.append(seconds)
                forest = RandomForestClassifier(N_TREES, random_state=len(steps))
                forests.append(cpu_seconds(partial(forest.fit, X, labels)))
        yield placed, statistics.median(forests), statistics.median(steps)


def count_placed(session: ActiveSession) -> int:
    return sum(len(members) for members in session.known_groups())


def earlier_comparison() -> Iterable[str]:
    """The comparison with a base that the page holds already."""
    page = RESULTS / "step.md"
    text = page.read_text("utf-8") if page.exists() else ""
    return [COMPARISON + text.partition(COMPARISON)[2].rpartition("\n\nMachine: ")[0]] * (COMPARISON in text)


# Beside another tree


def compare_with_base(base: Path) -> None:
    rows = []
    with ExitStack() as stack:
        trees = [stack.enter_context(closing(Tree(path))) for path in (base, ROOT)]
        for case in CASES:
            rows += compare(case, *trees)
    header = ["session", "CPU time of", "base (ms)", "now (ms)", "now / base"]
    text = (
        f"{COMPARISON}\n\nThe same sessions with the code before the redesign (base) and with the present "
        "one, which ask the same questions. Each tree has a process of its own; they take turns session by "
        "session. Medians over the repetitions and, of steps and other questions, over the session; the "
        f"ratio is the median of the ratios of two neighbouring sessions.\n\n{table(header, rows)}"
    )
    print(text)
    page = RESULTS / "step.md"
    head, _, machine = page.read_text("utf-8").rpartition("\n\nMachine: ")
    page.write_text(f"{head.partition(COMPARISON)[0].rstrip()}\n\n{text}\n\nMachine: {machine}", "utf-8")


def compare(case: Case, base: "Tree", present: "Tree") -> list[list[str]]:
    """A line for each kind of work of a session."""
    for tree in (base, present):
        tree.run(case._replace(n_questions=5))  # loads what is needed
    runs = []
    for repeat in range(case.n_repeats):
        order = (base, present) if repeat % 2 else (present, base)
        found = {tree: tree.run(case) for tree in order}
        runs.append((found[base], found[present]))
    if any(before["pairs"] != now["pairs"] for before, now in runs):
        raise SystemExit(f"step: the two trees do not ask the same questions in {case.title!r}")
    lines = []
    for work in ("first question", "a step", "another question", "the groups"):
        times = [(before["times"][work], now["times"][work]) for before, now in runs]
        if not times[0][0]:
            continue
        ratios = [b / a for before, now in times for a, b in zip(before, now, strict=True)]
        medians = [statistics.median(chain.from_iterable(side)) for side in zip(*times, strict=True)]
        cells = [f"{1e3 * seconds:.2f}" for seconds in medians]
        lines.append([case.title, work, *cells, f"**{statistics.median(ratios):.2f}**"])
    return lines


class Tree:
    """A process that runs sessions with the code of a source tree."""

    def __init__(self, root: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str((root / "src").resolve())}
        command = [sys.executable, __file__, "--worker"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)

    def run(self, case: Case) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(case) + "\n")
        self._process.stdin.flush()
        return dict(json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.communicate()


def serve() -> None:
    """Run the sessions that come in, one a line, by public names that all versions have."""
    with one_core():
        for line in sys.stdin:
            print(json.dumps(run_session(Case(*json.loads(line)))), flush=True)


def run_session(case: Case) -> dict[str, Any]:
    X, y = make_opposite(n_samples=case.n_rows, mixing=True, random_state=0)
    gc.collect()  # the memory of the last session is free for this one
    begun = time.process_time()
    session = ActiveSession(X, N_CLUSTERS, strategy=case.strategy, infer_last=False, random_state=0)
    session.ask()
    first = time.process_time() - begun
    played = play(session, truth(y))
    taken = [next(played) for _ in range(case.n_questions)]
    groups = cpu_seconds(session.result)
    steps = [reply.step for reply in session.answers]
    times: dict[str, list[float]] = {"first question": [first], "a step": [], "another question": []}
    # The question after the last answer was not answered, so its step is unknown.
    for seconds, (before, after) in zip(taken, pairwise(steps), strict=False):
        times["a step" if after > before else "another question"].append(seconds)
    return {"times": {**times, "the groups": [groups]}, "pairs": [reply.pair for reply in session.answers]}


# Both


def play(session: ActiveSession, expert: Callable[[Any], Any]) -> Iterator[float]:
    """Seconds from each answer to the next question."""
    question = session.ask()
    while question is not None:
        answer = expert(question)
        begun = time.process_time()
        session.tell(answer)
        question = session.ask()
        yield time.process_time() - begun


def cpu_seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


if __name__ == "__main__":
    main()
