"""A full step of the session against fitting scikit-learn's forest alone, in turns in one run.

A step is what happens between the answer that ends a sweep and the next question: metric, clustering, forest
and scoring. Table 1 data: n = 300, p = 35, K = 5, questions counted as in the paper.
"""

import statistics
from collections.abc import Callable
from typing import NamedTuple

from machine import one_core, report, seconds, table
from sklearn.ensemble import RandomForestClassifier

from sameornot import ActiveSession
from sameornot.cluster._augmented import Clustering, fit_step
from sameornot.datasets import make_opposite
from sameornot.membership.forest import N_TREES
from sameornot.oracles import truth

N_CLUSTERS = 5
PLACED = (10, 60, 130)
METRICS = ("separable", "exact", "full")
REPEATS = 25


class Times(NamedTuple):
    """Medians in seconds; `fit` is the part of a step that learns the metric and clusters."""

    step: float
    fit: float
    forest: float


def main() -> None:
    rows = []
    with one_core():
        for metric in METRICS:
            session, answer_more = start(metric)
            for n_placed in PLACED:
                answer_more(n_placed)
                times = measure(session)
                rows.append(
                    [
                        metric,
                        str(count_placed(session)),
                        f"{1e3 * times.forest:.1f}",
                        f"{1e3 * times.step:.1f}",
                        f"{1e3 * times.fit:.1f}",
                        f"**{times.step / times.forest:.2f}**",
                    ]
                )
    header = [
        "metric",
        "placed",
        "forest (ms)",
        "step (ms)",
        "of it metric and clustering (ms)",
        "step / forest",
    ]
    about = __doc__.partition("\n\n")[2].strip()
    text = (
        f"{about}\n\nMedians of {REPEATS} fresh steps, each followed or "
        f"preceded by a fit of `RandomForestClassifier(n_estimators={N_TREES})` to the same rows and labels. "
        f"Claim: the ratio is at most 1.3.\n\n{table(header, rows)}"
    )
    report("step", "One step of the session, in forests", text)


def start(metric: str) -> tuple[ActiveSession, Callable[[int], None]]:
    """A session, and a function that answers until so many points are placed and a sweep has just ended."""
    X, y = make_opposite(mixing=True, random_state=0)
    session = ActiveSession(X, N_CLUSTERS, metric=metric, infer_last=False, random_state=0)
    answer = truth(y)

    def answer_more(n_placed: int) -> None:
        while session._pending is not None or count_placed(session) < n_placed:
            session.tell(answer(session.ask()))

    session.ask()
    return session, answer_more


def count_placed(session: ActiveSession) -> int:
    return sum(len(members) for members in session.constraints.neighbourhoods(at_most=N_CLUSTERS))


def measure(session: ActiveSession) -> Times:
    """Time fresh steps (each with its own random numbers) and forests in turns, and leave no trace."""
    taken = []
    for repeat in range(REPEATS + 1):
        step = session._step + 1 + repeat
        labels = cluster(session, step).labels
        works = {
            "step": lambda step=step: session._begin(step),
            "fit": lambda step=step: cluster(session, step),
            "forest": lambda step=step, labels=labels: fit_forest(session, labels, step),
        }
        order = list(works) if repeat % 2 else list(works)[::-1]
        found = {name: seconds(works[name]) for name in order}
        taken.append(Times(**found))
    session._pending = None  # as before: the sweep has ended and nothing was asked yet
    warm = taken[1:]
    return Times(*(statistics.median(column) for column in zip(*warm, strict=True)))


def cluster(session: ActiveSession, step: int) -> Clustering:
    """The clustering that a step starts from."""
    fit_rng, _ = session._step_rngs(step)
    return fit_step(session._X, session.constraints, N_CLUSTERS, session._scale, session.settings, fit_rng)


def fit_forest(session: ActiveSession, labels: object, seed: int) -> None:
    RandomForestClassifier(n_estimators=N_TREES, random_state=seed).fit(session._X, labels)


if __name__ == "__main__":
    main()
