"""Our results compared with the paper's, and methods compared with each other on the same seeds."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from reproduction.paper import N_REPLICATIONS, Cell


class Gap(NamedTuple):
    """The difference between our mean and the paper's."""

    ours: Cell
    paper: Cell
    n_seeds: int

    @property
    def in_deviations(self) -> float:
        """In the paper's standard deviations."""
        return (self.ours.mean - self.paper.mean) / self.paper.deviation

    @property
    def in_errors(self) -> float:
        """In standard errors of the difference of two means of independent replications."""
        error = np.sqrt(self.paper.deviation**2 / N_REPLICATIONS + self.ours.deviation**2 / self.n_seeds)
        return float((self.ours.mean - self.paper.mean) / error)


def summarise(values: pd.Series) -> Cell:
    """Mean and standard deviation; a single value has none."""
    return Cell(float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0)


def gap(values: pd.Series, paper: Cell) -> Gap:
    """Our replications and the paper's cell."""
    return Gap(summarise(values), paper, len(values))


def gaps_of(rows: pd.DataFrame, method: str, cells: Mapping[int, Cell]) -> dict[int, Gap]:
    """Our replications and the paper's cells of a method, where both exist."""
    if not len(rows):
        return {}
    mine = rows[rows.method == method].groupby("checkpoint").ari
    return {at: gap(mine.get_group(at), cell) for at, cell in cells.items() if at in mine.groups}


class PairedTest(NamedTuple):
    """Differences first − second, seed by seed."""

    first: str
    second: str
    n_seeds: int
    mean: float
    error: float
    p_t: float
    p_wilcoxon: float
    share_ahead: float


def paired_test(rows: pd.DataFrame, first: str, second: str, checkpoint: int | None = None) -> PairedTest:
    """Compare two methods on the seeds that both have, at a checkpoint or by the mean over all of them."""
    chosen = rows if checkpoint is None else rows[rows.checkpoint == checkpoint]
    by_seed = chosen.groupby(["method", "seed"]).ari.mean()
    if not {first, second} <= set(by_seed.index.get_level_values("method")):
        raise ValueError(f"no rows of {first!r} and {second!r} to compare")
    return difference_test((by_seed[first] - by_seed[second]).dropna(), first, second)


def factor_test(rows: pd.DataFrame, first: Mapping[str, str], name: str, base: str) -> PairedTest | None:
    """What one factor changes: the mean difference over pairs of methods that differ in nothing else.

    `first` maps each method to the one that it is compared with; `name` and `base` are the two levels. Of
    seeds that have all these methods, None if there are none.
    """
    wanted = [*first, *first.values()]
    by_seed = rows.groupby(["seed", "method"]).ari.mean().unstack()
    if not set(wanted) <= set(by_seed):
        return None
    complete = by_seed[wanted].dropna()
    if complete.empty:
        return None
    differences = [complete[method] - complete[other] for method, other in first.items()]
    return difference_test(sum(differences[1:], differences[0]) / len(differences), name, base)


def difference_test(difference: pd.Series, first: str, second: str) -> PairedTest:
    """Whether differences of seeds are 0 on average."""
    difference = difference.round(12)  # rows have six digits: what is left below is rounding
    n_seeds = len(difference)
    if n_seeds < 2 or not difference.any():
        p_t = p_wilcoxon = 1.0
    else:
        p_t = float(stats.ttest_1samp(difference, 0.0).pvalue) if difference.nunique() > 1 else 0.0
        p_wilcoxon = float(stats.wilcoxon(difference).pvalue)
    error = float(difference.std(ddof=1) / np.sqrt(n_seeds)) if n_seeds > 1 else 0.0
    ahead = float((difference > 0).mean())
    return PairedTest(first, second, n_seeds, float(difference.mean()), error, p_t, p_wilcoxon, ahead)
