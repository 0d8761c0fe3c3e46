"""What makes a group differ: its typical values in a column, beside everybody else's."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sameornot.plots.report import ValueRanges, value_ranges
from sameornot.table import Column, display
from sameornot.table.kinds import Kind, find_kind
from sameornot.table.parsing import FactorizedColumn, factorize, numbers, timestamps

# Longest cell or name that is printed.
MAX_TEXT = 80


@dataclass(frozen=True)
class Shares:
    """How common a group's commonest value is inside the group and outside, from 0 to 1."""

    inside: float
    outside: float


@dataclass(frozen=True)
class Difference:
    """One column of one group: what is typical `here` and in the `others`, and a picture's data if any."""

    column: str
    weight: float
    here: str
    others: str
    spread: ValueRanges | None = None
    shares: Shares | None = None

    @property
    def size(self) -> float:
        """How far the group is from the others in this column, from 0 to 1; 0 where that has no meaning."""
        if self.shares is not None:
            return abs(self.shares.inside - self.shares.outside)
        return 0.0 if self.spread is None else abs(self.spread.inside[1] - self.spread.outside[1])


def compare(column: pd.Series, known: Column, weight: float, members: np.ndarray) -> Difference:
    """Members of a group against the others in one column; `known` says how it was read."""
    name = shorten(known.name)
    if known.kind in ("number", "date"):
        values = on_axis(column, known)
        here, others = middle(column, values, members), middle(column, values, ~members)
        return Difference(name, weight, here, others, spread=value_ranges(values, members))
    cells = factorize(column)
    here, others = commonest(column, cells, members), commonest(column, cells, ~members)
    shares = None if known.kind == "text" else share_commonest(cells, members)
    return Difference(name, weight, here, others, shares=shares)


def on_axis(column: pd.Series, known: Column) -> np.ndarray:
    """Numbers as they are, dates in seconds; NaN where a cell holds neither."""
    if known.kind == "number":
        return numbers(column)
    kind = find_kind(known.name, column)
    return timestamps(column, kind.date_format if isinstance(kind, Kind) else "")


def middle(column: pd.Series, values: np.ndarray, part: np.ndarray) -> str:
    """The cell in the middle of some rows, as text."""
    rows = np.flatnonzero(part & np.isfinite(values))
    if len(rows) == 0:
        return "no value"
    at = np.argpartition(values[rows], (len(rows) - 1) // 2)[(len(rows) - 1) // 2]
    cell = column.iat[rows[at]]
    return shorten(display(few_digits(cell) if isinstance(cell, float) else cell))


def few_digits(value: float) -> float:
    """Four digits that count, and all of those before the point."""
    decimals = 3 - math.floor(math.log10(abs(value))) if value else 0
    return round(float(value), max(0, decimals))  # numpy's own fails where 10 to that power is infinite


def commonest(column: pd.Series, cells: FactorizedColumn, part: np.ndarray) -> str:
    """The value that most of some rows have, and how many of them."""
    counts = count(cells, part)
    total, most = int(counts.sum()), int(counts.max(initial=0))
    if total == 0:
        return "no value"
    if most == 1 < total:
        return "all different"
    at = int(np.argmax(cells.codes == counts.argmax()))
    return f"{shorten(display(column.iat[at]))} ({most / total:.0%})"


def share_commonest(cells: FactorizedColumn, members: np.ndarray) -> Shares | None:
    """How common the members' commonest value is among them and among the others."""
    inside, outside = count(cells, members), count(cells, ~members)
    if inside.sum() == 0 or outside.sum() == 0:
        return None
    value = int(inside.argmax())
    return Shares(float(inside[value] / inside.sum()), float(outside[value] / outside.sum()))


def count(cells: FactorizedColumn, part: np.ndarray) -> np.ndarray:
    """How many of some rows have each distinct value."""
    return np.bincount(cells.codes[part & (cells.codes >= 0)], minlength=len(cells.texts))


def shorten(text: str, length: int = MAX_TEXT) -> str:
    """The beginning of a long text, on one line."""
    line = " ".join(text[: 2 * length].split())
    return line if len(line) <= length and len(text) <= 2 * length else line[: length - 1] + "…"
