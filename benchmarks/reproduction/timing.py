"""How long asking takes: seconds of a question for growing n, and of one loop of Algorithm 1.

Times of different machines cannot be compared, so scikit-learn's forest of 50 trees, which a step of the
paper's strategies fits, is timed in the same run.
"""

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from reproduction.answering import answer_up_to
from reproduction.experiment import Data
from reproduction.methods import (
    ENSEMBLE,
    PRINTED,
    RELEASED,
    Method,
    additional,
    in_form,
    printed,
    proposed,
    released,
    rivals,
)
from reproduction.rows import Row
from reproduction.tables import OPPOSITE_5
from sameornot import AugmentedClustering, MinimumExpectedEntropy
from sameornot.datasets import make_opposite

# Trees of the forest that the paper's strategies fit at each step.
N_TREES = 50

LABEL_AND_CLASSIFY = "Label and classify"
SPEED_RUNS = (*rivals(), *proposed(OPPOSITE_5), LABEL_AND_CLASSIFY)
FULL = "AQM + MEE (as printed; general A)"


def loop_methods() -> dict[str, Method]:
    """The proposed method in all forms, and the default; as printed, λ is chosen again in every loop."""
    mee, cv = "AQM + MEE", OPPOSITE_5._replace(separation="cv")
    forms = printed(cv) | released(cv) | proposed(cv)
    full = AugmentedClustering.as_printed(full=True, penalty=("auto", cv.q))
    methods = {name: forms[name] for name in (in_form(mee, PRINTED), in_form(mee, RELEASED), mee)}
    strategy = MinimumExpectedEntropy.as_printed()
    return methods | {FULL: Method(strategy, full, standardize=False), ENSEMBLE: Method()}


LOOP_RUNS = tuple(loop_methods())


def mixed_data(n_samples: int, seed: int) -> Data:
    """The data of Table 1 with any number of rows."""
    return make_opposite(n_samples=n_samples, mixing=True, random_state=seed)


def seconds_per_question(
    run: str,
    seed: int,
    _: Path | None,
    *,
    make: Callable[[int, int], Data] = mixed_data,
    sizes: Iterable[int] = (300, 1000, 3000),
    n_questions: int = 40,
) -> list[Row]:
    """Time of the first questions for growing n, and of the forest fit that a step needs."""
    method = (rivals() | proposed(OPPOSITE_5) | additional(OPPOSITE_5))[run]
    rows = []
    for n_samples in sizes:
        X, y = make(n_samples, seed)
        session = method.session(X, 5, infer_last=False, random_state=seed)
        asking = seconds_of(answer_up_to, session, y, n_questions)
        place = {"run": run, "seed": seed, "method": run, "n": n_samples}
        rows.append({**place, "seconds": asking / n_questions, "forest": forest_seconds(X, y, seed)})
    return rows


def seconds_per_loop(
    run: str, seed: int, _: Path | None, *, parts: Iterable[int] = (60, 120, 180, 240, 300)
) -> list[Row]:
    """Mean time of a loop of Algorithm 1, step 1, up to each number of questions since the one before.

    A loop places one row: it fits the metric, clusters, fits the forest, chooses the row, and asks.
    """
    X, y = mixed_data(300, seed)
    session = loop_methods()[run].session(X, 5, infer_last=False, random_state=seed)
    rows = []
    for questions in parts:
        before = session.step
        asking = seconds_of(answer_up_to, session, y, questions)
        loops = max(session.step - before, 1)
        place = {"run": run, "seed": seed, "method": run, "questions": questions, "loops": loops}
        rows.append({**place, "seconds": asking / loops, "forest": forest_seconds(X, y, seed)})
    return rows


def seconds_of(work: Callable[..., Any], *arguments: Any) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def forest_seconds(X: Any, y: np.ndarray, seed: int) -> float:
    """How long scikit-learn's forest takes to fit these rows and to find their leaves."""
    forest = RandomForestClassifier(N_TREES, random_state=seed)
    return seconds_of(lambda: forest.fit(X, y).apply(X))
