"""A full step of the session against fitting scikit-learn's forest alone, in turns in one run.

A step is what happens between the answer that ends a sweep and the next question. The paper's method: metric,
clustering, forest and scoring; the default of the session, the panel: five learners, their track record and
their mix. Table 1 data: n = 300, p = 35, K = 5, questions counted as in the paper.
"""

import statistics
from collections.abc import Callable
from typing import NamedTuple

from machine import one_core, report, seconds, table
from sklearn.ensemble import RandomForestClassifier

from sameornot import ActiveSession
from sameornot.datasets import make_opposite
from sameornot.interview import Interview
from sameornot.oracles import truth
from sameornot.query.forest import N_TREES

N_CLUSTERS = 5
PLACED = (10, 60, 130)
METHODS = {
    "panel (the default)": {},
    "paper, separable metric": {"metric": "separable"},
    "paper, exact metric": {"metric": "exact"},
    "paper, full metric": {"metric": "full"},
}
REPEATS = 25


class Times(NamedTuple):
    """Medians in seconds."""

    step: float
    forest: float


def main() -> None:
    rows = []
    with one_core():
        for method, settings in METHODS.items():
            session, answer_more = start(settings)
            for n_placed in PLACED:
                answer_more(n_placed)
                times = measure(session._interview)
                counts = [str(count_placed(session)), f"{1e3 * times.forest:.1f}", f"{1e3 * times.step:.1f}"]
                rows.append([method, *counts, f"**{times.step / times.forest:.2f}**"])
    header = ["method", "placed", "forest (ms)", "step (ms)", "step / forest"]
    about = __doc__.partition("\n\n")[2].strip()
    text = (
        f"{about}\n\nMedians of {REPEATS} fresh steps, each followed or "
        f"preceded by a fit of `RandomForestClassifier(n_estimators={N_TREES})` to the same rows and labels. "
        f"Claims: at most 1.3 for the paper's method, at most .5 for the panel.\n\n{table(header, rows)}"
    )
    report("step", "One step of the session, in forests", text)


def start(settings: dict[str, str]) -> tuple[ActiveSession, Callable[[int], None]]:
    """A session, and a function that answers until so many points are placed and a sweep has just ended."""
    X, y = make_opposite(mixing=True, random_state=0)
    session = ActiveSession(X, N_CLUSTERS, infer_last=False, random_state=0, **settings)
    answer = truth(y)

    def answer_more(n_placed: int) -> None:
        while session._interview._pending is not None or count_placed(session) < n_placed:
            session.tell(answer(session.ask()))

    session.ask()
    return session, answer_more


def count_placed(session: ActiveSession) -> int:
    return sum(len(members) for members in session.constraints.neighbourhoods(at_most=N_CLUSTERS))


def measure(interview: Interview) -> Times:
    """Time fresh steps (each with its own random numbers) and forests in turns, and leave no trace."""
    taken = []
    labels = interview.result().labels
    for repeat in range(REPEATS + 1):
        step = interview.step + 1 + repeat
        works = {
            "step": lambda step=step: interview._begin(step),
            "forest": lambda step=step: fit_forest(interview, labels, step),
        }
        order = list(works) if repeat % 2 else list(works)[::-1]
        taken.append(Times(**{name: seconds(works[name]) for name in order}))
    interview._pending = None  # as before: the sweep has ended and nothing was asked yet
    interview._kept = {at: kept for at, kept in interview._kept.items() if at <= interview.step}
    warm = taken[1:]
    return Times(*(statistics.median(column) for column in zip(*warm, strict=True)))


def fit_forest(interview: Interview, labels: object, seed: int) -> None:
    RandomForestClassifier(n_estimators=N_TREES, random_state=seed).fit(interview._X, labels)


if __name__ == "__main__":
    main()
