"""How far apart two cells are, for a column of vectors and for a column of numbers that is only shown."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sameornot.table.parsing import numbers, parse_numbers


@dataclass(frozen=True)
class VectorDistances:
    """The distances between some rows in one block of features, rising."""

    features: np.ndarray
    distances: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray, features: np.ndarray) -> "VectorDistances":
        """The distances of each row to the one after it."""
        block = rows[:, features]
        return cls(features, np.sort(np.linalg.norm(block - np.roll(block, 1, axis=0), axis=1)))

    def share_nearer(self, pair: np.ndarray) -> float:
        """How many of the other pairs are nearer than this one, from 0 to 1."""
        distance = float(np.linalg.norm(pair[0, self.features] - pair[1, self.features]))
        return float(np.searchsorted(self.distances, distance) / len(self.distances))


@dataclass(frozen=True)
class Scale:
    """How far apart nearly all numbers of a column lie."""

    span: float

    @classmethod
    def of(cls, column: pd.Series) -> "Scale":
        """The scale of a column."""
        values = numbers(column)
        low, high = np.quantile(values[np.isfinite(values)], [0.05, 0.95])
        return cls(float(high - low))

    def gap(self, one: str, other: str) -> float | None:
        """How far apart two cells are, against nearly all of the column; None if one is no number."""
        left, right = parse_numbers([one, other])
        if not np.isfinite(left - right):
            return None
        return float(min(1.0, abs(left - right) / self.span)) if self.span > 0 else float(left != right)
