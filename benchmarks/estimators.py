"""Which estimator when: agreement and seconds of each, given pairs drawn at random.

    python benchmarks/estimators.py --seeds 3

Each row (table, estimator, pairs, seed) is appended to results/estimators.csv as soon as it is there, and an
interrupted run is resumed. The tables are written into docs/estimators.md.
"""

import argparse
import csv
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score

from machine import RESULTS, facts, one_core, table
from sameornot import (
    AugmentedClustering,
    Clusterer,
    ConstrainedSpectral,
    COPKMeans,
    EnsembleClustering,
    ForestClassification,
    MPCKMeans,
    PCKMeans,
)
from sameornot.datasets import make_gaussian, make_moons

DOCS = Path(__file__).parents[1] / "docs" / "estimators.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
COLUMNS = ("table", "estimator", "pairs", "seed", "ari", "seconds")
PAIRS = (0, 50, 200)

TABLES: dict[str, Callable[[int], Any]] = {
    "iris": lambda seed: load_iris(return_X_y=True),
    "wine": lambda seed: load_wine(return_X_y=True),
    "cancer": lambda seed: load_breast_cancer(return_X_y=True),
    "digits": lambda seed: load_digits(return_X_y=True),
    "irrelevant": lambda seed: make_gaussian(n_samples=300, n_relevant=3, n_irrelevant=30, random_state=seed),
    "crescents": lambda seed: make_moons(random_state=seed),
    "30 groups": lambda seed: make_blobs(600, n_features=8, centers=30, cluster_std=2.5, random_state=seed),
}
ESTIMATORS: dict[str, Clusterer] = {
    "EnsembleClustering": EnsembleClustering(),
    "AugmentedClustering": AugmentedClustering(),
    "AugmentedClustering, curves": AugmentedClustering(kernel="additive"),
    "ConstrainedSpectral": ConstrainedSpectral(),
    "ConstrainedSpectral, curves": ConstrainedSpectral(kernel="additive"),
    "MPCKMeans": MPCKMeans(),
    "PCKMeans": PCKMeans(),
    "COPKMeans": COPKMeans(),
    "ForestClassification": ForestClassification(),
}
# Curves along 30 features and more take up to a minute a fit.
TOO_SLOW = {
    (where, name)
    for where in ("cancer", "digits", "irrelevant")
    for name in ESTIMATORS
    if name.endswith("curves")
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3, help="seeds 0 … SEEDS − 1")
    parser.add_argument("--report", action="store_true", help="run nothing")
    options = parser.parse_args()
    out = RESULTS / "estimators.csv"
    if not options.report:
        run_missing(out, options.seeds)
    rows = pd.read_csv(out)
    text = f"{measured(rows)}\n\nMachine: {facts()}; one thread."
    before, _, rest = DOCS.read_text("utf-8").partition(BEGIN)
    DOCS.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}", "utf-8")
    print(text)


def run_missing(out: Path, n_seeds: int) -> None:
    """Append what is not there; all estimators of a seed before the next one."""
    there = set()
    if out.exists():
        there = set(pd.read_csv(out)[list(COLUMNS[:4])].itertuples(index=False, name=None))
    else:
        out.write_text(",".join(COLUMNS) + "\n", "utf-8")
    for seed, where, name, n_pairs in product(range(n_seeds), TABLES, ESTIMATORS, PAIRS):
        if (where, name, n_pairs, seed) in there or (where, name) in TOO_SLOW:
            continue
        ari, took = play(where, name, n_pairs, seed)
        with out.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerow(
                [where, name, n_pairs, seed, f"{ari:.4f}", f"{took:.3f}"]
            )
        print(where, name, n_pairs, seed, f"{ari:.3f} {took:.2f} s", flush=True)


def play(where: str, name: str, n_pairs: int, seed: int) -> tuple[float, float]:
    """Agreement and CPU seconds of one fit."""
    X, y = TABLES[where](seed)
    model = clone(ESTIMATORS[name]).set_params(n_clusters=len(np.unique(y)), random_state=seed)
    pairs = draw_pairs(y, n_pairs, np.random.default_rng(seed))
    with one_core():
        start = time.process_time()
        model.fit(X, **pairs)
        took = time.process_time() - start
    return float(adjusted_rand_score(y, model.labels_)), took


def draw_pairs(y: np.ndarray, n_pairs: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """So many pairs of two different rows, by what the labels say of them."""
    pairs = np.array([rng.choice(len(y), size=2, replace=False) for _ in range(n_pairs)], dtype=np.intp)
    pairs = pairs.reshape(-1, 2)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return {"must_link": pairs[same], "cannot_link": pairs[~same]}


def measured(rows: pd.DataFrame) -> str:
    """The two tables in Markdown."""
    shape = {where: TABLES[where](0) for where in TABLES}
    sizes = "; ".join(
        f"{where}: {len(X)} × {X.shape[1]}, {len(np.unique(y))} groups" for where, (X, y) in shape.items()
    )
    return "\n\n".join(
        [
            f"Mean adjusted Rand index (ARI) over {rows.seed.nunique()} seeds without pairs / with 50 / with "
            f"200. {sizes}.",
            wide(rows, "ari", "{:.2f}"),
            "Median CPU seconds of a fit with 50 pairs / with 200, on one core.",
            wide(rows[rows.pairs > 0], "seconds", "{:.2g}"),
        ]
    )


def wide(rows: pd.DataFrame, column: str, form: str) -> str:
    """A line an estimator, a column a table."""
    how = "mean" if column == "ari" else "median"
    values = rows.groupby(["estimator", "table", "pairs"])[column].agg(how).to_dict()
    pairs = sorted(rows.pairs.unique())
    lines = [
        [
            f"`{name}`",
            *(
                " / ".join(form.format(values[name, where, n]) for n in pairs)
                if (name, where, pairs[-1]) in values
                else "–"
                for where in TABLES
            ),
        ]
        for name in ESTIMATORS
    ]
    return table(["ARI" if column == "ari" else "seconds", *TABLES], lines)


if __name__ == "__main__":
    main()
