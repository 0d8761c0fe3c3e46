"""Fewer questions: the session's own default beside the paper's method and every rival, on eleven tables.

The paper's six settings and five tables of KEEL, everything standardised, the same accounting for all: where
the last answer follows from the others it is not asked (`infer_last`); ``(last asked)`` is the paper's own
accounting. Beside them the default on other terms: an expert who errs or is unsure, a number of groups that
nobody gave, ten questions at a time, and one learner fewer.
"""

import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from sameornot._types import Answer
from sameornot.bench.experiments import Experiment
from sameornot.bench.rows import Row
from sameornot.constraints import Contradiction
from sameornot.datasets import (
    load_breast_cancer,
    load_keel,
    load_meu_mobile,
    load_urban_land_cover,
    make_opposite,
    make_sphere,
)
from sameornot.ensemble.posterior import LEARNERS
from sameornot.oracles import Oracle, noisy, truth, unsure
from sameornot.session import ActiveSession, SessionResult, TooManyGroups

KEEL_ROWS = 900


class Setting(NamedTuple):
    """A table of the comparison: `load(seed, folder)` gives its rows and their classes."""

    title: str
    load: Callable[[int, Path | None], tuple[Any, np.ndarray]]
    n_clusters: int
    budget: int = 300

    @property
    def checkpoints(self) -> tuple[int, ...]:
        """Fifteen equal parts of the budget, and the start."""
        return tuple(range(0, self.budget + 1, self.budget // 15))


def keel(name: str) -> Callable[[int, Path | None], tuple[Any, np.ndarray]]:
    """A table of KEEL's, the same rows for every seed."""
    return lambda _, folder: load_keel(name, folder, n_samples=KEEL_ROWS)


SETTINGS: dict[str, Setting] = {
    "table1": Setting(
        "Table 1", lambda seed, _: make_opposite(n_relevant=5, mixing=True, random_state=seed), 5
    ),
    "table2": Setting(
        "Table 2", lambda seed, _: make_opposite(n_relevant=10, mixing=True, random_state=seed), 10
    ),
    "table3": Setting("Table 3", lambda seed, _: make_sphere(random_state=seed), 5),
    "cancer": Setting("breast cancer", lambda *_: load_breast_cancer(), 2, budget=150),
    "meu": Setting("MEU-Mobile", lambda _, folder: load_meu_mobile(folder), 9),
    "urban": Setting("urban land cover", lambda _, folder: load_urban_land_cover(folder), 9),
    "wine": Setting("wine", keel("wine"), 3),
    "texture": Setting("texture", keel("texture"), 11),
    "optdigits": Setting("optdigits", keel("optdigits"), 10),
    "penbased": Setting("penbased", keel("penbased"), 10),
    "satimage": Setting("satimage", keel("satimage"), 6),
}


class Terms(NamedTuple):
    """Settings of a session, and what is special about who answers."""

    session: Mapping[str, Any] = {}
    noise: float = 0.0
    unsure: float = 0.0
    batch: int = 1
    knows_number: bool = True


PANEL = "Panel"
LAST_ASKED = {"infer_last": False}
RUNS: dict[str, Terms] = {
    PANEL: Terms(),
    "COBRAS": Terms({"strategy": "cobras"}),
    "Label and classify": Terms({"strategy": "in_turn", "clusterer": "forest"}),
    "AQM + NPU": Terms({"strategy": "npu"}),
    "AQM + MEE": Terms({"strategy": "mee"}),
    "AQM + MEE (last asked)": Terms({"strategy": "mee", **LAST_ASKED}),
    "AQM + MEE (full metric; last asked)": Terms({"strategy": "mee", "metric": "full", **LAST_ASKED}),
    "MPCKMeans + NPU": Terms({"strategy": "npu", "clusterer": "mpckmeans"}),
}
# Runs whose rows were made by the published code of others, which is not part of this project.
ELSEWHERE = ("nCOBRAS", "A3S")
VARIANTS: dict[str, Terms] = {
    "Panel (last asked)": Terms(LAST_ASKED),
    "Panel (10 % wrong)": Terms(noise=0.1),
    "Panel (20 % unsure)": Terms(unsure=0.2),
    "Panel (number not given)": Terms(knows_number=False),
    "Panel (ten at a time)": Terms(batch=10),
    **{
        f"Panel without {name}": Terms({"learners": tuple(other for other in LEARNERS if other != name)})
        for name in LEARNERS
    },
}
TERMS = RUNS | VARIANTS


def run_terms(setting: Setting, run: str, seed: int, folder: Path | None) -> list[Row]:
    """Answer on these terms, and compare with the truth at the checkpoints of the setting."""
    X, y = setting.load(seed, folder)
    terms = TERMS[run]
    n_clusters = setting.n_clusters if terms.knows_number else None
    asking = ActiveSession(X, n_clusters, random_state=seed, **terms.session)
    expert = make_expert(truth(y), terms, seed)
    rows, spent = [], 0.0
    for checkpoint in setting.checkpoints:
        start = time.perf_counter()
        answer_up_to(asking, expert, checkpoint, terms.batch)
        result = asking.result()
        spent += time.perf_counter() - start
        place = {"run": run, "seed": seed, "method": run, "checkpoint": checkpoint}
        rows.append({**place, "asked": len(asking.answers), **judge(result, y), "seconds": spent})
    return rows


def make_expert(oracle: Oracle, terms: Terms, seed: int) -> Oracle:
    """Who errs and is unsure as often as the terms say, the same way for the same seed."""
    rng = np.random.default_rng([seed, 1])
    if terms.noise:
        oracle = noisy(oracle, terms.noise, rng)
    return unsure(oracle, terms.unsure, rng) if terms.unsure else oracle


def answer_up_to(asking: ActiveSession, expert: Oracle, n_questions: int, batch: int) -> None:
    """Have the expert answer, so many questions at a time; what cannot be true she is not sure of."""
    while (left := n_questions - len(asking.answers)) > 0:
        pairs = asking.ask(min(batch, left))
        if not pairs:
            return
        for pair in pairs:
            try:
                asking.tell(expert(pair), pair)
            except (Contradiction, TooManyGroups):
                asking.tell(Answer.UNSURE, pair)


def judge(result: SessionResult, y: np.ndarray) -> Row:
    """How well the groups agree with the truth, and what the session itself had estimated."""
    _, kind = np.unique(y, return_inverse=True)
    counts = np.zeros((int(result.labels.max()) + 1, int(kind.max()) + 1))
    np.add.at(counts, (result.labels, kind), 1)
    right = counts[linear_sum_assignment(counts, maximize=True)].sum() / len(y)
    estimate = dict.fromkeys(("estimate", "low", "high"), np.nan)
    if result.agreement is not None:
        estimate = result.agreement._asdict()
    return {
        "ari": adjusted_rand_score(y, result.labels),
        "nmi": normalized_mutual_info_score(y, result.labels),
        "groups": len(np.unique(result.labels)),
        "right": right,
        **estimate,
    }


EXPERIMENTS: dict[str, Experiment] = {
    f"fewer-{name}": Experiment(
        f"Fewer questions: {setting.title}",
        tuple(RUNS),
        partial(run_terms, setting),
        replications=10,
        extras=tuple(VARIANTS),
    )
    for name, setting in SETTINGS.items()
}
