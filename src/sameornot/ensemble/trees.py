"""Extremely randomised trees on the placed rows: the one learner here that takes features as they come.

A tree splits the rows at a node by one feature at one threshold: of a few features, drawn at random with a
threshold each (Geurts et al. 2006), the pair that leaves the groups purest. All trees grow together, a level
at a time, in arrays: with the few hundred rows that an expert places, growing them one by one would be
nearly all overhead.
"""

from collections.abc import Sequence

import numpy as np

N_TREES = 30
# Levels after which a node stays mixed: rows of two groups there may be the same in all features.
MAX_LEVELS = 40
# Impurities closer than this are the same: how they are rounded must not decide.
DIGITS = 9


def grow_trees(rows: np.ndarray, groups: Sequence[np.ndarray], rng: np.random.Generator) -> np.ndarray:
    """Share of the trees that hold each row for each group (n × L); all alike before two rows a group.

    Of the rows that they were grown on they know by heart what they are: there too, all alike.
    """
    placed = np.concatenate(list(groups))
    if len(placed) < 2 * len(groups):
        return np.full((len(rows), len(groups)), 1.0 / len(groups))
    group = np.repeat(np.arange(len(groups)), [len(members) for members in groups])
    leaves, n_leaves = grow(rows, placed, group, rng)
    counts = count(leaves[:, placed].ravel(), np.tile(group, N_TREES), (n_leaves, len(groups)))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    held = np.mean([shares[own] for own in leaves], axis=0)
    held[placed] = 1.0 / len(groups)
    return np.asarray(held)


def grow(
    rows: np.ndarray, placed: np.ndarray, group: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, int]:
    """The node that each row ends in (trees × n), numbered through all trees, and how many there are."""
    nodes = np.repeat(np.arange(N_TREES)[:, None], len(rows), axis=1)
    mixed, n_nodes = np.arange(N_TREES), N_TREES
    for _ in range(MAX_LEVELS):
        if not len(mixed):
            break
        place = np.full(n_nodes, -1)
        place[mixed] = np.arange(len(mixed))
        at = place[nodes[:, placed]].ravel()
        order = np.argsort(at, kind="stable")[np.count_nonzero(at < 0) :]
        sample = order % len(placed)
        feature, threshold = split(rows, placed[sample], at[order], group[sample], rng)
        place[mixed[feature < 0]] = -1
        tree, row = np.nonzero(place[nodes] >= 0)
        at = place[nodes[tree, row]]
        nodes[tree, row] = n_nodes + 2 * at + (rows[row, feature[at]] > threshold[at])
        born = nodes[:, placed].ravel() - n_nodes
        counts = count(born[born >= 0], np.tile(group, N_TREES)[born >= 0], (2 * len(mixed), group.max() + 1))
        still = n_nodes + np.flatnonzero((counts > 0).sum(axis=1) > 1)
        n_nodes, mixed = n_nodes + 2 * len(mixed), np.r_[mixed[feature < 0], still]
    return nodes, n_nodes


def split(
    rows: np.ndarray, sample: np.ndarray, node: np.ndarray, group: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The feature and the threshold by which each node is split; −1 where no feature drawn varies.

    Sample s, row `sample[s]` of `rows`, is at node `node[s]`, rising, and of group `group[s]`.
    """
    n_features, n_nodes = rows.shape[1], int(node[-1]) + 1
    n_tried = max(1, int(np.sqrt(n_features)))
    drawn = rng.integers(n_features, size=(n_nodes, n_tried))
    values = rows[sample[:, None], drawn[node]]
    starts = np.searchsorted(node, np.arange(n_nodes))
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    varies = high > low
    threshold = np.minimum(low + rng.random(low.shape) * (high - low), np.nextafter(high, low))
    purity = np.where(varies, measure_purity(values > threshold[node], node, group, n_nodes), -np.inf)
    best = np.round(purity, DIGITS).argmax(axis=1)
    each = np.arange(n_nodes)
    return np.where(varies.any(axis=1), drawn[each, best], -1), threshold[each, best]


def measure_purity(above: np.ndarray, node: np.ndarray, group: np.ndarray, n_nodes: int) -> np.ndarray:
    """Sum over both sides of Σ_m (rows of group m)² / rows (nodes × tried): large where sides are pure."""
    n_groups, n_tried = int(group.max()) + 1, above.shape[1]
    cell = (node * n_groups + group)[:, None] * n_tried + np.arange(n_tried)
    upper = np.bincount(cell[above], minlength=n_nodes * n_groups * n_tried)
    upper = upper.reshape(n_nodes, n_groups, n_tried)
    lower = count(node, group, (n_nodes, n_groups))[:, :, None] - upper
    return sum((side**2).sum(axis=1) / np.maximum(side.sum(axis=1), 1) for side in (upper, lower))


def count(node: np.ndarray, group: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """How many rows of each group are at each node."""
    return np.bincount(node * shape[1] + group, minlength=shape[0] * shape[1]).reshape(shape)
