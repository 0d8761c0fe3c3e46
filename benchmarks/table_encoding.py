"""Tables of mixed columns as matrices: `TableEncoder` beside skrub's TableVectorizer.

    python benchmarks/table_encoding.py --seeds 5

Shows the choice: skrub is no dependency. Where it can be imported it is measured too; otherwise the page says
that it is not there. Both are given the same tables, in turns, in one process.
"""

import argparse
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from machine import one_core, report, seconds, table
from sameornot import simulate
from sameornot.table import TableEncoder

SKRUB = find_spec("skrub") is not None
BUDGET = 60
CHECKPOINTS = (0, 20, 40, 60)

Encode = Callable[[pd.DataFrame], np.ndarray]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="seeds 0 … SEEDS − 1")
    parser.add_argument("--repeats", type=int, default=3, help="how often each time is taken")
    options = parser.parse_args()
    with one_core():
        parts = [
            "" if SKRUB else "skrub could not be imported: only `TableEncoder` was measured.",
            f"## Import\n\n{imports(options.repeats)}",
            f"## Fit and transform\n\n{times(options.repeats)}",
            f"## What is kept\n\n{states()}",
            f"## Questions to groups\n\n{quality(options.seeds)}",
        ]
    text = "\n\n".join(part for part in parts if part)
    report("table_encoding", "Tables as matrices", text, *["pandas", *["skrub"] * SKRUB])


def imports(repeats: int) -> str:
    lines = {"pandas and scikit-learn alone": "import pandas, sklearn.feature_extraction.text"}
    lines["sameornot.table"] = "import sameornot.table"
    if SKRUB:
        lines["skrub"] = "import skrub"
    taken: dict[str, list[float]] = {name: [] for name in lines}
    for _ in range(repeats):
        for name, line in lines.items():
            taken[name].append(seconds(partial(subprocess.run, [sys.executable, "-c", line], check=True)))
    rows = [[name, f"{median(found):.2f} s"] for name, found in taken.items()]
    return "A new Python that imports and ends, median.\n\n" + table(["what", "time"], rows)


def times(repeats: int) -> str:
    tables = {"10,000 × 30": long_table(10_000), "200 × 10,000": wide_table(200, 10_000)}
    rows = []
    for size, frame in tables.items():
        taken: dict[str, list[float]] = {name: [] for name in ENCODERS}
        for _ in range(repeats):
            for name, encode in ENCODERS.items():
                taken[name].append(seconds(partial(encode, frame)))
        ours = median(taken["TableEncoder"])
        rows += [
            [
                size,
                name,
                f"{median(found):.2f} s",
                f"{median(found) / ours:.1f}",
                str(encode_width(name, frame)),
            ]
            for name, found in taken.items()
        ]
    return table(["table", "encoder", "time", "times ours", "features"], rows)


def encode_width(name: str, frame: pd.DataFrame) -> int:
    return ENCODERS[name](frame.head(2_000)).shape[1]


def states() -> str:
    frame = long_table(10_000)
    state = TableEncoder.fit(frame).to_json()
    rows = [["TableEncoder", "JSON", f"{len(json.dumps(state)) / 1e3:,.0f} kB", "yes"]]
    if SKRUB:
        size = len(pickle.dumps(fitted_skrub(frame)[0]))
        rows.append(["skrub, gaps filled", "pickle", f"{size / 1e3:,.0f} kB", "no: Python objects"])
    intro = "State after fitting 10,000 × 30. A model that is handed over must be JSON, never pickle.\n\n"
    return intro + table(["encoder", "as", "size", "can be JSON"], rows)


def quality(n_seeds: int) -> str:
    rows = []
    for name, make in {"patients": patients, "products": products}.items():
        for encoder, encode in ENCODERS.items():
            curves = np.array([play(make, encode, seed) for seed in range(n_seeds)])
            print(name, encoder, curves[:, -1].round(3), flush=True)
            cells = [f"{mean:.3f} ± {sd:.3f}" for mean, sd in zip(curves.mean(0), curves.std(0), strict=True)]
            rows.append([name, encoder, *cells])
    intro = (
        "Mean ± standard deviation of the adjusted Rand index after so many answers of `sameornot.simulate` "
        f"(defaults, number of groups given), {n_seeds} seeds; a seed draws the table and seeds the session. "
        "Both tables have 240 rows, known groups, numbers, categories, a text, a date, an identifier and 8 % "
        "missing cells; some columns say nothing. In patients every kind says a little, in products "
        "mostly text and category do. A session divides every feature by its standard deviation, so how an "
        "encoder scales its features plays no part here.\n\n"
    )
    return intro + table(["table", "encoder", *(f"{count}" for count in CHECKPOINTS)], rows)


def play(make: Callable[[int], "Known"], encode: Encode, seed: int) -> np.ndarray:
    known = make(seed)
    n_groups = len(np.unique(known.groups))
    settings: dict[str, Any] = {"budget": BUDGET, "checkpoints": CHECKPOINTS, "random_state": seed}
    return simulate(encode(known.frame), known.groups, n_groups, **settings).ari.to_numpy()


# Encoders


def ours(frame: pd.DataFrame) -> np.ndarray:
    return TableEncoder.fit(frame).transform(frame)


def fitted_skrub(frame: pd.DataFrame) -> tuple[Any, np.ndarray]:
    """Its defaults; what it leaves missing is filled with the median, since a session needs whole rows."""
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from skrub import StringEncoder, TableVectorizer

    vectorizer = TableVectorizer(high_cardinality=StringEncoder(random_state=0))
    pipeline = make_pipeline(vectorizer, SimpleImputer(strategy="median", keep_empty_features=True))
    return pipeline, np.asarray(pipeline.fit_transform(frame), dtype=np.float64)


def skrub(frame: pd.DataFrame) -> np.ndarray:
    _, features = fitted_skrub(frame)
    return features[:, features.std(axis=0) > 0]


ENCODERS: dict[str, Encode] = {"TableEncoder": ours}
if SKRUB:
    ENCODERS["skrub, gaps filled"] = skrub


# Tables

SYMPTOMS = [
    ["knee", "joint", "swollen", "stiff", "walking"],
    ["cough", "fever", "throat", "breath", "lungs"],
    ["headache", "dizzy", "vision", "nausea", "light"],
]
GOODS = [
    ["cotton", "shirt", "sleeve", "blue", "washable"],
    ["steel", "kettle", "litre", "handle", "boil"],
    ["paper", "notebook", "ruled", "pages", "bound"],
    ["oak", "chair", "seat", "varnish", "legs"],
]
FILLING = ["the", "with", "and", "since", "some", "very", "good", "new", "often", "days"]


@dataclass(frozen=True)
class Known:
    """A table and the group of each row."""

    frame: pd.DataFrame
    groups: np.ndarray


def patients(seed: int, n_rows: int = 240) -> Known:
    rng = np.random.default_rng([1, seed])
    group = rng.integers(0, 3, n_rows)
    columns = {
        "patient": [f"P{row:05}" for row in range(n_rows)],
        "age": rng.normal([40, 50, 60], 9, (n_rows, 3))[np.arange(n_rows), group],
        "temperature": rng.normal(np.array([36.8, 38.2, 37.0])[group], 0.7),
        **{f"blood {number}": rng.lognormal(1, 0.5, n_rows) for number in range(4)},
        "ward": leaning(rng, group, ["surgery", "medicine", "neurology"], 0.4),
        "town": rng.choice([f"town {number}" for number in range(25)], n_rows),
        "smoker": rng.choice(["yes", "no"], n_rows),
        "admitted": pd.Timestamp("2022-01-01")
        + pd.to_timedelta(rng.normal(180 * group, 120).round(), unit="D"),
        "note": notes(rng, group, SYMPTOMS, 0.2),
    }
    return with_gaps(rng, columns, group)


def products(seed: int, n_rows: int = 240) -> Known:
    rng = np.random.default_rng([2, seed])
    group = rng.integers(0, 4, n_rows)
    columns = {
        "article": [f"{row * 7919 % 99991:05}-X" for row in range(n_rows)],
        **{f"measure {number}": rng.normal(size=n_rows) for number in range(5)},
        "price": rng.lognormal(np.array([2.5, 3.5, 1.5, 4.5])[group], 0.7),
        "maker": leaning(rng, group, ["Abel", "Bauer", "Costa", "Dunn"], 0.35),
        "returned": rng.choice([True, False], n_rows),
        "listed": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1500, n_rows), unit="D"),
        "description": notes(rng, group, GOODS, 0.25),
    }
    return with_gaps(rng, columns, group)


def leaning(rng: np.random.Generator, group: np.ndarray, levels: list[str], share: float) -> np.ndarray:
    """The group's own level with this probability, any level otherwise."""
    own = np.array(levels)[group]
    return np.where(rng.random(len(group)) < share, own, rng.choice(levels, len(group)))


def notes(rng: np.random.Generator, group: np.ndarray, topics: list[list[str]], share: float) -> list[str]:
    """Eight words: with this probability one of the group's, a filling word otherwise."""
    return [
        " ".join(rng.choice(topics[g]) if rng.random() < share else rng.choice(FILLING) for _ in range(8))
        for g in group
    ]


def with_gaps(rng: np.random.Generator, columns: dict[str, Any], group: np.ndarray) -> Known:
    frame = pd.DataFrame(columns)
    gaps = rng.random(frame.shape) < 0.08
    gaps[:, 0] = False
    return Known(frame.mask(gaps), group)


def long_table(n_rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    base = patients(0, n_rows).frame
    more = {f"number {number}": rng.normal(size=n_rows) for number in range(14)}
    few = {f"level {number}": rng.choice(list("abcdefg"), n_rows) for number in range(4)}
    return pd.concat([base, pd.DataFrame(more | few)], axis=1)


def wide_table(n_rows: int, n_columns: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n_levels = n_columns // 10
    numbers = pd.DataFrame(rng.normal(size=(n_rows, n_columns - n_levels)))
    levels = pd.DataFrame(rng.choice(list("abcdefg"), size=(n_rows, n_levels)))
    return pd.concat([numbers.add_prefix("number "), levels.add_prefix("level ")], axis=1)


if __name__ == "__main__":
    main()
