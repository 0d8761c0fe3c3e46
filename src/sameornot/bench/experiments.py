"""What is run for each table and figure: data, methods, checkpoints, on the paper's terms.

A run is one method on the data of one seed; it may regroup its answers with other settings on the way (the
penalty plays no part in what is asked, Algorithm 1), which gives rows of several methods. Runs are looked up
by name, so that a worker anywhere can do one.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from sameornot.bench import paper
from sameornot.bench.enumeration import FACTS
from sameornot.bench.rows import Row
from sameornot.bench.theory import theory_rows
from sameornot.datasets import (
    load_breast_cancer,
    load_meu_mobile,
    load_urban_land_cover,
    make_gaussian,
    make_opposite,
    make_sphere,
)
from sameornot.metric.penalty import elbow
from sameornot.oracles import truth
from sameornot.query.forest import forest_leaves
from sameornot.session import ActiveSession

Data = tuple[Any, np.ndarray]
Load = Callable[[int, Path | None], Data]


@dataclass(frozen=True)
class Method:
    """Settings of a session, and other settings of its clusterer to group the same answers with."""

    session: Mapping[str, Any]
    regroup: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment:
    """One table or figure: `run(name, seed, folder)` gives the rows of one replication."""

    title: str
    runs: tuple[str, ...]
    run: Callable[[str, int, Path | None], list[Row]]
    replications: int = paper.N_REPLICATIONS
    extras: tuple[str, ...] = ()  # runs that are no part of the paper's table
    extra_replications: int = 10


def curve_rows(
    data: Data,
    n_clusters: int,
    checkpoints: Iterable[int],
    methods: Mapping[str, Method],
    run: str,
    seed: int,
) -> list[Row]:
    """Answer truly up to each checkpoint and compare the groups with the truth, in the paper's accounting."""
    (X, y), method = data, methods[run]
    common = {"infer_last": False, "random_state": seed, **method.session}
    asking = ActiveSession(X, n_clusters, **common)
    rows, spent = [], 0.0
    for checkpoint in checkpoints:
        start = time.perf_counter()
        answer_up_to(asking, y, checkpoint)
        spent += time.perf_counter() - start
        for name, settings in {run: dict[str, Any](), **method.regroup}.items():
            start = time.perf_counter()
            grouped = asking
            if settings:
                grouped = ActiveSession(X, n_clusters, **{**common, **settings}, answers=asking.answers)
            row = agreement(grouped, y)
            seconds = spent + time.perf_counter() - start
            place = {"run": run, "seed": seed, "method": name, "checkpoint": checkpoint}
            rows.append({**place, **row, "seconds": seconds})
    return rows


def cobra_rows(data: Data, sizes: Iterable[int], run: str, seed: int) -> list[Row]:
    """COBRA to its end with so many super-instances: they decide how much it asks."""
    X, y = data
    rows = []
    for size in sizes:
        start = time.perf_counter()
        asking = ActiveSession(X, strategy="cobra", n_super_instances=size, random_state=seed)
        answer_up_to(asking, y, len(y) ** 2)
        row = agreement(asking, y)
        seconds = time.perf_counter() - start
        rows.append({"run": run, "seed": seed, "method": run, "checkpoint": size, **row, "seconds": seconds})
    return rows


def answer_up_to(asking: ActiveSession, y: np.ndarray, n_questions: int) -> None:
    """Let an expert who is always right answer."""
    answer = truth(y)
    while len(asking.answers) < n_questions and (pair := asking.ask()) is not None:
        asking.tell(answer(pair))


def agreement(session: ActiveSession, y: np.ndarray) -> Row:
    """Questions asked so far, and how well the groups agree with the truth."""
    labels = session.result().labels
    ari, nmi = adjusted_rand_score(y, labels), normalized_mutual_info_score(y, labels)
    return {"asked": len(session.answers), "ari": ari, "nmi": nmi}


def rivals(n_features: int) -> dict[str, Method]:
    """The paper's rivals; PCKMeans as published: the price 1 is the variance of one feature."""
    npu = {"strategy": "npu"}
    return {
        "PCKMeans + NPU": Method({**npu, "clusterer": "pckmeans", "weight": 1.0 / n_features}),
        "COPKMeans + NPU": Method({**npu, "clusterer": "copkmeans"}),
        "MPCKMeans + NPU": Method({**npu, "clusterer": "mpckmeans"}),
        "COBRAS": Method({"strategy": "cobras"}),
    }


AUTOMATIC = {"separation": "cv", "penalty": "auto"}


def proposed(q: int) -> dict[str, Method]:
    """The paper's method with both strategies: λ = 0.5, q features penalised, γ by Calinski–Harabasz."""
    penalty = {"penalty": ("auto", q)}
    return {
        "AQM + NPU": Method({"strategy": "npu", **penalty}),
        "AQM + MEE": Method(
            {"strategy": "mee", **penalty},
            {"AQM + MEE (automatic λ and q)": AUTOMATIC, "AQM + MEE (no penalty)": {"penalty": None}},
        ),
    }


def beside(n_features: int, q: int) -> dict[str, Method]:
    """What the paper does not have: the printed objective, label and classify, rivals on other terms."""
    raw = {
        f"{name} (raw)": Method({**method.session, "standardize": False})
        for name, method in rivals(n_features).items()
    }
    return {
        "PCKMeans + NPU (strong price)": Method({"strategy": "npu", "clusterer": "pckmeans"}),
        "AQM + MEE (exact objective)": Method({"strategy": "mee", "metric": "exact", "penalty": ("auto", q)}),
        "Label and classify": Method({"strategy": "in_turn", "clusterer": "forest"}),
        "Label and classify + MEE": Method({"strategy": "mee", "clusterer": "forest"}),
        **raw,
    }


def curves(
    title: str,
    load: Load,
    n_features: int,
    n_clusters: int,
    q: int,
    *,
    checkpoints: tuple[int, ...] = paper.QUESTIONS,
    cobra: tuple[int, ...] = (),
    **terms: Any,
) -> Experiment:
    """An experiment in which methods ask and are compared with the truth at checkpoints."""
    main, extras = rivals(n_features) | proposed(q), beside(n_features, q)

    def run(name: str, seed: int, folder: Path | None) -> list[Row]:
        data = load(seed, folder)
        if name == "COBRA":
            return cobra_rows(data, cobra, name, seed)
        return curve_rows(data, n_clusters, checkpoints, main | extras, name, seed)

    runs = (*main, *(("COBRA",) if cobra else ()))
    return Experiment(title, runs, run, extras=tuple(extras), **terms)


def opposite(n_relevant: int, mixing: bool) -> Load:
    """The data of Tables 1 and 2, new for each seed."""
    return lambda seed, _: make_opposite(n_relevant=n_relevant, mixing=mixing, random_state=seed)


def random_pairs(run: str, seed: int, _: Path | None) -> list[Row]:
    """Figure 2: a metric from random pairs, with and without those that the augmentation infers."""
    data = make_gaussian(n_samples=60, n_relevant=6, n_irrelevant=3, separation=5.0, random_state=seed)
    kind = run.partition(" ")[0]
    methods = {
        run: Method(
            {"strategy": "random", "metric": kind, "augmentation": False},
            {f"{kind} with augmentation": {"augmentation": True}},
        )
    }
    return curve_rows(data, 6, range(10, 101, 10), methods, run, seed)


def land_cover_weights(run: str, seed: int, folder: Path | None) -> list[Row]:
    """Figure 4: feature weights after 300 questions, and K-means with the heaviest features only."""
    X, y = load_urban_land_cover(folder)
    methods = rivals(len(X.columns)) | proposed(q=10)
    asking = ActiveSession(X, 9, infer_last=False, random_state=seed, **methods[run].session)
    answer_up_to(asking, y, 300)
    weights = asking.result().feature_weights.to_numpy()
    ranked = np.argsort(-weights, kind="stable")
    scaled = ((X - X.mean()) / X.std()).to_numpy()
    chosen = {"all": ranked, "top three": ranked[:3], "top group": ranked[: len(X.columns) - elbow(weights)]}
    values = {f"K-means, {name}": kmeans_ari(scaled[:, kept], y, seed) for name, kept in chosen.items()}
    values |= {"K-means, all, raw": kmeans_ari(X.to_numpy(), y, seed)}
    values |= {"size of top group": len(chosen["top group"])}
    values |= {f"weight of {m + 1} {name}": weights[m] for m, name in enumerate(X.columns)}
    return [{"run": run, "seed": seed, "method": run, "item": key, "value": v} for key, v in values.items()]


def kmeans_ari(X: np.ndarray, y: np.ndarray, seed: int) -> float:
    """Agreement of plain K-means."""
    labels = KMeans(len(np.unique(y)), n_init=10, random_state=seed).fit_predict(X)
    return float(adjusted_rand_score(y, labels))


def seconds_a_question(run: str, seed: int, _: Path | None) -> list[Row]:
    """Time of the first questions at growing n, and right after it of the forest fit that a step needs."""
    rows = []
    for n_samples in (300, 1000, 3000):
        X, y = make_opposite(n_samples=n_samples, mixing=True, random_state=seed)
        method = (rivals(35) | proposed(q=15) | beside(35, q=15))[run]
        asking = ActiveSession(X, 5, infer_last=False, random_state=seed, **method.session)
        start = time.perf_counter()
        answer_up_to(asking, y, SPEED_QUESTIONS)
        asked = time.perf_counter()
        forest_leaves(X, y, np.random.default_rng(seed))
        end = time.perf_counter()
        place = {"run": run, "seed": seed, "method": run, "n": n_samples}
        rows.append({**place, "seconds": (asked - start) / SPEED_QUESTIONS, "forest": end - asked})
    return rows


def theorems(run: str, seed: int, _: Path | None) -> list[Row]:
    """Both theorems in a random world of each kind, with answers as facts."""
    shown = ("experiment", "method", "n_points", "n_clusters", "separation", "strength", "neighbourhood_size")
    return [
        {"run": run, "seed": seed, **{name: row[name] for name in (*shown, "questions", "kl", "holds")}}
        for row in theory_rows(seed, strengths=[FACTS], starts=[0])
        if (row["experiment"] == "theorem2" and row["neighbourhood_size"] == 1)
        or (row["experiment"] == "theorem3" and row["questions"] in THEORY_QUESTIONS)
    ]


SPEED_QUESTIONS = 40
THEORY_QUESTIONS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16)
REAL_CHECKPOINTS = tuple(range(30, 301, 30))

EXPERIMENTS: dict[str, Experiment] = {
    "table1": curves(
        "Table 1: opposite centres, mixed, n = 300, p = 5 + 30, K = 5",
        opposite(5, mixing=True),
        n_features=35,
        n_clusters=5,
        q=15,
        cobra=tuple(paper.COBRA["table1"]),
    ),
    "table1-unmixed": curves(
        "Table 1 as its text reads: without mixing",
        opposite(5, mixing=False),
        n_features=35,
        n_clusters=5,
        q=15,
        replications=10,
    ),
    "table2": curves(
        "Table 2: opposite centres, mixed, n = 300, p = 10 + 30, K = 10",
        opposite(10, mixing=True),
        n_features=40,
        n_clusters=10,
        q=15,
        cobra=tuple(paper.COBRA["table2"]),
    ),
    "table2-unmixed": curves(
        "Table 2 as its text reads: without mixing",
        opposite(10, mixing=False),
        n_features=40,
        n_clusters=10,
        q=15,
        replications=10,
    ),
    "table3": curves(
        "Table 3: centres on a sphere, n = 250, p = 100 + 400, K = 5",
        lambda seed, _: make_sphere(random_state=seed),
        n_features=500,
        n_clusters=5,
        q=200,
        cobra=tuple(paper.COBRA["table3"]),
    ),
    "figure2": Experiment(
        "Figure 2: random pairs with and without augmentation, n = 60, p = 6 + 3, K = 6",
        ("exact without augmentation", "separable without augmentation"),
        random_pairs,
    ),
    "figure3-cancer": curves(
        "Figure 3, breast cancer: n = 569, p = 30, K = 2",
        lambda *_: load_breast_cancer(),
        n_features=30,
        n_clusters=2,
        q=10,
        checkpoints=tuple(range(10, 101, 10)),
        cobra=(10, 25, 50),
        replications=10,
    ),
    "figure3-meu": curves(
        "Figure 3, MEU-Mobile: n = 459, p = 71, K = 9",
        lambda _, folder: load_meu_mobile(folder),
        n_features=71,
        n_clusters=9,
        q=10,
        checkpoints=REAL_CHECKPOINTS,
        cobra=(10, 30, 60),
        replications=10,
    ),
    "figure3-urban": curves(
        "Figure 3, urban land cover: n = 675, p = 147, K = 9",
        lambda _, folder: load_urban_land_cover(folder),
        n_features=147,
        n_clusters=9,
        q=10,
        checkpoints=REAL_CHECKPOINTS,
        cobra=(10, 30, 60),
        replications=10,
    ),
    "figure4": Experiment(
        "Figure 4: what the weights on urban land cover are worth",
        ("AQM + MEE", "MPCKMeans + NPU"),
        land_cover_weights,
        replications=5,
    ),
    "speed": Experiment(
        "Seconds a question",
        (*rivals(35), *proposed(q=15), "Label and classify"),
        seconds_a_question,
        replications=3,
    ),
    "theory": Experiment(
        "Theorems 2 and 3 by exact enumeration",
        ("theory",),
        theorems,
        replications=40,
    ),
}
