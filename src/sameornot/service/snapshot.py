"""What a desk hands over: the table, the groups and the answers at one moment."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from sameornot.cluster import Grouping
from sameornot.ensemble.expansion import widen
from sameornot.session import SessionResult
from sameornot.table import Excerpt, TableEncoder


@dataclass(frozen=True)
class Group:
    """One group as a person knows it: `number` stays, `name` is hers, `label` is what to print."""

    key: str
    number: int
    name: str
    label: str


@dataclass(frozen=True)
class Answered:
    """One answer that holds; rows are those of the whole table, `seq` is its event in the store."""

    seq: int
    left: int
    right: int
    answer: str
    author: str
    at: datetime
    edited: bool
    seconds: float | None


@dataclass(frozen=True)
class Snapshot:
    """A session at one moment.

    `result` speaks of the rows of the pool only: `X` holds them encoded, `pool` their numbers in the table.
    Label m of the result is `groups[m]`. `wide` are the rows that the groups are carried to as they were
    found, the pool among them; none but those unless given. See `word`.
    """

    title: str
    table: Excerpt
    id_column: str | None
    encoder: TableEncoder
    X: np.ndarray
    pool: np.ndarray
    result: SessionResult
    groups: list[Group]
    answers: list[Answered]
    moves: list[tuple[int, float]]
    clusters: int | None
    made: datetime
    wide: np.ndarray | None = None

    @cached_property
    def word(self) -> "Word":
        """What the session itself says of rows, those beyond the pool included.

        Of the pool it is what people saw, although the groups of more rows may say otherwise of some.
        """
        result, more = self.result, None
        wide = self.pool if self.wide is None else self.wide
        at = np.searchsorted(wide, self.pool)
        if len(wide) > len(at):
            more = widen(result.clustering, self.encoder.transform(self.table.take(wide)), at)
        if more is None:
            return Word(self.pool, self.X, result.labels, result.confidence, result.clustering)
        labels, sure = more.labels.copy(), more.sure.copy()
        labels[at], sure[at] = result.labels, result.confidence
        return Word(wide, more.X, labels, sure, more)

    def names(self, rows: Sequence[int]) -> list[str]:
        """What some of the rows that are held are called."""
        return self.table.names(np.array(rows, dtype=np.intp), self.id_column)

    @property
    def column_weights(self) -> pd.Series:
        """How much each column matters."""
        return column_shares(self.encoder, self.X, self.result)


class Word(NamedTuple):
    """Rows of the table, encoded, with their labels and how sure those are; `clustering` says of others."""

    rows: np.ndarray
    X: np.ndarray
    labels: np.ndarray
    confidence: np.ndarray
    clustering: Grouping


def column_shares(encoder: TableEncoder, X: np.ndarray, result: SessionResult) -> pd.Series:
    """Share of each column of the table in the learned distances: a feature counts by weight and spread."""
    carried = result.metric.feature_weights * X.var(axis=0)
    return encoder.column_weights(carried / (carried.sum() or 1.0))
