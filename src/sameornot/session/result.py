"""What the answers lead to: the groups of the rows that questions are about, and of all others."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from sameornot._types import Agreement, GroupCount
from sameornot.cluster.base import Clustering
from sameornot.cluster.block import predict_rows
from sameornot.metric.learn import Metric
from sameornot.session.pool import Pool
from sameornot.session.rows import RowSource

# Rows that are taken from a source at a time.
BLOCK = 100_000


@dataclass(frozen=True)
class SessionResult:
    """The grouping that the answers lead to.

    Attributes
    ----------
    labels : ndarray of int, one a row
    metric : Metric
        `metric.matrix` is A; `metric.transform(X)` gives rows whose Euclidean distances are the learned ones.
    feature_weights : Series
        Share of each column in the metric, per standard deviation.
    neighbourhoods : list of ndarray
        Rows that the answers put together. All of them are known to differ from each other; with the default
        method and a given number of groups, some may be provisional.
    confidence : ndarray of float, one a row
        Probability that the row is in its group, 1 where the answers placed it, in (0, 1].
    clustering : Clustering
        `clustering.predict(new_rows)` gives the group of rows that were not there.
    agreement : Agreement or None
        Estimated share of the rows that are in the group that the expert would put them in: `estimate`, and a
        90 % interval from `low` to `high`. None where the method cannot estimate it.
    n_groups : GroupCount or None
        Estimated number of groups, `estimate`, with a 90 % interval from `low` to `high`. None where the
        number is given, or the method does not estimate it.
    """

    labels: np.ndarray
    metric: Metric
    feature_weights: pd.Series
    neighbourhoods: list[np.ndarray]
    confidence: np.ndarray
    clustering: Clustering
    agreement: Agreement | None = None
    n_groups: GroupCount | None = None


@dataclass(frozen=True)
class FinalLabels:
    """The groups of `rows` of the table (X, encoded) and the clustering that predicts all other rows.

    `rows` are those that the clustering was expanded to. A row of the pool keeps the label that the expert
    saw, although the expanded clustering may disagree about some.
    """

    rows: np.ndarray
    X: np.ndarray
    labels: np.ndarray
    confidence: np.ndarray
    clustering: Clustering


@dataclass(frozen=True)
class Expansion:
    """From the result about a pool to one about the whole table."""

    source: RowSource
    pool: Pool
    found: SessionResult

    @cached_property
    def final_labels(self) -> FinalLabels:
        """The groups of the pool and of the rows that the clustering can be expanded to."""
        found, rows = self.found, self.pool.rows
        wide = self.pool.expanded(len(found.feature_weights)).rows
        if len(wide) > len(rows):
            at = np.searchsorted(wide, rows)
            X = self.source.take(wide)
            expanded = found.clustering.expand(X, at)
            if expanded is not None:
                labels, confidence, _ = expanded.assign(X, [])
                labels[at], confidence[at] = found.labels, found.confidence
                return FinalLabels(wide, X, labels, confidence, expanded)
        X = self.source.take(rows)
        return FinalLabels(rows, X, found.labels, found.confidence, found.clustering)

    @cached_property
    def result(self) -> SessionResult:
        """The groups of all rows of the table."""
        if self.pool.is_all:
            return self.found
        if self.source.available is not None:
            raise ValueError(
                "this table is read block by block and not all of its rows are at hand: take final_labels(), "
                "whose clustering predicts the others"
            )
        final = self.final_labels
        labels = np.empty(len(self.source), dtype=np.intp)
        confidence = np.empty(len(self.source))
        for start in range(0, len(self.source), BLOCK):
            rows = np.arange(start, min(start + BLOCK, len(self.source)))
            labels[rows], confidence[rows] = predict_rows(final.clustering, final.X, self.source.take(rows))
        labels[final.rows], confidence[final.rows] = final.labels, final.confidence
        return replace(self.found, labels=labels, confidence=confidence, clustering=final.clustering)
