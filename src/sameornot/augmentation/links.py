"""The pairs that answers tell of (S and D): the answered ones, or all that they imply (§3.3)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sameornot.constraints import Constraints


class LinkedPairs(NamedTuple):
    """The pairs of points that must link (S) and that cannot (D)."""

    same: np.ndarray
    different: np.ndarray


def answered_pairs(constraints: Constraints) -> LinkedPairs:
    """The pairs that were answered."""
    return LinkedPairs(constraints.must_link, constraints.cannot_link)


def implied_pairs(constraints: Constraints) -> LinkedPairs:
    """All pairs of which the answers tell (§3.3): within groups, and between groups that differ."""
    groups = constraints.groups()
    if not groups:
        return answered_pairs(constraints)
    points = np.concatenate(groups)
    group = np.repeat(np.arange(len(groups)), [len(members) for members in groups])
    apart = constraints.known_apart(groups)[[int(members[0]) for members in groups]]
    left, right = np.triu_indices(len(points), k=1)
    pairs = np.column_stack([points[left], points[right]])
    same = group[left] == group[right]
    return LinkedPairs(pairs[same], pairs[apart[group[left], group[right]] & ~same])


def linked_pairs(constraints: Constraints, closure: bool) -> LinkedPairs:
    """The pairs that must link and cannot: answered ones, or all that are implied."""
    return implied_pairs(constraints) if closure else answered_pairs(constraints)


@dataclass(frozen=True)
class Links:
    """Answered pairs of rows: `left`, `right`, the concordance that was answered (y), and how often."""

    left: np.ndarray
    right: np.ndarray
    target: np.ndarray
    count: np.ndarray


def links_between(groups: list[np.ndarray], pairs: LinkedPairs) -> Links:
    """Pairs as weighted links between groups; a "same" may link a group with itself."""
    row_of = {int(point): row for row, members in enumerate(groups) for point in members}
    same, different = pairs
    ends = np.array([row_of[int(point)] for point in np.concatenate([same, different]).ravel()])
    target = np.repeat([1, 0], [len(same), len(different)])
    keyed = np.column_stack([np.sort(ends.reshape(-1, 2), axis=1), target])
    rows, count = np.unique(keyed, axis=0, return_counts=True)
    return Links(rows[:, 0], rows[:, 1], rows[:, 2].astype(float), count.astype(float))
