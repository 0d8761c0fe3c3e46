"""Standardised encoding of numbers, dates and booleans: one feature per column.

    feature = (x − origin) / sd,   origin = 0 for numbers and booleans, the earliest date for dates

Numbers are not centred, so a purely numeric table becomes its columns divided by their standard deviations.
Dates are encoded linearly: that December is near January is not expressed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from sameornot.table import parsing
from sameornot.table.formatting import display
from sameornot.table.kinds import Kind

# Far beyond anything seen in fitting, while its square is still finite.
_LARGEST = 1e100


@dataclass(frozen=True)
class NumericCoder:
    """One feature; `unit` is 1 unless the numbers are too large or too small to be squared.

    Field names are part of the model file's format: `spread` is the standard deviation in that unit, `middle`
    the median (of booleans, the more frequent value) and replaces missing cells.
    """

    kind: str
    date_format: str
    origin: float
    unit: float
    spread: float
    middle: float
    n_missing: int

    @classmethod
    def fit(cls, column: pd.Series, kind: Kind, limit: int) -> Self:
        """Learn origin, standard deviation and fill value from a column with at least two values."""
        values = _PARSERS[kind.name](column, kind.date_format)
        missing = np.isnan(values)
        middle = _fill_value(values[~missing], kind.name)
        filled = np.where(missing, middle, values)
        origin = float(np.nanmin(values)) if kind.name == "date" else 0.0
        unit, deviation = _unit_and_deviation(filled - origin)
        return cls(kind.name, kind.date_format, origin, unit, deviation, middle, int(missing.sum()))

    def __post_init__(self) -> None:
        numbers = (self.origin, self.unit, self.spread, self.middle)
        if not all(np.isfinite(float(number)) for number in numbers) or self.unit <= 0 or self.spread <= 0:
            raise ValueError(f"finite numbers, and a unit and a spread above 0, are needed: {self}")

    @property
    def fill(self) -> str:
        """The value that replaces a missing cell, as text."""
        if self.kind == "date":
            return display(pd.Timestamp(round(self.middle), unit="s"))
        return display(bool(self.middle)) if self.kind == "yes/no" else display(self.middle)

    @property
    def suffixes(self) -> list[str]:
        """The suffix of the column's name for each feature."""
        return [""]

    def encode(self, column: pd.Series) -> np.ndarray:
        """The feature of each cell (n × 1)."""
        values = _PARSERS[self.kind](column, self.date_format)
        filled = np.where(np.isnan(values), self.middle, values) - self.origin
        with np.errstate(over="ignore"):
            return np.clip(filled / self.unit / self.spread, -_LARGEST, _LARGEST)[:, None]


_PARSERS: dict[str, Callable[[pd.Series, str], np.ndarray]] = {
    "number": lambda column, _: parsing.numbers(column),
    "yes/no": lambda column, _: parsing.booleans(column),
    "date": parsing.timestamps,
}


def _fill_value(known: np.ndarray, kind: str) -> float:
    if kind == "yes/no":
        return float(known.mean() > 0.5)
    low, high = np.quantile(known, 0.5, method="lower"), np.quantile(known, 0.5, method="higher")
    return float(low / 2 + high / 2)


def _unit_and_deviation(values: np.ndarray) -> tuple[float, float]:
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        deviation = float(values.std())
    if np.isfinite(deviation) and deviation > 1e-100:
        return 1.0, deviation
    unit = float(np.abs(values).max())
    return unit, float((values / unit).std()) or 1.0
