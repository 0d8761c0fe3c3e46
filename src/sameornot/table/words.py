"""Columns of free text: words and character n-grams, weighted by rarity, on few axes.

    features = (t V - mean) · s,   t = tf-idf weights of a text, V = leading axes of their covariance

The vocabulary is bounded, so the axes come from a dense eigendecomposition: nothing is drawn at random. Axes
and scale are learned from an even sample of at most `_SAMPLE` rows.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from sameornot.table.cells import read_cells
from sameornot.table.kinds import Kind

_AXES = 10
_TERMS = 400  # of each of the two sorts
_SAMPLE = 10_000
_LONGEST = 2_000  # characters of a cell that are looked at
_BLOCK = 10_000
_SORTS: list[dict[str, Any]] = [{"analyzer": "word"}, {"analyzer": "char_wb", "ngram_range": (3, 4)}]


@dataclass(frozen=True)
class Words:
    """Vocabulary, rarity and axes. A missing cell is put where the average text is."""

    kind: str
    terms: list[list[str]]
    rarity: list[float]
    axes: list[list[float]]
    mean: list[float]
    n_missing: int

    @classmethod
    def fit(cls, column: pd.Series, kind: Kind, limit: int) -> Self:
        """Learn at most `limit` axes from the texts."""
        cells = read_cells(column)
        known = cells.codes[cells.codes >= 0]
        texts = [cells.texts[code] for code in known[:: -(-len(known) // _SAMPLE)]]
        terms = [_frequent_terms(texts, sort) for sort in _SORTS]
        counts = _count(texts, terms)
        rarity = np.log((1 + len(texts)) / (1 + np.asarray((counts > 0).sum(axis=0)).ravel())) + 1
        weights = normalize(counts @ sparse.diags_array(rarity))
        axes = _leading_axes(weights, min(limit, _AXES))
        features = weights @ axes
        # Missing cells stand at the mean: they take their share of the variance away.
        total = features.var(axis=0).sum() * len(known) / len(cells.codes)
        axes = axes / np.sqrt(total) if total > 0 else axes
        mean = (weights @ axes).mean(axis=0)
        return cls(kind.name, terms, rarity.tolist(), axes.tolist(), mean.tolist(), len(column) - len(known))

    @property
    def fill(self) -> str:
        """What stands in for a missing cell."""
        return "the average text"

    @property
    def endings(self) -> list[str]:
        """What is put after the column's name to name each feature."""
        return [f": axis {place}" for place in range(1, len(self.mean) + 1)]

    def encode(self, column: pd.Series) -> np.ndarray:
        """The features of each cell."""
        cells = read_cells(column)
        rarity, axes = sparse.diags_array(np.array(self.rarity)), np.array(self.axes)
        features = np.zeros((len(cells.texts) + 1, len(self.mean)))
        for start in range(0, len(cells.texts), _BLOCK):
            weights = normalize(_count(cells.texts[start : start + _BLOCK], self.terms) @ rarity)
            features[start : start + weights.shape[0]] = weights @ axes - self.mean
        return features[cells.codes]


def _frequent_terms(texts: list[str], sort: dict[str, Any]) -> list[str]:
    """The terms that most texts hold, in an order of their own; those of a single text say nothing."""
    analyse = CountVectorizer(**sort).build_analyzer()
    held_by = Counter(term for text in texts for term in set(analyse(text[:_LONGEST])))
    shared = [term for term, count in held_by.items() if count > 1] or list(held_by)
    return sorted(sorted(shared, key=lambda term: (-held_by[term], term))[:_TERMS])


def _count(texts: list[str], terms: list[list[str]]) -> sparse.csr_array:
    cut = [text[:_LONGEST] for text in texts]
    parts = [
        CountVectorizer(vocabulary=known, dtype=np.float64, **sort).transform(cut)
        for sort, known in zip(_SORTS, terms, strict=True)
        if known
    ]
    return sparse.csr_array(sparse.hstack(parts))


def _leading_axes(weights: sparse.csr_array, n_axes: int) -> np.ndarray:
    """The directions in which the rows vary most; the largest entry of each is positive."""
    mean = np.asarray(weights.mean(axis=0)).ravel()
    covariance = (weights.T @ weights).toarray() / weights.shape[0] - np.outer(mean, mean)
    values, vectors = np.linalg.eigh(covariance)
    order = np.argsort(-values)[:n_axes]
    order = order[values[order] > 1e-12]
    if len(order) == 0:  # the texts differ, but not in their terms
        return np.zeros((len(values), 1))
    axes = vectors[:, order]
    largest = np.abs(axes).argmax(axis=0)
    return axes * np.sign(axes[largest, np.arange(len(order))])
