"""Sessions that an expert who is always right answers, compared with the truth at checkpoints."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from reproduction.experiment import Data
from reproduction.methods import Method
from reproduction.rows import Row
from sameornot import COBRA, ActiveSession
from sameornot.oracles import truth

Measure = Callable[[ActiveSession, np.ndarray], Row]


def agreement(session: ActiveSession, y: np.ndarray) -> Row:
    """Questions asked so far, and how well the groups agree with the truth."""
    labels = session.result().labels
    ari, nmi = adjusted_rand_score(y, labels), normalized_mutual_info_score(y, labels)
    return {"asked": len(session.answers), "ari": ari, "nmi": nmi}


def agreement_and_placed(session: ActiveSession, y: np.ndarray) -> Row:
    """The same, and how many rows the answers have placed in a group."""
    return {**agreement(session, y), "placed": sum(map(len, session.known_groups()))}


@dataclass(frozen=True)
class Curves:
    """How methods answer: up to which numbers of questions, and what is measured there."""

    methods: Mapping[str, Method]
    n_clusters: int
    checkpoints: tuple[int, ...]
    measure: Measure = agreement


@dataclass(frozen=True)
class Checkpoint:
    """What was measured after so many questions, and the seconds spent on asking and on this grouping."""

    questions: int
    found: Row
    asking: float
    grouping: float


def curve_rows(data: Data, curves: Curves, run: str, seed: int) -> list[Row]:
    """Answer up to each checkpoint and compare the groups with the truth, counting as in the paper."""
    (X, y), method = data, curves.methods[run]
    options: dict[str, Any] = {"infer_last": False, "random_state": seed}
    session = method.session(X, curves.n_clusters, **options)
    curve = list(along(session, y, curves))
    asking = {at.questions: at.asking for at in curve}
    rows = list(rows_of(curve, asking, {"run": run, "seed": seed, "method": run}))
    for name, clusterer in method.variants.items():
        # One session for all checkpoints: what it learned in the earlier steps is needed once.
        regrouped = method.regrouped(clusterer, session.answers).session(X, curves.n_clusters, **options)
        place = {"run": run, "seed": seed, "method": name}
        rows += rows_of(along(regrouped, y, curves), asking, place)
    return sorted(rows, key=lambda row: row["checkpoint"])


def along(session: ActiveSession, y: np.ndarray, curves: Curves) -> Iterator[Checkpoint]:
    """Answer up to each checkpoint and measure there."""
    spent = 0.0
    for questions in curves.checkpoints:
        start = time.perf_counter()
        answer_up_to(session, y, questions)
        asked = time.perf_counter()
        spent += asked - start
        found = curves.measure(session, y)
        yield Checkpoint(questions, found, spent, time.perf_counter() - asked)


def rows_of(curve: Iterable[Checkpoint], asking: Mapping[int, float], place: Row) -> Iterator[Row]:
    """The rows of a curve; their seconds are those of `asking` and of the grouping."""
    for at in curve:
        seconds = asking[at.questions] + at.grouping
        yield {**place, "checkpoint": at.questions, **at.found, "seconds": seconds}


def cobra_rows(
    data: Data,
    sizes: Iterable[int],
    run: str,
    seed: int,
    *,
    standardize: bool = True,
    measure: Measure = agreement,
) -> list[Row]:
    """COBRA to its end for each number of super-instances: the number decides how much it asks."""
    X, y = data
    rows = []
    for size in sizes:
        start = time.perf_counter()
        session = Method(clusterer=COBRA(size), standardize=standardize).session(X, random_state=seed)
        answer_up_to(session, y, len(y) ** 2)
        found = measure(session, y)
        seconds = time.perf_counter() - start
        rows.append(
            {"run": run, "seed": seed, "method": run, "checkpoint": size, **found, "seconds": seconds}
        )
    return rows


def answer_up_to(session: ActiveSession, y: np.ndarray, n_questions: int) -> None:
    """Answer truly until so many questions are answered, or none is left."""
    answer = truth(y)
    while len(session.answers) < n_questions and (pair := session.ask()) is not None:
        session.tell(answer(pair))
