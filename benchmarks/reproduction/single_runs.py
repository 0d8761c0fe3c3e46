"""The experiments that are not curves of methods: Figures 2 and 4, time per question, Theorems 2 and 3."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import adjusted_rand_score

from reproduction.answering import answer_up_to, curve_rows
from reproduction.enumeration import FACTS
from reproduction.experiment import Data
from reproduction.methods import Method, additional, proposed, rivals
from reproduction.rows import Row
from reproduction.theory_rows import theory_rows
from sameornot import AugmentedClustering, RandomPairs
from sameornot.datasets import load_urban_land_cover, make_gaussian, make_opposite
from sameornot.metric import elbow

# Trees of the forest that the paper's strategies fit at each step.
N_TREES = 50
THEORY_QUESTIONS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16)


def random_pairs(run: str, seed: int, _: Path | None) -> list[Row]:
    """Figure 2: a metric from random pairs, with and without those that the augmentation infers."""
    data = make_gaussian(n_samples=60, n_relevant=6, n_irrelevant=3, separation=5.0, random_state=seed)
    kind = run.partition(" ")[0]
    without = AugmentedClustering(metric=kind, augmentation=False)
    variants = {f"{kind} with augmentation": AugmentedClustering(metric=kind)}
    method = Method(RandomPairs(), without, variants=variants)
    return curve_rows(data, 6, range(10, 101, 10), {run: method}, run, seed)


def land_cover_weights(
    run: str,
    seed: int,
    folder: Path | None,
    *,
    load: Callable[[Path | None], tuple[pd.DataFrame, np.ndarray]] = load_urban_land_cover,
    n_questions: int = 300,
) -> list[Row]:
    """Figure 4: feature weights after some questions, and K-means with the heaviest features only."""
    X, y = load(folder)
    method = (rivals(len(X.columns)) | proposed(q=10))[run]
    session = method.session(X, 9, infer_last=False, random_state=seed)
    answer_up_to(session, y, n_questions)
    weights = session.result().feature_weights.to_numpy()
    values = selection_values(X, y, weights, seed)
    values |= {f"weight of {m + 1} {name}": weights[m] for m, name in enumerate(X.columns)}
    return [{"run": run, "seed": seed, "method": run, "item": key, "value": v} for key, v in values.items()]


def selection_values(X: pd.DataFrame, y: np.ndarray, weights: np.ndarray, seed: int) -> dict[str, Any]:
    """Agreement of K-means with all features, the three heaviest, and those above the elbow."""
    ranked = np.argsort(-weights, kind="stable")
    scaled = ((X - X.mean()) / X.std()).to_numpy()
    chosen = {"all": ranked, "top three": ranked[:3], "top group": ranked[: len(X.columns) - elbow(weights)]}
    values = {f"K-means, {name}": kmeans_ari(scaled[:, kept], y, seed) for name, kept in chosen.items()}
    values |= {"K-means, all, raw": kmeans_ari(X.to_numpy(), y, seed)}
    return values | {"size of top group": len(chosen["top group"])}


def kmeans_ari(X: np.ndarray, y: np.ndarray, seed: int) -> float:
    """Agreement of plain K-means with the truth."""
    labels = KMeans(len(np.unique(y)), n_init=10, random_state=seed).fit_predict(X)
    return float(adjusted_rand_score(y, labels))


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
    method = (rivals(35) | proposed(q=15) | additional(35, q=15))[run]
    rows = []
    for n_samples in sizes:
        X, y = make(n_samples, seed)
        session = method.session(X, 5, infer_last=False, random_state=seed)
        start = time.perf_counter()
        answer_up_to(session, y, n_questions)
        asked = time.perf_counter()
        RandomForestClassifier(N_TREES, random_state=seed).fit(X, y).apply(X)
        end = time.perf_counter()
        place = {"run": run, "seed": seed, "method": run, "n": n_samples}
        rows.append({**place, "seconds": (asked - start) / n_questions, "forest": end - asked})
    return rows


def theorems(
    run: str, seed: int, _: Path | None, *, compute: Callable[..., list[Row]] = theory_rows
) -> list[Row]:
    """Both theorems in a random problem of each kind, with answers as facts."""
    shown = ("experiment", "method", "n_points", "n_clusters", "separation", "strength", "neighbourhood_size")
    return [
        {"run": run, "seed": seed, **{name: row[name] for name in (*shown, "questions", "kl", "holds")}}
        for row in compute(seed, strengths=[FACTS], starts=[0])
        if (row["experiment"] == "theorem2" and row["neighbourhood_size"] == 1)
        or (row["experiment"] == "theorem3" and row["questions"] in THEORY_QUESTIONS)
    ]
