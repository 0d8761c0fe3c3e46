"""A column of texts or pictures by the leading principal components of their embeddings.

    features = (u − mean) V s,    u = v / |v|,    V = leading eigenvectors of the covariance of u

Embeddings have hundreds of dimensions, of which a table needs few: 50 axes keep the agreement of all 256 or
384 at a tenth of the time (`benchmarks/results/texts.md`). The variances sum to that of
a block of vectors (`vectors.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import pandas as pd

from sameornot.embedding import EmbeddingModels
from sameornot.table.errors import TableError
from sameornot.table.kinds import Kind
from sameornot.table.parsing import factorize
from sameornot.table.vectors import AXES, VectorBlock, leading_axes, project, total_variance, unit_length

_SAMPLE = 10_000  # cells that mean and axes are learned from
_DIGITS = 9  # of the learned numbers: more would only lengthen the model file


class NothingEmbeddedError(TableError):
    """No cell of the column has an embedding, or all have the same."""


@dataclass(frozen=True)
class EmbeddedCoder:
    """Mean and axes of the embeddings by one model; a missing cell is put at the mean.

    Field names, except `models`, are part of the model file's format.
    """

    kind: str
    model: str
    mean: list[float]
    axes: list[list[float]]
    n_missing: int
    models: EmbeddingModels = field(repr=False, compare=False, metadata={"saved": False})

    @classmethod
    def fit(cls, column: pd.Series, kind: Kind, models: EmbeddingModels, limit: int = AXES) -> Self:
        """Learn at most `limit` axes from at most `_SAMPLE` evenly spaced rows."""
        embedder = models.for_pictures() if kind.name == "image" else models.for_texts()
        assert embedder is not None
        what = "picture" if kind.name == "image" else "text"
        some = column.iloc[:: -(-len(column) // _SAMPLE)]
        vectors = embed_cells(some, kind.name, embedder.name, models)
        known = np.isfinite(vectors).all(axis=1)
        if vectors.shape[1] == 0 or not known.any():
            raise NothingEmbeddedError(f"no {what} of it could be read")
        block = VectorBlock.fit(vectors)
        features = block.encode(vectors)
        axes = leading_axes(features, min(limit, AXES))
        total = float((features @ axes).var(axis=0).sum())
        if total == 0:
            raise NothingEmbeddedError(f"always the same {what}")
        axes *= block.scale * np.sqrt(total_variance(axes.shape[1]) / total)
        n_missing = round((1 - known.mean()) * len(column))
        return cls(
            kind.name, embedder.name, _rounded(block.mean), [_rounded(row) for row in axes], n_missing, models
        )

    @property
    def fill(self) -> str:
        """The value that replaces a missing cell."""
        return "the average picture" if self.kind == "image" else "the average text"

    @property
    def suffixes(self) -> list[str]:
        """The suffix of the column's name for each feature."""
        return [f": axis {number}" for number in range(1, len(self.axes[0]) + 1)]

    def encode(self, column: pd.Series) -> np.ndarray:
        """The features of each cell (n × axes)."""
        vectors = embed_cells(column, self.kind, self.model, self.models)
        axes, mean = np.array(self.axes), np.array(self.mean)
        known = np.isfinite(vectors).all(axis=1)
        features = np.zeros((len(column), axes.shape[1]))
        if vectors.shape[1] == len(mean):
            features[known] = project(unit_length(vectors[known]) - mean, axes)
        elif known.any() and vectors.shape[1] > 0:
            raise TableError(
                f"{self.model} makes vectors of {vectors.shape[1]} numbers now and made {len(mean)} when the "
                "table was learned: start a new session"
            )
        return features


def embed_cells(column: pd.Series, kind: str, model: str, models: EmbeddingModels) -> np.ndarray:
    """The vector of each cell; that of a cell with several pictures is the mean of their directions."""
    cells = factorize(column)
    if kind == "text":
        vectors = models.vectors(models.named("texts", model), cells.texts)
    else:
        vectors = _embed_pictures(cells.texts, model, models)
    empty = np.full((1, vectors.shape[1]), np.nan)
    return np.concatenate([vectors, empty])[cells.codes]


def _embed_pictures(cells: Sequence[str], model: str, models: EmbeddingModels) -> np.ndarray:
    if models.folder is None and not model.startswith("function "):
        raise NothingEmbeddedError("its pictures are not found without the folder of the table")
    names = [models.pictures.names(cell) for cell in cells]
    distinct = list(dict.fromkeys(name for several in names for name in several))
    found = unit_length(models.vectors(models.named("pictures", model), distinct))
    position = {name: at for at, name in enumerate(distinct)}
    vectors = np.full((len(cells), found.shape[1]), np.nan)
    for row, several in enumerate(names):
        own = found[[position[name] for name in several]]
        own = own[np.isfinite(own).all(axis=1)]
        if len(own) and own.shape[1]:
            vectors[row] = own.mean(axis=0)
    return vectors


def _rounded(values: np.ndarray) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values.tolist()]
