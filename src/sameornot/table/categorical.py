"""One-hot encoding of categorical columns, scaled to total variance 1.

    feature_l = [cell is level l] / s,   s² = sum of the variances of the unscaled features

Rare levels share the feature "other", and so do levels not seen in fitting. Without that feature, unseen
levels get zeros.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from sameornot.table.kinds import Kind
from sameornot.table.parsing import factorize


@dataclass(frozen=True)
class CategoricalCoder:
    """The levels that have a feature of their own, most frequent first.

    Field names are part of the model file's format.
    """

    kind: str
    levels: list[str]
    n_levels: int
    scale: float
    n_missing: int

    @classmethod
    def fit(cls, column: pd.Series, kind: Kind, limit: int) -> Self:
        """Keep the most frequent levels, at most `limit` features in all."""
        cells = factorize(column)
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
        """The value that replaces a missing cell: the most frequent level."""
        return self.levels[0]

    @property
    def suffixes(self) -> list[str]:
        """The suffix of the column's name for each feature."""
        return [f" = {level}" for level in self.levels] + [" = other"] * self._has_other

    @property
    def _has_other(self) -> bool:
        return self.n_levels > len(self.levels)

    def encode(self, column: pd.Series) -> np.ndarray:
        """The features of each cell (n × features)."""
        cells = factorize(column)
        position = {level: rank for rank, level in enumerate(self.levels)}
        other = len(self.levels)
        positions = np.array([position.get(text, other) for text in cells.texts] + [0])[cells.codes]
        features = np.eye(other + 1)[:, : other + self._has_other] * self.scale
        return features[positions]
