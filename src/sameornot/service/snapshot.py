"""A session at one moment, to be exported: the table, the groups and the answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from sameornot._types import Answer, Pair, Reply
from sameornot.plots import LearnedMap, pool_map
from sameornot.service.learned_space import column_shares
from sameornot.service.pictures import RecordPictures
from sameornot.service.team import Team
from sameornot.session import ActiveSession, FinalLabels, SessionResult
from sameornot.table import Column, TableEncoder, TableSample


@dataclass(frozen=True)
class Group:
    """One group as people know it: `number` stays, `name` was given by them, `label` is what to print."""

    key: str
    number: int
    name: str
    label: str


@dataclass(frozen=True)
class GivenAnswer:
    """One answer that holds; rows are those of the whole table, `seq` is its event in the store.

    `others` are the other candidates of a choice, as in a `Reply`.
    """

    seq: int
    left: int
    right: int
    answer: str
    author: str
    at: datetime
    edited: bool
    seconds: float | None
    others: tuple[int, ...] = ()

    @property
    def reply(self) -> Reply:
        """The answer as a line of the log of an ActiveSession, without its step."""
        return Reply(Pair(self.left, self.right), Answer(self.answer), 0, others=self.others)


class Described(NamedTuple):
    """Columns by which groups are described, and how much each of them matters, largest first."""

    columns: Mapping[str, Column]
    weights: pd.Series


@dataclass(frozen=True)
class Snapshot:
    """A session at one moment.

    `result` is about the rows of the pool: `X` holds them encoded, `pool` their numbers in the table,
    ascending. Its neighbourhoods hold rows of the table. Label m is `groups[m]`. `churn` holds (number of
    answers, share of rows that changed group over the ten before). `session` expands the groups to rows
    beyond the pool; without it there are none beyond. `described` are the columns by which groups are
    described, and how much each of them matters. `team` says how far people agree; `pictures` are those of
    the records.
    """

    title: str
    table: TableSample
    id_column: str | None
    encoder: TableEncoder
    X: np.ndarray
    pool: np.ndarray
    result: SessionResult
    groups: list[Group]
    answers: list[GivenAnswer]
    churn: list[tuple[int, float]]
    clusters: int | None
    made: datetime
    session: ActiveSession | None = None
    described: Described | None = None
    team: Team | None = None
    pictures: RecordPictures | None = None

    @property
    def description(self) -> Described:
        """The columns by which groups are described; by default those that the model learns from."""
        if self.described is not None:
            return self.described
        weights = self.column_weights.sort_values(ascending=False, kind="stable")
        return Described({column.name: column for column in self.encoder.columns}, weights)

    @cached_property
    def final_labels(self) -> FinalLabels:
        """The session's labels of the pool and of the rows that the clustering was expanded to."""
        if self.session is not None:
            return self.session.final_labels()
        found = self.result
        return FinalLabels(self.pool, self.X, found.labels, found.confidence, found.clustering)

    @cached_property
    def placed_rows(self) -> np.ndarray:
        """The rows of the table that answers placed in a group."""
        return np.concatenate([np.empty(0, dtype=np.intp), *self.result.neighbourhoods])

    @cached_property
    def is_placed(self) -> np.ndarray:
        """Whether the answers placed each row of the pool."""
        return np.isin(self.pool, self.placed_rows)

    @property
    def learned_map(self) -> LearnedMap:
        """The rows of the pool in the plane of their learned distances."""
        return pool_map(self.X, self.pool, self.result)

    def names(self, rows: Sequence[int]) -> list[str]:
        """The names of rows that are in memory."""
        return self.table.names(np.array(rows, dtype=np.intp), self.id_column)

    @property
    def column_weights(self) -> pd.Series:
        """How much each column matters."""
        return column_shares(self.encoder, self.X, self.result)
