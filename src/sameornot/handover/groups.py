"""What a report says of each group: how large, how sure, what is typical of it, which records show it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sameornot.desk.differences import Difference, compare, shorten
from sameornot.desk.snapshot import Group, Snapshot
from sameornot.handover.labels import labels_table, placed_rows
from sameornot.plots.report import group_paint, sureness, swatch
from sameornot.table import display

# Columns in the comparison of a group, records of either kind, and values of each.
N_COMPARED = 8
N_MEMBERS = 5
N_VALUES = 4


@dataclass(frozen=True)
class Standing:
    """A snapshot and what follows from it for all groups.

    `labels` speaks of the whole table; `weights` are the columns' shares, heaviest first; `placed` and
    `apart` (squared distance to the middle of the own group) speak of the rows of the pool.
    """

    snapshot: Snapshot
    labels: pd.DataFrame
    weights: pd.Series
    placed: np.ndarray
    apart: np.ndarray

    @property
    def is_placed(self) -> np.ndarray:
        """Which rows of the table the expert placed."""
        return (self.labels["placed_by"] == "expert").to_numpy()


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
        labels_table(snapshot),
        shares.sort_values(ascending=False, kind="stable"),
        placed,
        distance_to_middle(snapshot),
    )


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
    members = (standing.labels["group"] == group.number).to_numpy()
    by_model = standing.labels["confidence"].to_numpy()[members & ~standing.is_placed]
    counts = sureness(by_model)
    has_others = len(standing.snapshot.groups) > 1
    sure = float(by_model.mean()) if len(by_model) and has_others else None
    return GroupPart(
        label=shorten(group.label),
        colour=group_paint(group.number),
        corners=swatch(group.number),
        size=int(members.sum()),
        share=float(members.mean()),
        placed=int((members & standing.is_placed).sum()),
        sure=sure,
        bars=[100.0 * count / max(*counts, 1) for count in counts],
        differences=differences(standing, members),
        typical=typical_members(standing, m),
        unsure=unsure_members(standing, m) if sure is not None else [],
    )


def differences(standing: Standing, members: np.ndarray) -> list[Difference]:
    """Members against all others in the heaviest columns; nothing where there are no others."""
    if members.all() or not members.any():
        return []
    snapshot = standing.snapshot
    columns = {column.name: column for column in snapshot.encoder.columns}
    heaviest = standing.weights[standing.weights > 0].head(N_COMPARED)
    return [
        compare(snapshot.frame[name], columns[str(name)], float(weight), members)
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
        row = int(snapshot.pool[place])
        values = [shorten(display(snapshot.frame[name].iloc[row])) for name in names]
        confidence = float(snapshot.result.confidence[place])
        members.append(Member(shorten(snapshot.ids[row]), confidence, bool(standing.placed[place]), values))
    return members


def in_order(groups: list[Group]) -> list[int]:
    """Labels of the groups by their numbers."""
    return sorted(range(len(groups)), key=lambda m: groups[m].number)
