"""Free text as the leading principal components of tf-idf weights of words and character n-grams.

    features = (t V − mean) · s,   t = tf-idf weights of a text, V = leading eigenvectors of their covariance

This is latent semantic analysis (Deerwester et al., 1990) with centring. The vocabulary is bounded, so a
dense eigendecomposition suffices and nothing is random. Axes and scale are learned from at most `_SAMPLE`
evenly spaced rows.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from sameornot.table.kinds import Kind
from sameornot.table.parsing import factorize

_AXES = 10
_TERMS = 400  # per analyser
_SAMPLE = 10_000
_MAX_CHARACTERS = 2_000  # of a cell; the rest is ignored
_BLOCK = 10_000
_ANALYSERS: list[dict[str, Any]] = [{"analyzer": "word"}, {"analyzer": "char_wb", "ngram_range": (3, 4)}]


@dataclass(frozen=True)
class TextCoder:
    """Vocabulary, inverse document frequencies (`rarity`) and axes; a missing cell becomes the mean text.

    Field names are part of the model file's format.
    """

    kind: str
    terms: list[list[str]]
    rarity: list[float]
    axes: list[list[float]]
    mean: list[float]
    n_missing: int

    @classmethod
    def fit(cls, column: pd.Series, kind: Kind, limit: int) -> Self:
        """Learn vocabulary and at most `limit` axes."""
        cells = factorize(column)
        known = cells.codes[cells.codes >= 0]
        texts = [cells.texts[code] for code in known[:: -(-len(known) // _SAMPLE)]]
        terms = [_frequent_terms(texts, analyser) for analyser in _ANALYSERS]
        counts = _count(texts, terms)
        rarity = np.log((1 + len(texts)) / (1 + np.asarray((counts > 0).sum(axis=0)).ravel())) + 1
        weights = normalize(counts @ sparse.diags_array(rarity))
        axes = _leading_axes(weights, min(limit, _AXES))
        features = weights @ axes
        # Missing cells are put at the mean, so they reduce the variance of the column.
        total = features.var(axis=0).sum() * len(known) / len(cells.codes)
        axes = axes / np.sqrt(total) if total > 0 else axes
        mean = (weights @ axes).mean(axis=0)
        return cls(kind.name, terms, rarity.tolist(), axes.tolist(), mean.tolist(), len(column) - len(known))

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
            features[start : start + weights.shape[0]] = weights @ axes - self.mean
        return features[cells.codes]


def _frequent_terms(texts: list[str], analyser: dict[str, Any]) -> list[str]:
    """The terms with the highest document frequency, sorted; those of a single text are dropped."""
    analyse = CountVectorizer(**analyser).build_analyzer()
    frequency = Counter(term for text in texts for term in set(analyse(text[:_MAX_CHARACTERS])))
    shared = [term for term, count in frequency.items() if count > 1] or list(frequency)
    return sorted(sorted(shared, key=lambda term: (-frequency[term], term))[:_TERMS])


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
    covariance = (weights.T @ weights).toarray() / weights.shape[0] - np.outer(mean, mean)
    values, vectors = np.linalg.eigh(covariance)
    order = np.argsort(-values)[:n_axes]
    order = order[values[order] > 1e-12]
    if len(order) == 0:  # the texts differ, but not in any term of the vocabulary
        return np.zeros((len(values), 1))
    axes = vectors[:, order]
    largest = np.abs(axes).argmax(axis=0)
    return axes * np.sign(axes[largest, np.arange(len(order))])
