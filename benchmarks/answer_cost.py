"""What an answer costs in the service, apart from the session that learns from it and from the disk.

A person answers on the page's service (`LabellingService.answer`: check the answer, store it, give out the
next question, say how far the work is) after 10, 100 and 1,000 answers. The time of each answer is split into
three: inside of the session (fits, next question), inside of the store, and the rest, which is the service.
In-package calls ("hops") of one answer are counted in a second run, with the session's own and without.
Claim: what is left for the service does not grow with the log.

    python answer_cost.py [NAME]     # NAME labels the rows of results/answer_cost.csv: "after" by default

Rows of other names in that file stay: "before" was measured with the code of commit 7f97d5e, in which the
service was called the desk.
"""

import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import sameornot
from machine import RESULTS, one_core, report, table
from sameornot.service import LabellingService, Options
from sameornot.store import Draft, open_store
from sameornot.store.sql import SqlStore

LENGTHS = (10, 100, 1_000)
# Answers that are not measured: the first ones after opening also make the labels of ten answers before.
N_FIRST, N_MEASURED = 12, 15
N_ROWS, N_COLUMNS, N_KINDS = 2_000, 20, 5
PACKAGE = str(Path(sameornot.__file__).parent)
TIMED = ("__init__", "ask", "ask_beside", "tell", "fork", "result", "pool_result", "known_groups", "odds")
TIMED += ("credibility", "answer_proba", "is_settled", "relation", "constraints", "answers")
CSV = RESULTS / "answer_cost.csv"
KIND = np.random.default_rng(1).integers(0, N_KINDS, N_ROWS)


class Cost(NamedTuple):
    """Seconds in the service, the store and the session; store reads; calls without its own, and all."""

    service: float
    store: float
    session: float
    reads: float
    hops: float
    all_hops: float


class Clock:
    """Adds up the time inside of some methods, and counts their outermost calls."""

    def __init__(self) -> None:
        self.seconds, self.calls, self.depth = 0.0, 0, 0

    def around(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """The method, timed unless it is called from another timed one."""

        @wraps(method)
        def timed(*args: Any, **options: Any) -> Any:
            if self.depth:
                return method(*args, **options)
            start, self.depth = perf_counter(), 1
            try:
                return method(*args, **options)
            finally:
                self.depth = 0
                self.seconds += perf_counter() - start
                self.calls += 1

        return timed


class Clocks(NamedTuple):
    """Time inside of sessions and of the store; reads of the store are counted."""

    session: Clock
    store: Clock
    reads: Clock


def main(name: str = "after") -> None:
    clocks = Clocks(Clock(), Clock(), Clock())
    patch(clocks)
    lines = [line for line in read_lines() if line[0] != name]
    with one_core():
        for n_answers in LENGTHS:
            cost = measure(n_answers, clocks)
            figures = [f"{1e3 * seconds:.2f}" for seconds in cost[:3]]
            lines.append([name, str(n_answers), *figures, *(f"{count:.1f}" for count in cost[3:])])
            print(lines[-1])
    CSV.write_text("\n".join(",".join(line) for line in lines) + "\n", "utf-8")
    header = ["code", "answers", "service (ms)", "store (ms)", "session (ms)", "store reads"]
    header += ["calls in the service", "calls in all"]
    about = (__doc__ or "").partition("\n\n")[2].partition("\n\n")[0]
    text = (
        f"{about}\n\nMedians of {N_MEASURED} answers on a table of {N_ROWS:,} rows and {N_COLUMNS} columns, "
        f"{N_KINDS} groups, SQLite; counts are means. Nothing is prepared ahead. “before” is commit 7f97d5e."
        f"\n\n{table(header, lines)}"
    )
    report("answer_cost", "What an answer costs in the service", text)


def read_lines() -> list[list[str]]:
    return [line.split(",") for line in CSV.read_text("utf-8").splitlines()] if CSV.exists() else []


def measure(n_answers: int, clocks: Clocks) -> Cost:
    with tempfile.TemporaryDirectory() as folder, begun(Path(folder), n_answers) as service:
        step = service.state("ana")
        for _ in range(N_FIRST):
            step = answer(service, step)
        clocks.reads.calls = 0
        taken = []
        for _ in range(N_MEASURED):
            session, store, start = clocks.session.seconds, clocks.store.seconds, perf_counter()
            step = answer(service, step)
            whole = perf_counter() - start
            inside, disk = clocks.session.seconds - session, clocks.store.seconds - store
            taken.append((whole - inside - disk, disk, inside))
        n_reads = clocks.reads.calls / N_MEASURED
        hops = [count_hops(service, clocks.session) for _ in range(3)]
    times = (statistics.median(column) for column in zip(*taken, strict=True))
    counts = (statistics.mean(column) for column in zip(*hops, strict=True))
    return Cost(*times, n_reads, *counts)


@contextmanager
def begun(folder: Path, n_answers: int) -> Iterator[LabellingService]:
    """A session with so many right answers about pairs that were drawn at random."""
    rng = np.random.default_rng(0)
    centers = 3.0 * rng.normal(size=(N_KINDS, N_COLUMNS))
    frame = pd.DataFrame(centers[KIND] + 3.0 * rng.normal(size=(N_ROWS, N_COLUMNS)))
    frame.columns = [f"column {j}" for j in range(N_COLUMNS)]
    store = open_store(folder / "store.sqlite")
    options = Options(clusters=N_KINDS)
    LabellingService.open(store, frame, title="t", options=options, ahead=False)
    name = store.sessions()[0].session
    store.append(name, [draft_answer(n, rng) for n in range(n_answers)], after=len(store.read(name)))
    service = LabellingService.open(store, frame, title="t", options=options, ahead=False)
    try:
        yield service
    finally:
        service.close()


def draft_answer(n: int, rng: np.random.Generator) -> Draft:
    left, right = (int(row) for row in rng.choice(N_ROWS, 2, replace=False))
    said = "same" if KIND[left] == KIND[right] else "different"
    # One step only: what methods keep of the fits of earlier steps is not what is measured.
    data = {"left": left, "right": right, "answer": said, "step": 1, "question": None, "seconds": 2.0}
    return Draft("ben" if n % 2 else "ana", "answered", data)


def answer(service: LabellingService, step: dict[str, Any]) -> dict[str, Any]:
    question = step["question"]
    left, right = (question[side]["row"] for side in ("left", "right"))
    return service.answer("ana", question["id"], "same" if KIND[left] == KIND[right] else "different", 2.0)


def patch(clocks: Clocks) -> None:
    """Time the methods of sessions and of the store."""
    modules = [module for name, module in sys.modules.items() if name.startswith("sameornot")]
    kinds = {module.ActiveSession for module in modules if "ActiveSession" in vars(module)}
    for kind in kinds:
        for name in TIMED:
            found = vars(kind).get(name)
            if isinstance(found, property) and found.fget is not None:
                setattr(kind, name, property(clocks.session.around(found.fget)))
            elif callable(found):
                setattr(kind, name, clocks.session.around(found))
    SqlStore.append = clocks.store.around(SqlStore.append)  # type: ignore[method-assign]
    SqlStore.read = clocks.reads.around(clocks.store.around(SqlStore.read))  # type: ignore[method-assign]


def count_hops(service: LabellingService, session: Clock) -> tuple[int, int]:
    """In-package calls of an answer: outside of the session, and all."""
    outside = everywhere = 0

    def look(frame: Any, event: str, argument: object) -> None:
        nonlocal outside, everywhere
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            everywhere += 1
            outside += not session.depth

    current = service.state("ana")
    sys.setprofile(look)
    try:
        answer(service, current)
    finally:
        sys.setprofile(None)
    return outside, everywhere


if __name__ == "__main__":
    main(*sys.argv[1:])
