"""Vectors: a column whose cells are embeddings of one length, as one block of features.

    features = (u − mean) · s,    u = v / |v|,    s² = T / Σ_j var(u_j)

A block is one column: it has one weight, the sum of its features' weights, on the page and in the report.
One scale `s` for the whole block keeps the geometry of the embedding, which a scale for each feature would
bend. The total variance of the block is T = d^¼, that of four columns for 256 numbers: with less, a few
columns that say nothing hide the vectors, and with more, useless vectors hide the columns. Vectors of
`_DIRECTIONS` numbers or more count by direction alone, as embeddings are compared by cosine; shorter ones,
such as coordinates, keep their length. Vectors of more than `_LONG` numbers are reduced to 50 leading axes,
which keep what a table needs at a fraction of the time. Figures are in `benchmarks/results/vectors.md`.

`VectorBlock` is for anything that makes a vector of a cell: a coder of texts or pictures embeds its cells,
fits a block on the result, and keeps `mean`, `scale` and `n_missing` in its state, as `VectorCoder` does.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from sameornot.table.errors import TableError
from sameornot.table.kinds import Kind
from sameornot.table.vector_cells import VectorError, read_vectors

AXES = 50
_LONG = 64  # numbers: shorter vectors are not reduced
_SAMPLE = 10_000
_DIRECTIONS = 16
_PIECE = 64
_ROWS = 2_048


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


def leading_axes(features: np.ndarray, n_axes: int) -> np.ndarray:
    """Leading eigenvectors of the covariance (d × axes); the largest entry of each is positive."""
    centred = features - features.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / len(centred))
    order = np.argsort(-values)[:n_axes]
    order = order[values[order] > 1e-9 * max(values[order[0]], 0.0)]
    axes = vectors[:, order if len(order) else [0]]
    largest = np.abs(axes).argmax(axis=0)
    return axes * np.sign(axes[largest, np.arange(axes.shape[1])])


def project(rows: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Rows (n × d) along axes (d × k), whose last digits do not depend on the other rows.

    BLAS adds in an order that depends on the shape, so all products are of pieces of one shape.
    """
    n_pieces = -(-len(rows) // _PIECE)
    padded = np.zeros((n_pieces * _PIECE, rows.shape[1]))
    padded[: len(rows)] = rows
    found = padded.reshape(n_pieces, _PIECE, rows.shape[1]) @ axes
    return np.asarray(found.reshape(-1, axes.shape[1])[: len(rows)])


@dataclass(frozen=True)
class VectorCoder:
    """A block of features from a column of vectors; long ones are reduced to their `AXES` leading axes.

    Field names are part of the model file's format. `axes` is None for shorter vectors.
    """

    kind: str
    mean: list[float]
    scale: float
    n_missing: int
    axes: list[list[float]] | None = None

    @classmethod
    def fit(cls, column: pd.Series, kind: Kind, limit: int) -> Self:
        """Learn the block, and the axes from at most `_SAMPLE` evenly spaced rows."""
        vectors = read_vectors(column, kind.length)
        n_missing = int(np.isnan(vectors[:, 0]).sum())
        block = VectorBlock.fit(vectors)
        if kind.length <= _LONG:
            return cls(kind.name, block.mean.tolist(), block.scale, n_missing)
        features = block.encode(vectors[:: -(-len(vectors) // _SAMPLE)])
        axes = leading_axes(features, AXES)
        total = float((features @ axes).var(axis=0).sum())
        scale = block.scale * np.sqrt(total_variance(axes.shape[1]) / total) if total > 0 else block.scale
        return cls(kind.name, block.mean.tolist(), float(scale), n_missing, axes.tolist())

    @property
    def fill(self) -> str:
        """The value that replaces a missing cell."""
        return "the average vector"

    @property
    def suffixes(self) -> list[str]:
        """The suffix of the column's name for each feature."""
        if self.axes is not None:
            return [f": axis {number}" for number in range(1, len(self.axes[0]) + 1)]
        return [f": {number}" for number in range(1, len(self.mean) + 1)]

    def encode(self, column: pd.Series) -> np.ndarray:
        """The features of each cell (n × features)."""
        parts = [self._encode(column, start) for start in range(0, len(column), _ROWS)]
        return np.concatenate(parts) if parts else np.empty((0, len(self.suffixes)))

    def _encode(self, column: pd.Series, start: int) -> np.ndarray:
        """Some rows, so few that all steps stay in the cache of a processor."""
        try:
            vectors = read_vectors(column.iloc[start : start + _ROWS], len(self.mean))
        except VectorError as error:
            raise VectorError(error.column, start + error.row, error.what) from None
        features = VectorBlock(np.array(self.mean), self.scale).encode(vectors)
        return features if self.axes is None else project(features, np.array(self.axes))
