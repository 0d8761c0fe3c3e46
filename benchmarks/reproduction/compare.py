"""Our results compared with the paper's, and methods compared with each other on the same seeds."""

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
    difference = (by_seed[first] - by_seed[second]).dropna()
    n_seeds = len(difference)
    if n_seeds < 2 or not difference.any():
        p_t = p_wilcoxon = 1.0
    else:
        p_t = float(stats.ttest_1samp(difference, 0.0).pvalue) if difference.std() > 0 else 0.0
        p_wilcoxon = float(stats.wilcoxon(difference).pvalue)
    error = float(difference.std(ddof=1) / np.sqrt(n_seeds)) if n_seeds > 1 else 0.0
    ahead = float((difference > 0).mean())
    return PairedTest(first, second, n_seeds, float(difference.mean()), error, p_t, p_wilcoxon, ahead)
