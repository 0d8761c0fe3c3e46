"""The questions benchmark: the session's default beside the paper's method and its rivals, on eleven tables.

The paper's six data sets and five tables of KEEL, all standardised. Questions are counted alike for all: an
answer that follows from the others (`infer_last`) is not asked for, except in runs marked ``(last asked)``,
which count as the paper does. The default is also run under other conditions: an expert who errs or is
unsure, an unknown number of groups, ten questions at a time, and without each base learner.
"""

import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from reproduction.experiment import Data, Experiment, Load
from reproduction.methods import Method
from reproduction.rows import Row
from sameornot import (
    NPU,
    ActiveSession,
    Answer,
    AugmentedClustering,
    COBRASQuestions,
    Contradiction,
    EnsembleClustering,
    ForestClassification,
    MinimumExpectedEntropy,
    MPCKMeans,
    RandomPoints,
    SessionResult,
    TooManyGroups,
)
from sameornot.datasets import (
    load_breast_cancer,
    load_keel,
    load_meu_mobile,
    load_urban_land_cover,
    make_opposite,
    make_sphere,
)
from sameornot.ensemble import LEARNERS
from sameornot.oracles import Oracle, noisy, truth, unsure

KEEL_ROWS = 900


class Setting(NamedTuple):
    """A table of the comparison: `load(seed, folder)` gives its rows and their classes."""

    title: str
    load: Load
    n_clusters: int
    budget: int = 300

    @property
    def checkpoints(self) -> tuple[int, ...]:
        """Fifteen equal parts of the budget, and the start."""
        return tuple(range(0, self.budget + 1, self.budget // 15))


def keel(name: str) -> Load:
    """A table of KEEL's, the same rows for every seed."""
    return lambda _, folder: load_keel(name, folder, n_samples=KEEL_ROWS)


def opposite(n_relevant: int) -> Load:
    """The mixed data of Tables 1 and 2."""
    return lambda seed, _: make_opposite(n_relevant=n_relevant, mixing=True, random_state=seed)


SETTINGS: dict[str, Setting] = {
    "table1": Setting("Table 1", opposite(5), 5),
    "table2": Setting("Table 2", opposite(10), 10),
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


class Conditions(NamedTuple):
    """A method, and what its session and its expert are like."""

    method: Method = Method()
    infer_last: bool = True
    noise: float = 0.0
    unsure: float = 0.0
    batch: int = 1
    number_given: bool = True


DEFAULT = "Ensemble"
MEE = MinimumExpectedEntropy()
FULL_METRIC = Method(MEE, AugmentedClustering(metric="full"))
RUNS: dict[str, Conditions] = {
    DEFAULT: Conditions(),
    "COBRAS": Conditions(Method(COBRASQuestions())),
    "Label and classify": Conditions(Method(RandomPoints(), ForestClassification())),
    "AQM + NPU": Conditions(Method(NPU())),
    "AQM + MEE": Conditions(Method(MEE)),
    "AQM + MEE (last asked)": Conditions(Method(MEE), infer_last=False),
    "AQM + MEE (full metric; last asked)": Conditions(FULL_METRIC, infer_last=False),
    "MPCKMeans + NPU": Conditions(Method(NPU(), MPCKMeans())),
}
# Their rows were made with the published code of others, which is not part of this project.
OTHER_PACKAGES = ("nCOBRAS", "A3S")


def without(learner: str) -> Conditions:
    """The default without one of its base learners."""
    others = tuple(name for name in LEARNERS if name != learner)
    return Conditions(Method(clusterer=EnsembleClustering(learners=others)))


VARIANTS: dict[str, Conditions] = {
    f"{DEFAULT} (last asked)": Conditions(infer_last=False),
    f"{DEFAULT} (10 % wrong)": Conditions(noise=0.1),
    f"{DEFAULT} (20 % unsure)": Conditions(unsure=0.2),
    f"{DEFAULT} (number not given)": Conditions(number_given=False),
    f"{DEFAULT} (ten at a time)": Conditions(batch=10),
    **{f"{DEFAULT} without {name}": without(name) for name in LEARNERS},
}
CONDITIONS: Mapping[str, Conditions] = RUNS | VARIANTS


def run_under(setting: Setting, run: str, seed: int, folder: Path | None) -> list[Row]:
    """The rows of a run on the data of one seed."""
    place = {"run": run, "seed": seed, "method": run}
    return [{**place, **row} for row in curve_under(setting, CONDITIONS[run], seed, folder)]


def curve_under(setting: Setting, conditions: Conditions, seed: int, folder: Path | None) -> Iterator[Row]:
    """Answer under some conditions, and compare with the truth at the checkpoints of the setting."""
    data: Data = setting.load(seed, folder)
    X, y = data
    n_clusters = setting.n_clusters if conditions.number_given else None
    session = conditions.method.session(X, n_clusters, infer_last=conditions.infer_last, random_state=seed)
    expert = make_expert(truth(y), conditions, seed)
    spent = 0.0
    for checkpoint in setting.checkpoints:
        start = time.perf_counter()
        answer_in_batches(session, expert, checkpoint, conditions.batch)
        result = session.result()
        spent += time.perf_counter() - start
        asked = {"checkpoint": checkpoint, "asked": len(session.answers)}
        yield {**asked, **evaluate(result, y), "seconds": spent}


def make_expert(oracle: Oracle, conditions: Conditions, seed: int) -> Oracle:
    """An expert who errs and is unsure at the given rates, the same way for the same seed."""
    rng = np.random.default_rng([seed, 1])
    if conditions.noise:
        oracle = noisy(oracle, conditions.noise, rng)
    return unsure(oracle, conditions.unsure, rng) if conditions.unsure else oracle


def answer_in_batches(session: ActiveSession, expert: Oracle, n_questions: int, batch: int) -> None:
    """Have the expert answer `batch` questions at a time; an impossible answer becomes "unsure"."""
    while (left := n_questions - len(session.answers)) > 0:
        pairs = session.ask(min(batch, left))
        if not pairs:
            return
        for pair in pairs:
            try:
                session.tell(expert(pair), pair)
            except (Contradiction, TooManyGroups):
                session.tell(Answer.UNSURE, pair)


def evaluate(result: SessionResult, y: np.ndarray) -> Row:
    """How well the groups agree with the truth, and the session's own estimate of it."""
    _, kind = np.unique(y, return_inverse=True)
    counts = np.zeros((int(result.labels.max()) + 1, int(kind.max()) + 1))
    np.add.at(counts, (result.labels, kind), 1)
    right = counts[linear_sum_assignment(counts, maximize=True)].sum() / len(y)
    estimate: dict[str, Any] = dict.fromkeys(("estimate", "low", "high"), np.nan)
    if result.agreement is not None:
        estimate = result.agreement._asdict()
    return {
        "ari": adjusted_rand_score(y, result.labels),
        "nmi": normalized_mutual_info_score(y, result.labels),
        "groups": len(np.unique(result.labels)),
        "right": right,
        **estimate,
    }


def rows_name(setting: str) -> str:
    """The name of the experiment on a table, and of the file of its rows."""
    return f"questions-{setting}"


EXPERIMENTS: dict[str, Experiment] = {
    rows_name(name): Experiment(
        f"Questions: {setting.title}",
        tuple(RUNS),
        partial(run_under, setting),
        replications=10,
        extras=tuple(VARIANTS),
    )
    for name, setting in SETTINGS.items()
}
