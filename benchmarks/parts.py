"""What each part of the panel earns: the area under the curve with that part taken out, seed by seed.

    python benchmarks/parts.py --seeds 2 --data FOLDER   (goes on from its CSV file)
    python benchmarks/parts.py --seeds 10 --data FOLDER --parts trees --tables table1 cancer

The learners, one by one, are `sameornot bench fewer --methods all`. Here is the rest: parts that no setting
switches off, taken out by hand. The area is that of `docs/fewer-questions.md`, on its eleven tables; that of
the whole panel comes from `rows/`. What the choice of closeness earns is told by the panel's rows of the code
that had no such choice, which are in the file: it was not run again with that part taken out. Our own trees
are not taken out but exchanged for scikit-learn's forest of 50: what their speed costs.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from machine import RESULTS, one_core, report, table
from sklearn.ensemble import RandomForestClassifier

from sameornot.bench.fewer import PANEL, SETTINGS, run_terms
from sameornot.bench.fewer_report import areas
from sameornot.bench.rows import RowFile
from sameornot.cluster import _panel, _surroundings, _survey
from sameornot.ensemble.clustering import PanelSettings
from sameornot.ensemble.stacking import Record
from sameornot.query import panel as asking

ROWS, BENCH = RESULTS / "parts.csv", RESULTS.parent / "rows"


def main() -> None:
    """Do what is missing, and write the page."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--seeds", type=int, default=2)
    options.add_argument("--data", type=Path, help="a folder with the tables, at any depth")
    options.add_argument("--parts", nargs="+", default=[""], help="words of their names; all unless given")
    options.add_argument("--tables", nargs="+", choices=list(SETTINGS), default=list(SETTINGS))
    wanted = options.parse_args()
    parts = [part for part in PARTS if any(word in part for word in wanted.parts)]
    for seed, part, name in product(range(wanted.seeds), parts, wanted.tables):
        measure(part, name, seed, wanted.data)
    write_page()


def measure(part: str, name: str, seed: int, folder: Path | None) -> None:
    """One curve, unless it is there."""
    done = pd.read_csv(ROWS) if ROWS.exists() else pd.DataFrame(columns=["part", "table", "seed"])
    if ((done.part == part) & (done.table == name) & (done.seed == seed)).any():
        return
    with one_core(), PARTS[part]():
        rows = pd.DataFrame(run_terms(SETTINGS[name], PANEL, seed, folder))
    area = np.trapezoid(rows.ari, rows.checkpoint) / rows.checkpoint.max()
    line = {"part": part, "table": name, "seed": seed, "area": area}
    pd.DataFrame([line]).to_csv(ROWS, mode="a", header=not ROWS.exists(), index=False)
    print(line, flush=True)


@contextmanager
def all_compared() -> Iterator[None]:
    """No group is presumed: a row that differs from one meets all others, and so do groups."""
    proven = PanelSettings.__mro__[1].neighbourhoods
    with patch.object(PanelSettings, "neighbourhoods", proven), patch.object(asking, "N_MET", 10**9):
        yield


@contextmanager
def all_alike() -> Iterator[None]:
    """Every learner is believed alike and taken as sharp as it usually is, whatever it foretold."""
    judge = _panel.judge

    def unmoved(odds: np.ndarray, truth: np.ndarray, usual: np.ndarray, slip: float = 0.02) -> Record:
        found = judge(odds, truth, usual, slip)
        return found._replace(sharpness=usual, weights=np.full(len(usual), 1.0 / len(usual)))

    with patch.object(_panel, "judge", unmoved):
        yield


@contextmanager
def far_as_it_is() -> Iterator[None]:
    """Far values stay where they are."""
    with patch.object(_surroundings, "LONG_TAILED", np.inf):
        yield


@contextmanager
def one_measure() -> Iterator[None]:
    """Rows are close by one measure everywhere."""
    with patch.object(_survey, "MEASURES", _survey.MEASURES[:1]):
        yield


@contextmanager
def any_row() -> Iterator[None]:
    """Once groups are found, any row is asked about next."""

    def drawn(candidates: np.ndarray, score: Any, rng: np.random.Generator) -> int:
        return int(rng.choice(candidates))

    with patch.object(asking, "pick_best", drawn):
        yield


@contextmanager
def not_looked_for() -> Iterator[None]:
    """Groups are not looked for: a row of a new one is met by chance of doubt."""
    with patch.object(asking, "explores", lambda problem: False):
        yield


@contextmanager
def another_forest() -> Iterator[None]:
    """The learner that takes features as they come is scikit-learn's forest."""

    def grow_forest(rows: np.ndarray, groups: Sequence[np.ndarray], rng: np.random.Generator) -> np.ndarray:
        placed, even = np.concatenate(list(groups)), np.full((len(rows), len(groups)), 1.0 / len(groups))
        if len(placed) < 2 * len(groups):
            return even
        group = np.repeat(np.arange(len(groups)), [len(members) for members in groups])
        forest = RandomForestClassifier(50, random_state=int(rng.integers(2**31))).fit(rows[placed], group)
        held = forest.predict_proba(rows)
        held[placed] = even[placed]
        return np.asarray(held)

    with patch.object(_panel, "grow_trees", grow_forest):
        yield


PARTS: dict[str, Callable[[], Any]] = {
    "groups are presumed to differ": all_compared,
    "learners are believed by their record": all_alike,
    "far values are drawn in": far_as_it_is,
    "closeness is chosen": one_measure,
    "the row nearest to even odds": any_row,
    "groups are looked for first": not_looked_for,
    "our own trees": another_forest,
}


def write_page() -> None:
    """The change of the area without each part."""
    panel = {name: areas(RowFile(BENCH / f"fewer-{name}.csv").read(), PANEL) for name in SETTINGS}
    whole = pd.concat(panel, names=["table", "seed"])
    found = pd.read_csv(ROWS).set_index(["table", "seed"])
    lines = []
    for part in PARTS:
        change = (found.area[found.part == part] - whole).dropna()
        by_table, seeds = change.groupby(level=0).mean(), change.groupby(level=0).size()
        named = [f"{SETTINGS[name].title} {by_table[name]:+.3f}" for name in SETTINGS if name in by_table]
        if named:
            counts = str(seeds.min()) if seeds.min() == seeds.max() else f"{seeds.min()} to {seeds.max()}"
            lines.append([part, counts, f"{by_table.mean():+.3f}", ", ".join(named)])
    header = ["without", "seeds", "mean", ""]
    about = (
        "Change of the area under the curve of `docs/fewer-questions.md` with one part of the panel taken "
        "out, paired by seed. The line for the choice of closeness is from rows that the code before "
        "it had made. Our own trees are exchanged for scikit-learn's forest of 50."
    )
    report("parts", "What each part of the panel earns", f"{about}\n\n{table(header, lines)}")


if __name__ == "__main__":
    main()
