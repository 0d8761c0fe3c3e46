"""Free text as the leading principal components of tf-idf weights of words and character n-grams.

    u = (t − mean) V,    t = tf-idf weights of a text, V = leading eigenvectors of their covariance
    features = block of the directions u / |u|, as `vectors.py` makes it

This is latent semantic analysis (Deerwester et al., 1990) with centring. Nothing is random. Axes and scale
are learned from at most `_SAMPLE` evenly spaced rows. The number of axes and of terms is measured in
`benchmarks/results/texts.md`.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, svds
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from sameornot.table.kinds import Kind
from sameornot.table.parsing import factorize
from sameornot.table.vectors import VectorBlock

MAX_AXES, MIN_AXES = 100, 10
_TERMS, _MIN_TERMS = 20, 400  # per analyser: so many for each axis, and at least
_DENSE = 1_000  # up to so many terms the whole spectrum is computed
_DIGITS = 6  # of the axes: more would only lengthen the model file
_SAMPLE = 10_000
_MAX_CHARACTERS = 2_000  # of a cell; the rest is ignored
_BLOCK = 10_000
_ANALYSERS: list[dict[str, Any]] = [{"analyzer": "word"}, {"analyzer": "char_wb", "ngram_range": (3, 4)}]


@dataclass(frozen=True)
class TextCoder:
    """Vocabulary, inverse document frequencies (`rarity`), axes and block; a missing cell is the mean text.

    Field names are part of the model file's format; earlier versions wrote no block.
    """

    kind: str
    terms: list[list[str]]
    rarity: list[float]
    axes: list[list[float]]
    mean: list[float]
    n_missing: int
    block_mean: list[float] | None = None
    block_scale: float = 1.0

    @classmethod
    def fit(cls, column: pd.Series, kind: Kind, limit: int) -> Self:
        """Learn vocabulary and at most `limit` axes."""
        cells = factorize(column)
        known = cells.codes[cells.codes >= 0]
        texts = [cells.texts[code] for code in known[:: -(-len(known) // _SAMPLE)]]
        n_axes = min(limit, MAX_AXES)
        terms = [
            _frequent_terms(texts, analyser, max(_MIN_TERMS, _TERMS * n_axes)) for analyser in _ANALYSERS
        ]
        counts = _count(texts, terms)
        rarity = np.log((1 + len(texts)) / (1 + np.asarray((counts > 0).sum(axis=0)).ravel())) + 1
        weights = normalize(counts @ sparse.diags_array(rarity))
        axes = _rounded(_leading_axes(weights, n_axes))
        mean = (weights @ axes).mean(axis=0)
        block = VectorBlock.fit(_with_missing(weights @ axes - mean, 1 - len(known) / len(cells.codes)))
        return cls(
            kind.name,
            terms,
            rarity.tolist(),
            axes.tolist(),
            mean.tolist(),
            len(column) - len(known),
            block.mean.tolist(),
            block.scale,
        )

    @property
    def fill(self) -> str:
        """The value that replaces a missing cell."""
        return "the average text"

    @property
    def suffixes(self) -> list[str]:
        """The suffix of the column's name for each feature."""
        return [f": axis {number}" for number in range(1, len(self.mean) + 1)]

    def encode(self, column: pd.Series) -> np.ndarray:
        """The features of each cell (n × axes)."""
        cells = factorize(column)
        rarity, axes = sparse.diags_array(np.array(self.rarity)), np.array(self.axes)
        features = np.zeros((len(cells.texts) + 1, len(self.mean)))
        for start in range(0, len(cells.texts), _BLOCK):
            weights = normalize(_count(cells.texts[start : start + _BLOCK], self.terms) @ rarity)
            features[start : start + weights.shape[0]] = self._scaled(weights @ axes - self.mean)
        return features[cells.codes]

    def _scaled(self, features: np.ndarray) -> np.ndarray:
        if self.block_mean is None:
            return features
        return VectorBlock(np.array(self.block_mean), self.block_scale).encode(features)


def _with_missing(features: np.ndarray, share: float) -> np.ndarray:
    """Features with as many rows of NaN below as make up this share of all."""
    n_missing = round(len(features) * share / (1 - share))
    return np.vstack([features, np.full((n_missing, features.shape[1]), np.nan)])


def _rounded(axes: np.ndarray) -> np.ndarray:
    return np.array([[float(f"{value:.{_DIGITS}g}") for value in row] for row in axes.tolist()])


def _frequent_terms(texts: list[str], analyser: dict[str, Any], n_terms: int) -> list[str]:
    """The terms with the highest document frequency, sorted; those of a single text are dropped."""
    analyse = CountVectorizer(**analyser).build_analyzer()
    frequency = Counter(term for text in texts for term in set(analyse(text[:_MAX_CHARACTERS])))
    shared = [term for term, count in frequency.items() if count > 1] or list(frequency)
    return sorted(sorted(shared, key=lambda term: (-frequency[term], term))[:n_terms])


def _count(texts: list[str], terms: list[list[str]]) -> sparse.csr_array:
    cut = [text[:_MAX_CHARACTERS] for text in texts]
    parts = [
        CountVectorizer(vocabulary=known, dtype=np.float64, **analyser).transform(cut)
        for analyser, known in zip(_ANALYSERS, terms, strict=True)
        if known
    ]
    return sparse.csr_array(sparse.hstack(parts))


def _leading_axes(weights: sparse.csr_array, n_axes: int) -> np.ndarray:
    """Leading eigenvectors of the covariance; the largest entry of each is positive."""
    mean = np.asarray(weights.mean(axis=0)).ravel()
    if len(mean) > _DENSE and n_axes < min(weights.shape) // 2:
        return _upright(_leading_directions(weights, mean, n_axes))
    covariance = (weights.T @ weights).toarray() / weights.shape[0] - np.outer(mean, mean)
    values, vectors = np.linalg.eigh(covariance)
    order = np.argsort(-values)[:n_axes]
    order = order[values[order] > 1e-12]
    if len(order) == 0:  # the texts differ, but not in any term of the vocabulary
        return np.zeros((len(values), 1))
    return _upright(vectors[:, order])


def _leading_directions(weights: sparse.csr_array, mean: np.ndarray, n_axes: int) -> np.ndarray:
    """The right singular vectors of the centred weights, without centring them in memory."""
    n_rows = weights.shape[0]
    centred = LinearOperator(
        weights.shape,
        matvec=lambda v: weights @ v.ravel() - mean @ v.ravel(),
        rmatvec=lambda u: weights.T @ u.ravel() - mean * u.sum(),
        dtype=np.float64,
    )
    _, values, vectors = svds(centred, k=n_axes, v0=np.ones(min(weights.shape)))
    order = np.argsort(-values)
    kept = order[values[order] ** 2 > 1e-12 * n_rows]
    return vectors[kept].T if len(kept) else np.zeros((len(mean), 1))


def _upright(axes: np.ndarray) -> np.ndarray:
    """The axes with the largest entry of each positive."""
    largest = np.abs(axes).argmax(axis=0)
    return axes * np.sign(axes[largest, np.arange(axes.shape[1])])
