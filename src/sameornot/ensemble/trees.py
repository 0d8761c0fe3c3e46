"""Extremely randomised trees on the training rows (Geurts et al. 2006): the learner without a metric.

A node is split by one feature at one threshold: of √p features, drawn at random with a threshold each, the
pair that leaves the groups purest. All trees grow together, level by level, in arrays: with the few hundred
rows that an expert places, growing them one by one would be nearly all overhead.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sameornot.ensemble.config import TreesConfig
from sameornot.ensemble.training import all_rows

# Impurities are rounded to so many digits, so that rounding errors do not decide between equal ones.
DIGITS = 9


def extra_trees(
    rows: np.ndarray, groups: Sequence[np.ndarray], config: TreesConfig, rng: np.random.Generator
) -> np.ndarray:
    """Mean leaf distribution of each row (n × L); uniform before there are two training rows a group.

    It is uniform for training rows too: trees know their groups by heart.
    """
    n_trees, placed = config.n_trees, all_rows(groups)
    if len(placed) < 2 * len(groups):
        return np.full((len(rows), len(groups)), 1.0 / len(groups))
    group = np.repeat(np.arange(len(groups)), [len(members) for members in groups])
    leaves, n_leaves = grow(rows, Labelled(placed, group), config, rng)
    counts = count(leaves[:, placed].ravel(), np.tile(group, n_trees), (n_leaves, len(groups)))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    proba = np.mean([shares[own] for own in leaves], axis=0)
    proba[placed] = 1.0 / len(groups)
    return np.asarray(proba)


@dataclass(frozen=True)
class Labelled:
    """Training rows and the group of each."""

    rows: np.ndarray
    group: np.ndarray


@dataclass(frozen=True)
class Nodes:
    """Training rows sorted by node: sample s, row `sample[s]`, is at `node[s]` and of `group[s]`."""

    sample: np.ndarray
    node: np.ndarray
    group: np.ndarray

    @property
    def n_nodes(self) -> int:
        """How many nodes there are; each has at least one row."""
        return int(self.node[-1]) + 1


def grow(
    rows: np.ndarray, labelled: Labelled, config: TreesConfig, rng: np.random.Generator
) -> tuple[np.ndarray, int]:
    """The node that each row ends in (trees × n), numbered through all trees, and how many there are."""
    n_trees, placed, group = config.n_trees, labelled.rows, labelled.group
    nodes = np.repeat(np.arange(n_trees)[:, None], len(rows), axis=1)
    mixed, n_nodes = np.arange(n_trees), n_trees
    flat, moving = nodes.ravel(), np.arange(nodes.size)  # the places of rows that are at mixed nodes
    for _ in range(config.max_depth):
        if not len(mixed):
            break
        position = np.full(n_nodes, -1)
        position[mixed] = np.arange(len(mixed))
        at = position[nodes[:, placed]].ravel()
        order = np.argsort(at, kind="stable")[np.count_nonzero(at < 0) :]
        sample = order % len(placed)
        feature, threshold = split(rows, Nodes(placed[sample], at[order], group[sample]), rng)
        at = position[flat[moving]]
        goes_on = (at >= 0) & (feature[at] >= 0)
        going, at = moving[goes_on], at[goes_on]
        flat[going] = n_nodes + 2 * at + (rows[going % len(rows), feature[at]] > threshold[at])
        child = nodes[:, placed].ravel() - n_nodes
        counts = count(
            child[child >= 0], np.tile(group, n_trees)[child >= 0], (2 * len(mixed), group.max() + 1)
        )
        still_mixed = n_nodes + np.flatnonzero((counts > 0).sum(axis=1) > 1)
        n_nodes, mixed = n_nodes + 2 * len(mixed), np.r_[mixed[feature < 0], still_mixed]
        is_mixed = np.zeros(n_nodes, dtype=bool)
        is_mixed[mixed] = True
        moving = moving[is_mixed[flat[moving]]]
    return nodes, n_nodes


def split(rows: np.ndarray, nodes: Nodes, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The feature and the threshold by which each node is split; −1 where no feature drawn varies."""
    n_features, n_nodes = rows.shape[1], nodes.n_nodes
    n_tried = max(1, int(np.sqrt(n_features)))
    drawn = rng.integers(n_features, size=(n_nodes, n_tried))
    values = rows[nodes.sample[:, None], drawn[nodes.node]]
    starts = np.searchsorted(nodes.node, np.arange(n_nodes))
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    varies = high > low
    threshold = np.minimum(low + rng.random(low.shape) * (high - low), np.nextafter(high, low))
    purity = np.where(varies, measure_purity(values > threshold[nodes.node], nodes), -np.inf)
    best = np.round(purity, DIGITS).argmax(axis=1)
    each = np.arange(n_nodes)
    return np.where(varies.any(axis=1), drawn[each, best], -1), threshold[each, best]


def measure_purity(is_above: np.ndarray, nodes: Nodes) -> np.ndarray:
    """Sum over both sides of Σ_m (rows of group m)² / rows (nodes × tried): large where sides are pure."""
    node, group, n_nodes = nodes.node, nodes.group, nodes.n_nodes
    n_groups, n_tried = int(group.max()) + 1, is_above.shape[1]
    cell = (node * n_groups + group)[:, None] * n_tried + np.arange(n_tried)
    upper = np.bincount(cell[is_above], minlength=n_nodes * n_groups * n_tried)
    upper = upper.reshape(n_nodes, n_groups, n_tried)
    lower = count(node, group, (n_nodes, n_groups))[:, :, None] - upper
    return sum((side**2).sum(axis=1) / np.maximum(side.sum(axis=1), 1) for side in (upper, lower))


def count(node: np.ndarray, group: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """How many rows of each group are at each node."""
    return np.bincount(node * shape[1] + group, minlength=shape[0] * shape[1]).reshape(shape)
