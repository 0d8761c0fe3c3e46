"""The experiments that are not curves of methods: Figures 2 and 4, Theorems 2 and 3."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from reproduction import paper
from reproduction.answering import Curves, answer_up_to, curve_rows
from reproduction.enumeration import FACTS
from reproduction.methods import (
    PRINTED,
    RELEASED,
    Method,
    in_form,
    main_methods,
    released_rivals,
)
from reproduction.rows import Row
from reproduction.tables import URBAN
from reproduction.theory_rows import theory_rows
from sameornot import AugmentedClustering, Problem, RandomPairs, State
from sameornot.datasets import load_urban_land_cover, make_gaussian
from sameornot.metric import elbow

THEORY_QUESTIONS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16)

# Figure 2: which objective learns the metric, and what groups the rows under it.
WITHOUT, WITH = "without augmentation", "with augmentation"
PAIR_KINDS = ("printed", "printed K-means", "exact", "separable")
PAIR_RUNS = tuple(f"{kind} {WITHOUT}" for kind in ("exact", "separable", "printed"))

# Figure 4.
KMEANS = "K-means"  # the run that has no metric
WEIGHT_RUNS = (
    "AQM + MEE",
    "MPCKMeans + NPU",
    in_form("AQM + MEE", PRINTED),
    in_form("AQM + MEE", RELEASED),
    KMEANS,
)
WEIGHT_EXTRAS = (in_form("MPCKMeans + NPU", RELEASED),)
N_DRAWS, N_DRAWN = 20, 28  # random features, as many as the paper selects


class KMeansUnderMetric(AugmentedClustering):
    """Plain K-means under the learned metric, as in the released script of Figure 2."""

    def conclude(self, problem: Problem, state: State) -> Any:
        """Group the rows under the metric, without regard to the answers."""
        found = super().conclude(problem, state)
        model = KMeans(problem.n_groups, n_init=10, random_state=problem.seed)
        labels = model.fit_predict(found.metric.transform(problem.X))
        return replace(found, labels=labels, centers=model.cluster_centers_)


def random_pairs(
    run: str, seed: int, _: Path | None, *, checkpoints: Iterable[int] = range(10, 101, 10)
) -> list[Row]:
    """Figure 2: a metric from random pairs, with and without those that the augmentation infers."""
    data = make_gaussian(n_samples=60, n_relevant=6, n_irrelevant=3, separation=5.0, random_state=seed)
    kind = run.partition(" ")[0]
    method = printed_pairs() if kind == "printed" else pairs_by(kind)
    return curve_rows(data, Curves({run: method}, 6, tuple(checkpoints)), run, seed)


def pairs_by(kind: str) -> Method:
    """Ours with an objective: prior, price and kept answers as by default."""
    without = AugmentedClustering(metric=kind, augmentation=False)
    return Method(RandomPairs(), without, variants={f"{kind} {WITH}": AugmentedClustering(metric=kind)})


def printed_pairs() -> Method:
    """Formula (3) as printed, λ = .5 and no penalty; rows grouped by formula (5), or by plain K-means."""
    terms: dict[str, Any] = {"separation": 0.5, "penalty": None}
    variants = {
        f"printed {WITH}": AugmentedClustering.as_printed(**terms),
        f"printed K-means {WITHOUT}": KMeansUnderMetric.as_printed(**terms, augmentation=False),
        f"printed K-means {WITH}": KMeansUnderMetric.as_printed(**terms),
    }
    without = AugmentedClustering.as_printed(**terms, augmentation=False)
    return Method(RandomPairs(), without, standardize=False, variants=variants)


LandCover = Callable[[Path | None], tuple[pd.DataFrame, np.ndarray]]


def land_cover_weights(
    run: str,
    seed: int,
    folder: Path | None,
    *,
    load: LandCover = load_urban_land_cover,
    n_questions: int = 300,
) -> list[Row]:
    """Figure 4: feature weights after some questions, and K-means with the heaviest features only."""
    X, y = load(folder)
    if run == KMEANS:
        values = reference_values(X, y, seed)
    else:
        method = (main_methods(URBAN) | released_rivals())[run]
        session = method.session(X, 9, infer_last=False, random_state=seed)
        answer_up_to(session, y, n_questions)
        weights = session.result().feature_weights.to_numpy()
        values = selection_values(X, y, weights, seed)
        values |= {f"weight of {m + 1} {name}": weights[m] for m, name in enumerate(X.columns)}
    return [{"run": run, "seed": seed, "method": run, "item": key, "value": v} for key, v in values.items()]


def selection_values(X: pd.DataFrame, y: np.ndarray, weights: np.ndarray, seed: int) -> dict[str, Any]:
    """Agreement of K-means with all features, the three heaviest, and those above the elbow."""
    ranked = np.argsort(-weights, kind="stable")
    scaled = standardised(X)
    chosen = {"all": ranked, "top three": ranked[:3], "top group": ranked[: len(X.columns) - elbow(weights)]}
    values = {f"K-means, {name}": kmeans_ari(scaled[:, kept], y, seed) for name, kept in chosen.items()}
    values |= {
        f"K-means, {name}, raw": kmeans_ari(X.to_numpy()[:, kept], y, seed) for name, kept in chosen.items()
    }
    return values | {"size of top group": len(chosen["top group"])}


def reference_values(X: pd.DataFrame, y: np.ndarray, seed: int) -> dict[str, float]:
    """Agreement of K-means with the features that the paper names, and with as many at random."""
    raw, scaled, rng = X.to_numpy(), standardised(X), np.random.default_rng(seed)
    named = np.array(paper.FIGURE4_TOP_FEATURES) - 1
    drawn = [
        kmeans_ari(scaled[:, rng.choice(raw.shape[1], N_DRAWN, replace=False)], y, seed)
        for _ in range(N_DRAWS)
    ]
    return {
        "K-means, all": kmeans_ari(scaled, y, seed),
        "K-means, all, raw": kmeans_ari(raw, y, seed),
        "K-means, NDVI": kmeans_ari(scaled[:, named], y, seed),
        "K-means, NDVI, raw": kmeans_ari(raw[:, named], y, seed),
        "K-means, random": float(np.mean(drawn)),
    }


def standardised(X: pd.DataFrame) -> np.ndarray:
    """Each feature divided by its standard deviation."""
    return np.asarray(((X - X.mean()) / X.std()).to_numpy())


def kmeans_ari(X: np.ndarray, y: np.ndarray, seed: int) -> float:
    """Agreement of plain K-means with the truth."""
    labels = KMeans(len(np.unique(y)), n_init=10, random_state=seed).fit_predict(X)
    return float(adjusted_rand_score(y, labels))


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
