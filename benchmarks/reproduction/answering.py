"""Sessions that an expert who is always right answers, compared with the truth at checkpoints."""

import time
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from reproduction.experiment import Data
from reproduction.methods import Method
from reproduction.rows import Row
from sameornot import COBRA, ActiveSession
from sameornot.oracles import truth


def curve_rows(
    data: Data,
    n_clusters: int,
    checkpoints: Iterable[int],
    methods: Mapping[str, Method],
    run: str,
    seed: int,
) -> list[Row]:
    """Answer up to each checkpoint and compare the groups with the truth, counting as in the paper."""
    (X, y), method = data, methods[run]
    options: dict[str, Any] = {"infer_last": False, "random_state": seed}
    session = method.session(X, n_clusters, **options)
    rows, spent = [], 0.0
    for checkpoint in checkpoints:
        start = time.perf_counter()
        answer_up_to(session, y, checkpoint)
        spent += time.perf_counter() - start
        for name, clusterer in {run: None, **method.variants}.items():
            start = time.perf_counter()
            grouped = session
            if clusterer is not None:
                grouped = method.variant(clusterer).session(X, n_clusters, **options, answers=session.answers)
            found = agreement(grouped, y)
            seconds = spent + time.perf_counter() - start
            place = {"run": run, "seed": seed, "method": name, "checkpoint": checkpoint}
            rows.append({**place, **found, "seconds": seconds})
    return rows


def cobra_rows(data: Data, sizes: Iterable[int], run: str, seed: int) -> list[Row]:
    """COBRA to its end for each number of super-instances: the number decides how much it asks."""
    X, y = data
    rows = []
    for size in sizes:
        start = time.perf_counter()
        session = Method(clusterer=COBRA(size)).session(X, random_state=seed)
        answer_up_to(session, y, len(y) ** 2)
        found = agreement(session, y)
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


def agreement(session: ActiveSession, y: np.ndarray) -> Row:
    """Questions asked so far, and how well the groups agree with the truth."""
    labels = session.result().labels
    ari, nmi = adjusted_rand_score(y, labels), normalized_mutual_info_score(y, labels)
    return {"asked": len(session.answers), "ari": ari, "nmi": nmi}
