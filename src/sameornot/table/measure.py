"""Columns that are one number a cell: numbers, dates, yes and no.

    feature = (x - origin) / sd,   origin = 0 for numbers and yes/no, the first moment for dates

Numbers are not centred, so that a table of numbers alone is its columns divided by their standard deviations.
A date is its distance in time; that January is near December is not expressed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from sameornot.table import cells
from sameornot.table.cell import display
from sameornot.table.kinds import Kind

# Far beyond anything that was seen in fitting, and its square still is a number.
_LARGEST = 1e100


@dataclass(frozen=True)
class Measure:
    """One feature. `unit` is 1 unless the numbers are too large or too small to be squared."""

    kind: str
    date_format: str
    origin: float
    unit: float
    spread: float
    middle: float
    n_missing: int

    @classmethod
    def fit(cls, column: pd.Series, kind: Kind, limit: int) -> Self:
        """Learn origin, standard deviation and fill from a column with two values at least."""
        values = _READ[kind.name](column, kind.date_format)
        missing = np.isnan(values)
        middle = _middle(values[~missing], kind.name)
        filled = np.where(missing, middle, values)
        origin = float(np.nanmin(values)) if kind.name == "date" else 0.0
        unit, spread = _unit_and_spread(filled - origin)
        return cls(kind.name, kind.date_format, origin, unit, spread, middle, int(missing.sum()))

    @property
    def fill(self) -> str:
        """What stands in for a missing cell."""
        if self.kind == "date":
            return display(pd.Timestamp(round(self.middle), unit="s"))
        return display(bool(self.middle)) if self.kind == "yes/no" else display(self.middle)

    @property
    def endings(self) -> list[str]:
        """What is put after the column's name to name each feature."""
        return [""]

    def encode(self, column: pd.Series) -> np.ndarray:
        """The feature of each cell."""
        values = _READ[self.kind](column, self.date_format)
        filled = np.where(np.isnan(values), self.middle, values) - self.origin
        with np.errstate(over="ignore"):
            return np.clip(filled / self.unit / self.spread, -_LARGEST, _LARGEST)[:, None]


_READ: dict[str, Callable[[pd.Series, str], np.ndarray]] = {
    "number": lambda column, _: cells.numbers(column),
    "yes/no": lambda column, _: cells.truths(column),
    "date": cells.moments,
}


def _middle(known: np.ndarray, kind: str) -> float:
    if kind == "yes/no":
        return float(known.mean() > 0.5)
    low, high = np.quantile(known, 0.5, method="lower"), np.quantile(known, 0.5, method="higher")
    return float(low / 2 + high / 2)


def _unit_and_spread(values: np.ndarray) -> tuple[float, float]:
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        spread = float(values.std())
    if np.isfinite(spread) and spread > 1e-100:
        return 1.0, spread
    unit = float(np.abs(values).max())
    return unit, float((values / unit).std()) or 1.0
