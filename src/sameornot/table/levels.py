"""Columns of few levels: one feature a level.

    feature_l = [cell is level l] / s,   s² = the sum of the features' variances before

The rarer levels share the feature "other"; so do levels that fitting has not seen. Where there is no such
feature they are none of the known ones.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from sameornot.table.cells import read_cells
from sameornot.table.kinds import Kind


@dataclass(frozen=True)
class Levels:
    """The levels that have a feature, most frequent first."""

    kind: str
    levels: list[str]
    n_levels: int
    scale: float
    n_missing: int

    @classmethod
    def fit(cls, column: pd.Series, kind: Kind, limit: int) -> Self:
        """Keep the most frequent levels, with at most `limit` features in all."""
        cells = read_cells(column)
        order = sorted(range(len(cells.texts)), key=lambda level: (-cells.counts[level], cells.texts[level]))
        n_kept = len(order) if len(order) <= limit else max(1, limit - 1)
        kept = [cells.texts[level] for level in order[:n_kept]]
        n_missing = int((cells.codes < 0).sum())
        counts = cells.counts[order]
        counts[0] += n_missing
        groups = [*counts[:n_kept], counts[n_kept:].sum()]
        shares = np.array(groups) / len(cells.codes)
        return cls(kind.name, kept, len(order), float(1 / np.sqrt((shares * (1 - shares)).sum())), n_missing)

    @property
    def fill(self) -> str:
        """What stands in for a missing cell: the most frequent level."""
        return self.levels[0]

    @property
    def endings(self) -> list[str]:
        """What is put after the column's name to name each feature."""
        return [f" = {level}" for level in self.levels] + [" = other"] * self._has_other

    @property
    def _has_other(self) -> bool:
        return self.n_levels > len(self.levels)

    def encode(self, column: pd.Series) -> np.ndarray:
        """The features of each cell."""
        cells = read_cells(column)
        place = {level: rank for rank, level in enumerate(self.levels)}
        elsewhere = len(self.levels)
        places = np.array([place.get(text, elsewhere) for text in cells.texts] + [0])[cells.codes]
        features = np.eye(elsewhere + 1)[:, : elsewhere + self._has_other] * self.scale
        return features[places]
