"""What the answers lead to: the groups of the rows that questions are about, and of all others."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sameornot._presenters import presenter
from sameornot._progress import progress_bar
from sameornot._types import Agreement, GroupCount
from sameornot._validation import check_count
from sameornot.cluster.base import Clustering
from sameornot.cluster.block import predict_rows
from sameornot.metric.learn import Metric
from sameornot.session.known import NOTHING, Known
from sameornot.session.pool import Pool
from sameornot.session.rows import RowSource
from sameornot.session.summary import GroupedRows, summarise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Rows that are taken from a source at a time.
BLOCK = 100_000


@dataclass(frozen=True)
class PoolRows:
    """The rows of the table that questions are about, their source, and what people see of all rows."""

    source: RowSource
    rows: np.ndarray
    records: pd.DataFrame | None = None

    @property
    def features(self) -> np.ndarray:
        """The rows as the clusterer sees them, before they are divided by their scale."""
        return self.source.take(self.rows)


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
    pool : PoolRows
        The rows that questions were about.

    Examples
    --------
    >>> from sameornot import ActiveSession
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
    >>> known = [((0, row), "same" if y[0] == y[row] else "different") for row in range(1, 12)]
    >>> result = ActiveSession(X, n_clusters=3, random_state=0, answers=known).result()
    >>> result.summary().columns.tolist()
    ['size', 'share', 'placed', 'confidence', 'differs', 'typical', 'doubtful']
    """

    labels: np.ndarray
    metric: Metric
    feature_weights: pd.Series
    neighbourhoods: list[np.ndarray]
    confidence: np.ndarray
    clustering: Clustering
    agreement: Agreement | None = None
    n_groups: GroupCount | None = None
    pool: PoolRows = field(kw_only=True, repr=False)

    def summary(self, *, n_features: int = 3, n_rows: int = 3) -> pd.DataFrame:
        """What there is to say of each group, one line a group, by its label.

        Parameters
        ----------
        n_features : int
            Features that are named in `differs`.
        n_rows : int
            Row numbers in `typical` and in `doubtful`.

        Returns
        -------
        DataFrame with the columns size, share, placed, confidence, differs, typical, doubtful
            `size` and `share` count all rows; the other columns are about the rows that questions may be
            about: how many of them answers placed, the mean confidence of the others, the features in which
            the group differs most from the others (means), and the rows nearest to the mean of their group
            and of the least confidence. If the session has records, their columns are compared instead of
            the features: means of numbers, and values and words that are more common in the group.
        """
        check_count("n_features", n_features, at_least=0)
        check_count("n_rows", n_rows, at_least=0)
        found, X = self.of_pool(), self.pool.features
        placed = np.concatenate([np.empty(0, dtype=np.intp), *self.neighbourhoods])
        is_placed = np.isin(self.pool.rows, placed)
        space = self.metric.transform(X)
        records = None if self.pool.records is None else self.pool.records.iloc[self.pool.rows]
        known = GroupedRows(
            self.pool.rows, X, space, found.labels, found.confidence, is_placed, self.feature_weights, records
        )
        return summarise(known, self.labels, n_features, n_rows)

    def plot(self) -> "Figure":
        """Draw the rows in the learned space, coloured by group, and the features of largest weight.

        A matplotlib figure, which a notebook shows; ``result.plot().savefig("groups.png")`` keeps it.
        """
        figure: Figure = presenter("draw_result")(self)
        return figure

    def of_pool(self) -> "SessionResult":
        """The same result with the labels and the confidence of the rows of the pool alone."""
        rows = self.pool.rows
        if len(self.labels) == len(rows):
            return self
        return replace(self, labels=self.labels[rows], confidence=self.confidence[rows])

    def _repr_html_(self) -> str:
        return str(presenter("result_html")(self))


@dataclass(frozen=True)
class FinalLabels:
    """The groups of `rows` of the table (X, encoded) and the clustering that predicts all other rows.

    `rows` are those that the clustering was expanded to. A row of the pool keeps the label that the expert
    saw, although the expanded clustering may disagree about some.

    Examples
    --------
    >>> from sameornot import ActiveSession
    >>> session = ActiveSession([[0.0], [0.1], [5.0], [5.1]], n_clusters=2, random_state=0)
    >>> final = session.final_labels()
    >>> final.labels.shape == final.rows.shape
    True
    """

    rows: np.ndarray
    X: np.ndarray
    labels: np.ndarray
    confidence: np.ndarray
    clustering: Clustering


@dataclass
class Expansion:
    """From the result about a pool to one about the whole table."""

    source: RowSource
    pool: Pool
    found: SessionResult
    known: Known = NOTHING
    _result: SessionResult | None = field(default=None, init=False, repr=False)

    @cached_property
    def final_labels(self) -> FinalLabels:
        """The groups of the pool, of the rows that the clustering can be expanded to, and of known rows."""
        return self._with_known(self._expanded())

    def _with_known(self, final: FinalLabels) -> FinalLabels:
        """Every row that was known to be with some row of the pool is in its group."""
        if not self.known:
            return final
        of_pool = dict(zip(self.pool.rows.tolist(), self.found.labels.tolist(), strict=True))
        known = {row: label for row, label in self.known.extend(of_pool).items() if row not in of_pool}
        rows = np.array(sorted(known), dtype=final.rows.dtype)
        absent = np.setdiff1d(rows, final.rows)
        if self.source.available is not None:
            absent = np.intersect1d(absent, self.source.available)
        together = np.concatenate([final.rows, absent])
        order = np.argsort(together)
        X = np.concatenate([final.X, self.source.take(absent)]) if len(absent) else final.X
        labels = np.concatenate([final.labels, np.zeros(len(absent), dtype=final.labels.dtype)])[order]
        confidence = np.concatenate([final.confidence, np.ones(len(absent))])[order]
        at = np.flatnonzero(np.isin(together[order], rows))
        labels[at] = [known[row] for row in together[order][at].tolist()]
        confidence[at] = 1.0
        return FinalLabels(together[order], X[order], labels, confidence, final.clustering)

    def _expanded(self) -> FinalLabels:
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

    def result(self, progress: bool | None = None) -> SessionResult:
        """The groups of all rows of the table; they are kept."""
        if self._result is None:
            self._result = self._of_all_rows(progress)
        return self._result

    def _of_all_rows(self, progress: bool | None) -> SessionResult:
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
        with progress_bar(len(labels), "rows", progress) as bar:
            for start in range(0, len(labels), BLOCK):
                rows = np.arange(start, min(start + BLOCK, len(labels)))
                block = self.source.take(rows)
                labels[rows], confidence[rows] = predict_rows(final.clustering, final.X, block)
                bar.update(len(rows))
        labels[final.rows], confidence[final.rows] = final.labels, final.confidence
        return replace(self.found, labels=labels, confidence=confidence, clustering=final.clustering)
