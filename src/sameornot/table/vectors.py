"""Vectors: a column whose cells are embeddings of one length, as one block of features.

    features = (u − mean) · s,    u = v / |v|,    s² = T / Σ_j var(u_j)

A block is one column: it has one weight, the sum of its features' weights, on the page and in the report.
One scale `s` for the whole block keeps the geometry of the embedding, which a scale for each feature would
bend. The total variance of the block is T = d^¼, that of four columns for 256 numbers: with less, a few
columns that say nothing hide the vectors, and with more, useless vectors hide the columns. Vectors of
`_DIRECTIONS` numbers or more count by direction alone, as embeddings are compared by cosine; shorter ones,
such as coordinates, keep their length. Figures are in `benchmarks/results/vectors.md`.

`VectorBlock` is for anything that makes a vector of a cell: a coder of texts or pictures embeds its cells,
fits a block on the result, and keeps `mean`, `scale` and `n_missing` in its state, as `VectorCoder` does.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from sameornot.table.errors import TableError
from sameornot.table.kinds import Kind
from sameornot.table.vector_cells import read_vectors

_DIRECTIONS = 16


@dataclass(frozen=True)
class VectorBlock:
    """How vectors become a block of features: what is subtracted, and what they are multiplied by.

    Examples
    --------
    >>> block = VectorBlock.fit(np.array([[0.0, 3.0], [2.0, 3.0], [np.nan, np.nan]]))
    >>> block.encode(np.array([[2.0, 3.0], [np.nan, np.nan]]))
    array([[1.33559375, 0.        ],
           [0.        , 0.        ]])
    """

    mean: np.ndarray
    scale: float

    @classmethod
    def fit(cls, vectors: np.ndarray) -> Self:
        """Learn mean and scale from vectors (n × d); a row of NaN is a missing cell."""
        known = unit_length(vectors[np.isfinite(vectors).all(axis=1)])
        if len(known) == 0:
            raise TableError("no cell holds a vector: at least two that differ are needed")
        # Missing cells are put at the mean, so they reduce the variance of the column.
        total = float(known.var(axis=0).sum()) * len(known) / len(vectors)
        target = total_variance(vectors.shape[1])
        return cls(known.mean(axis=0), float(np.sqrt(target / total)) if total > 0 else 1.0)

    def encode(self, vectors: np.ndarray) -> np.ndarray:
        """The features of each vector (n × d); a missing one is put at the mean."""
        features = (unit_length(vectors) - self.mean) * self.scale
        return np.where(np.isfinite(vectors).all(axis=1, keepdims=True), features, 0.0)


def unit_length(vectors: np.ndarray) -> np.ndarray:
    """Vectors (n × d) divided by their length, if they are long enough to be embeddings; a zero stays."""
    if vectors.shape[1] < _DIRECTIONS:
        return vectors
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return vectors / np.where(length > 0, length, 1.0)


def total_variance(n_features: int) -> float:
    """The sum of the variances of a block (T)."""
    return float(n_features**0.25)


@dataclass(frozen=True)
class VectorCoder:
    """A block of features from a column of vectors.

    Field names are part of the model file's format.
    """

    kind: str
    mean: list[float]
    scale: float
    n_missing: int

    @classmethod
    def fit(cls, column: pd.Series, kind: Kind, limit: int) -> Self:
        """Learn the block; the number of features is that of the vectors, whatever the limit."""
        vectors = read_vectors(column, kind.length)
        block = VectorBlock.fit(vectors)
        return cls(kind.name, block.mean.tolist(), block.scale, int(np.isnan(vectors[:, 0]).sum()))

    @property
    def fill(self) -> str:
        """The value that replaces a missing cell."""
        return "the average vector"

    @property
    def suffixes(self) -> list[str]:
        """The suffix of the column's name for each feature."""
        return [f": {number}" for number in range(1, len(self.mean) + 1)]

    def encode(self, column: pd.Series) -> np.ndarray:
        """The features of each cell (n × d)."""
        return VectorBlock(np.array(self.mean), self.scale).encode(read_vectors(column, len(self.mean)))
