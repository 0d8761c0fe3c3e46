"""What the report says of each group: size, confidence, differences from the others, and example records."""

from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from sameornot.embedding import make_thumbnail
from sameornot.export.assigner import Assigner
from sameornot.export.labels import predict_table
from sameornot.plots.report import N_BINS, confidence_histogram, group_colour, marker_polygon
from sameornot.service.differences import Difference, compare, shorten
from sameornot.service.snapshot import Group, Snapshot
from sameornot.table import display

# Columns in which a group is compared with the others, example records of either kind, and values of each.
N_COMPARED = 8
N_EXAMPLES = 5
N_VALUES = 4
# Pictures of an example, and their longer side in pixels.
N_PICTURES = 3
PICTURE_SIDE = 160


@dataclass(frozen=True)
class GroupCounts:
    """Counts over all rows of the table, by label.

    `placed` counts rows that answers placed; `confidence_sums` and `histograms` (labels × bins) are about the
    other rows; `held_labels` are the labels of the rows in memory.
    """

    sizes: np.ndarray
    placed: np.ndarray
    confidence_sums: np.ndarray
    histograms: np.ndarray
    held_labels: np.ndarray


@dataclass(frozen=True)
class ReportContext:
    """A snapshot, and what the summaries of all groups need of it.

    `weights` are the shares of the columns, largest first; `placed` and `distances` (squared, to the mean of
    the own group) are about the rows of the pool.
    """

    snapshot: Snapshot
    counts: GroupCounts
    weights: pd.Series
    placed: np.ndarray
    distances: np.ndarray


@dataclass(frozen=True)
class Example:
    """One record of a group, with its values in the columns of largest weight, and its pictures as data."""

    id: str
    confidence: float
    placed: bool
    values: list[str]
    pictures: list[str]


@dataclass(frozen=True)
class GroupSummary:
    """One group on the page; `confidence` and `histogram` (percent) are about rows that the model placed."""

    label: str
    colour: str
    polygon: str
    size: int
    share: float
    placed: int
    confidence: float | None
    histogram: list[float]
    differences: list[Difference]
    typical: list[Example]
    uncertain: list[Example]


def build_context(snapshot: Snapshot) -> ReportContext:
    """Compute once what all summaries need."""
    return ReportContext(
        snapshot,
        count_rows(snapshot),
        snapshot.description.weights,
        snapshot.is_placed,
        distances_to_mean(snapshot),
    )


def count_rows(snapshot: Snapshot) -> GroupCounts:
    """Count all rows of the table, in one pass."""
    n_groups, table = len(snapshot.groups), snapshot.table
    sizes, placed = np.zeros(n_groups, dtype=np.int64), np.zeros(n_groups, dtype=np.int64)
    sums, histograms = np.zeros(n_groups), np.zeros((n_groups, N_BINS), dtype=np.int64)
    held = []
    for block in predict_table(Assigner.of_session(snapshot), snapshot):
        assert block.placed is not None
        first, end = np.searchsorted(table.rows, [block.rows[0] - 1, block.rows[-1]])
        held.append(block.labels[table.rows[first:end] - (block.rows[0] - 1)])
        for m in range(n_groups):
            own = block.labels == m
            by_model = block.confidence[own & ~block.placed]
            sizes[m] += own.sum()
            placed[m] += (own & block.placed).sum()
            sums[m] += by_model.sum()
            histograms[m] += confidence_histogram(by_model)
    return GroupCounts(sizes, placed, sums, histograms, np.concatenate(held))


def distances_to_mean(snapshot: Snapshot) -> np.ndarray:
    """Squared learned distance of each row of the pool to the mean of its group."""
    space, labels = snapshot.result.metric.transform(snapshot.X), snapshot.result.labels
    distances = np.zeros(len(space))
    for m in np.unique(labels):
        own = labels == m
        distances[own] = ((space[own] - space[own].mean(axis=0)) ** 2).sum(axis=1)
    return distances


def summarise_group(context: ReportContext, m: int) -> GroupSummary:
    """What the report says of the group with label m."""
    group, counts = context.snapshot.groups[m], context.counts
    size, n_by_model = int(counts.sizes[m]), int(counts.sizes[m] - counts.placed[m])
    has_others = len(context.snapshot.groups) > 1
    confidence = float(counts.confidence_sums[m] / n_by_model) if n_by_model and has_others else None
    highest = max(1, int(counts.histograms[m].max()))
    return GroupSummary(
        label=shorten(group.label),
        colour=group_colour(group.number),
        polygon=marker_polygon(group.number),
        size=size,
        share=size / len(context.snapshot.table),
        placed=int(counts.placed[m]),
        confidence=confidence,
        histogram=[100.0 * float(count) / highest for count in counts.histograms[m]],
        differences=find_differences(context, counts.held_labels == m),
        typical=typical_examples(context, m),
        uncertain=uncertain_examples(context, m) if confidence is not None else [],
    )


def find_differences(context: ReportContext, members: np.ndarray) -> list[Difference]:
    """Compare members with all other rows in the columns of largest weight, if there are others."""
    if members.all() or not members.any():
        return []
    snapshot = context.snapshot
    columns = snapshot.description.columns
    heaviest = context.weights[context.weights > 0].head(N_COMPARED)
    return [
        compare(snapshot.table.frame[name], columns[str(name)], float(weight), members)
        for name, weight in heaviest.items()
    ]


def typical_examples(context: ReportContext, m: int) -> list[Example]:
    """Records of the pool nearest to the mean of their group."""
    own = np.flatnonzero(context.snapshot.result.labels == m)
    return describe_rows(context, own[np.argsort(context.distances[own], kind="stable")])


def uncertain_examples(context: ReportContext, m: int) -> list[Example]:
    """Records of the pool that the model placed in a group with the least confidence."""
    result = context.snapshot.result
    own = np.flatnonzero((result.labels == m) & ~context.placed)
    return describe_rows(context, own[np.argsort(result.confidence[own], kind="stable")])


def describe_rows(context: ReportContext, positions: np.ndarray) -> list[Example]:
    """The first few of some pool positions, as records."""
    snapshot = context.snapshot
    columns = list(context.weights.index[:N_VALUES])
    examples = []
    for position in positions[:N_EXAMPLES]:
        rows = snapshot.pool[[position]]
        record = snapshot.table.take(rows)
        values = [shorten(display(record[name].iat[0])) for name in columns]
        (name,) = snapshot.names(rows.tolist())
        confidence = float(snapshot.result.confidence[position])
        pictures = [] if snapshot.pictures is None else picture_data(snapshot.pictures.of(int(rows[0])))
        examples.append(Example(shorten(name), confidence, bool(context.placed[position]), values, pictures))
    return examples


def picture_data(files: list[Path]) -> list[str]:
    """Small versions of the first few pictures, as addresses that hold them."""
    small = (make_thumbnail(file, PICTURE_SIDE) for file in files[:N_PICTURES])
    return [f"data:image/jpeg;base64,{b64encode(data).decode()}" for data in small if data is not None]


def labels_by_number(groups: list[Group]) -> list[int]:
    """The labels of the groups in the order of their numbers."""
    return sorted(range(len(groups)), key=lambda m: groups[m].number)
