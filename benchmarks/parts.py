"""What each part of the default contributes: the area under the curve without that part, seed by seed.

    python benchmarks/parts.py --seeds 2 --data FOLDER   (resumes from its CSV file)
    python benchmarks/parts.py --seeds 10 --data FOLDER --parts trees --tables table1 cancer

The base learners, one by one, are measured by `./run reproduce questions --methods all`. This program
measures the other parts. Most are switched off by a parameter; three need a subclass, and the trees a
function that takes their place. The area is that of `docs/questions.md`, on its eleven tables; that of the
whole method comes from `rows/`. The trees are not left out but replaced by scikit-learn's forest of 50:
that is what their speed costs.
"""

import argparse
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from machine import RESULTS, one_core, report, table
from reproduction.methods import Method
from reproduction.questions import DEFAULT, SETTINGS, Conditions, curve_under, rows_name
from reproduction.questions_report import areas
from reproduction.rows import RowFile
from sameornot import Clusterer, Constraints, EnsembleClustering, EnsembleConfig, UncertaintySampling, View
from sameornot.ensemble import learners
from sameornot.ensemble.config import TreesConfig
from sameornot.query.gain import representativeness, sweep_cost

ROWS, BENCH = RESULTS / "parts.csv", RESULTS.parent / "rows"
CERTAIN = 1e12  # pseudo-tests of a prior that no test can change


class ProvenGroups(EnsembleClustering):
    """Groups are known to differ only where answers say so."""

    def neighbourhoods(self, answers: Constraints, n_clusters: int | None) -> list[np.ndarray]:
        return Clusterer.neighbourhoods(self, answers, n_clusters)


@dataclass(frozen=True)
class AnyRow(UncertaintySampling):
    """A random row is asked about."""

    def worth(self, view: View, candidates: np.ndarray) -> np.ndarray:
        return np.zeros(len(candidates))


@dataclass(frozen=True)
class EvenOdds(UncertaintySampling):
    """The row is asked about whose likeliest group is nearest to even odds, whatever it says of others."""

    def worth(self, view: View, candidates: np.ndarray) -> np.ndarray:
        return -np.abs(view.clustering.posterior.proba[candidates].max(axis=1) - 0.5)


@dataclass(frozen=True)
class RowAlone(UncertaintySampling):
    """A row is worth its own label only, per question."""

    def worth(self, view: View, candidates: np.ndarray) -> np.ndarray:
        proba = view.clustering.posterior.proba[candidates]
        n_known = len(view.neighbourhoods)
        last_follows = n_known == view.n_clusters
        cost = sweep_cost(proba, n_known, self.new_threshold, last_follows=last_follows)
        return (1.0 - proba.max(axis=1)) / cost


@dataclass(frozen=True)
class CostFree(UncertaintySampling):
    """Rows that take many questions are worth as much as those that take one."""

    def worth(self, view: View, candidates: np.ndarray) -> np.ndarray:
        wrong = 1.0 - view.clustering.posterior.proba.max(axis=1)
        wrong[view.placed] = 0.0
        kernel = view.clustering.geometry.kernel
        return representativeness(kernel, np.flatnonzero(view.placed), wrong)[candidates]


def forest(
    rows: np.ndarray, groups: Sequence[np.ndarray], _: TreesConfig, rng: np.random.Generator
) -> np.ndarray:
    """scikit-learn's forest in place of `extra_trees`; as there, training rows get equal probabilities."""
    placed, equal = np.concatenate(list(groups)), np.full((len(rows), len(groups)), 1.0 / len(groups))
    if len(placed) < 2 * len(groups):
        return equal
    group = np.repeat(np.arange(len(groups)), [len(members) for members in groups])
    fitted = RandomForestClassifier(50, random_state=int(rng.integers(2**31))).fit(rows[placed], group)
    proba = fitted.predict_proba(rows)
    proba[placed] = equal[placed]
    return np.asarray(proba)


def configured(config: EnsembleConfig) -> Method:
    """The default with other constants."""
    return Method(clusterer=EnsembleClustering(config=config))


WHOLE = EnsembleConfig()
TREES = "our own trees"
PARTS: dict[str, Method] = {
    "provisional groups": Method(UncertaintySampling(new_threshold=1.0), ProvenGroups()),
    "stacking and temperature scaling": configured(
        replace(WHOLE, stacking=replace(WHOLE.stacking, prior_tests=CERTAIN))
    ),
    "soft clipping": configured(replace(WHOLE, clip=replace(WHOLE.clip, long_tail=np.inf))),
    "choice of the kernel": configured(replace(WHOLE, graph=replace(WHOLE.graph, n_rows_to_choose=0))),
    "any score (a random row)": Method(AnyRow()),
    "the score (the row nearest to even odds)": Method(EvenOdds()),
    "similar rows in the score": Method(RowAlone()),
    "cost in the score": Method(CostFree()),
    "novelty": configured(replace(WHOLE, stacking=replace(WHOLE.stacking, novelties=(1.0,)))),
    TREES: Method(),
}


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
    """One curve, unless its row exists."""
    done = pd.read_csv(ROWS) if ROWS.exists() else pd.DataFrame(columns=["part", "table", "seed"])
    if ((done.part == part) & (done.table == name) & (done.seed == seed)).any():
        return
    with one_core(), exchanged(part):
        rows = pd.DataFrame(curve_under(SETTINGS[name], Conditions(PARTS[part]), seed, folder))
    area = np.trapezoid(rows.ari, rows.checkpoint) / rows.checkpoint.max()
    line = {"part": part, "table": name, "seed": seed, "area": area}
    pd.DataFrame([line]).to_csv(ROWS, mode="a", header=not ROWS.exists(), index=False)
    print(line, flush=True)


def exchanged(part: str) -> AbstractContextManager[object]:
    """The exchange of the trees, if that is the part."""
    return patch.object(learners, "extra_trees", forest) if part == TREES else nullcontext()


def write_page() -> None:
    """The change of the area without each part."""
    default = {name: areas(RowFile(BENCH / f"{rows_name(name)}.csv").read(), DEFAULT) for name in SETTINGS}
    whole = pd.concat(default, names=["table", "seed"])
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
        "Change of the area under the curve of `docs/questions.md` without one part of the default, paired "
        "by seed. Our own trees "
        "are replaced by scikit-learn's forest of 50."
    )
    report("parts", "What each part of the default contributes", f"{about}\n\n{table(header, lines)}")


if __name__ == "__main__":
    main()
