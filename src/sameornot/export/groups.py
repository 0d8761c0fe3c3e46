"""What a report says of each group: how large, how sure, what is typical of it, which records show it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sameornot.export.assigner import Assigner, placed_rows
from sameornot.export.labels import label_rows
from sameornot.plots.report import N_BINS, group_paint, sureness, swatch
from sameornot.service.differences import Difference, compare, shorten
from sameornot.service.snapshot import Group, Snapshot
from sameornot.table import display

# Columns in the comparison of a group, records of either kind, and values of each.
N_COMPARED = 8
N_MEMBERS = 5
N_VALUES = 4


@dataclass(frozen=True)
class Tally:
    """Rows of the whole table by group: all of them, those that the expert placed, how sure the others are.

    `sure` adds up the confidence of the others, `bars` (groups × steps) counts them by it; `held` has the
    label of each row that is in memory.
    """

    sizes: np.ndarray
    placed: np.ndarray
    sure: np.ndarray
    bars: np.ndarray
    held: np.ndarray


@dataclass(frozen=True)
class Standing:
    """A snapshot and what follows from it for all groups.

    `weights` are the columns' shares, heaviest first; `placed` and `apart` (squared distance to the middle
    of the own group) speak of the rows of the pool.
    """

    snapshot: Snapshot
    tally: Tally
    weights: pd.Series
    placed: np.ndarray
    apart: np.ndarray


@dataclass(frozen=True)
class Member:
    """One record of a group: `values` are those of the heaviest columns."""

    id: str
    confidence: float
    placed: bool
    values: list[str]


@dataclass(frozen=True)
class GroupPart:
    """One group on the page; `sure` and `bars` (in percent) are about the rows that the model placed."""

    label: str
    colour: str
    corners: str
    size: int
    share: float
    placed: int
    sure: float | None
    bars: list[float]
    differences: list[Difference]
    typical: list[Member]
    unsure: list[Member]


def take_stock(snapshot: Snapshot) -> Standing:
    """Work out once what all groups need."""
    shares = snapshot.column_weights
    placed = np.zeros(len(snapshot.pool), dtype=bool)
    placed[placed_rows(snapshot)] = True
    return Standing(
        snapshot,
        count_rows(snapshot),
        shares.sort_values(ascending=False, kind="stable"),
        placed,
        distance_to_middle(snapshot),
    )


def count_rows(snapshot: Snapshot) -> Tally:
    """Go through the table once."""
    n_groups, table = len(snapshot.groups), snapshot.table
    sizes, placed = np.zeros(n_groups, dtype=np.int64), np.zeros(n_groups, dtype=np.int64)
    sure, bars = np.zeros(n_groups), np.zeros((n_groups, N_BINS), dtype=np.int64)
    held = []
    assigner = Assigner.of_session(snapshot)
    for found in label_rows(assigner, snapshot):
        assert found.placed is not None
        first, end = np.searchsorted(table.rows, [found.rows[0] - 1, found.rows[-1]])
        held.append(found.labels[table.rows[first:end] - (found.rows[0] - 1)])
        for m in range(n_groups):
            own = found.labels == m
            by_model = found.shares[own & ~found.placed]
            sizes[m] += own.sum()
            placed[m] += (own & found.placed).sum()
            sure[m] += by_model.sum()
            bars[m] += sureness(by_model)
    return Tally(sizes, placed, sure, bars, np.concatenate(held))


def distance_to_middle(snapshot: Snapshot) -> np.ndarray:
    """Squared learned distance of each row of the pool to the mean of its group."""
    space, labels = snapshot.result.metric.transform(snapshot.X), snapshot.result.labels
    apart = np.zeros(len(space))
    for m in np.unique(labels):
        own = labels == m
        apart[own] = ((space[own] - space[own].mean(axis=0)) ** 2).sum(axis=1)
    return apart


def group_part(standing: Standing, m: int) -> GroupPart:
    """What the page says of the group that has label m."""
    group = standing.snapshot.groups[m]
    tally = standing.tally
    size, by_model = int(tally.sizes[m]), int(tally.sizes[m] - tally.placed[m])
    has_others = len(standing.snapshot.groups) > 1
    sure = float(tally.sure[m] / by_model) if by_model and has_others else None
    return GroupPart(
        label=shorten(group.label),
        colour=group_paint(group.number),
        corners=swatch(group.number),
        size=size,
        share=size / len(standing.snapshot.table),
        placed=int(tally.placed[m]),
        sure=sure,
        bars=[100.0 * float(count) / max(1, int(tally.bars[m].max())) for count in tally.bars[m]],
        differences=differences(standing, tally.held == m),
        typical=typical_members(standing, m),
        unsure=unsure_members(standing, m) if sure is not None else [],
    )


def differences(standing: Standing, members: np.ndarray) -> list[Difference]:
    """Members that are held against all others in the heaviest columns; nothing where there are no others."""
    if members.all() or not members.any():
        return []
    snapshot = standing.snapshot
    columns = {column.name: column for column in snapshot.encoder.columns}
    heaviest = standing.weights[standing.weights > 0].head(N_COMPARED)
    return [
        compare(snapshot.table.frame[name], columns[str(name)], float(weight), members)
        for name, weight in heaviest.items()
    ]


def typical_members(standing: Standing, m: int) -> list[Member]:
    """Records of the pool nearest to the middle of group m."""
    own = np.flatnonzero(standing.snapshot.result.labels == m)
    return describe(standing, own[np.argsort(standing.apart[own], kind="stable")])


def unsure_members(standing: Standing, m: int) -> list[Member]:
    """Records of the pool that the model put into group m with the least confidence."""
    result = standing.snapshot.result
    own = np.flatnonzero((result.labels == m) & ~standing.placed)
    return describe(standing, own[np.argsort(result.confidence[own], kind="stable")])


def describe(standing: Standing, places: np.ndarray) -> list[Member]:
    """The first few of some places in the pool, as records."""
    snapshot = standing.snapshot
    names = list(standing.weights.index[:N_VALUES])
    members = []
    for place in places[:N_MEMBERS]:
        rows = snapshot.pool[[place]]
        record = snapshot.table.take(rows)
        values = [shorten(display(record[name].iat[0])) for name in names]
        (called,) = snapshot.names(rows.tolist())
        confidence = float(snapshot.result.confidence[place])
        members.append(Member(shorten(called), confidence, bool(standing.placed[place]), values))
    return members


def in_order(groups: list[Group]) -> list[int]:
    """Labels of the groups by their numbers."""
    return sorted(range(len(groups)), key=lambda m: groups[m].number)
