"""Which neighbourhood a point belongs to, by random forest leaf co-occurrence (R, §4).

    r_im  ∝  mean over members j of N_m and over trees of [i and j fall in the same leaf]

The forest is fitted to the current clustering. Counts of members by leaf are all that is needed, so the cost
is O(n · trees · L), never an n × n matrix.
"""

from collections.abc import Sequence

import numpy as np

from sameornot.query import _trees
from sameornot.query.base import View

N_TREES = 50


def current_memberships(
    view: View, rng: np.random.Generator, n_trees: int = N_TREES, *, exclude_ruled_out: bool = True
) -> np.ndarray:
    """Neighbourhood memberships (R) by a forest fitted to the current clustering."""
    seed = int(rng.integers(2**31))
    labels = view.clustering.labels
    leaves = view.cached(("leaves", seed, n_trees), lambda: forest_leaves(view.X, labels, seed, n_trees))
    similarity = leaf_similarity(leaves, view.neighbourhoods)
    ruled_out = view.ruled_out if exclude_ruled_out else np.zeros_like(view.ruled_out)
    return neighbourhood_memberships(similarity, view.neighbourhoods, ruled_out)


def forest_leaves(X: np.ndarray, labels: np.ndarray, seed: int, n_trees: int = N_TREES) -> np.ndarray:
    """The leaf (numbered over the whole forest) that each point falls in, one column a tree."""
    deviation = X.std(axis=0)  # trees work in float32 and take a range below 1e-7 for constant
    X = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return _trees.grow_and_apply(X, labels, n_trees, seed)


def leaf_similarity(leaves: np.ndarray, neighbourhoods: Sequence[np.ndarray]) -> np.ndarray:
    """Mean share of trees in which a point shares its leaf with the members of each neighbourhood (n × L)."""
    n_leaves = int(leaves.max()) + 1
    n_trees = leaves.shape[1]
    similarity = [
        np.bincount(leaves[members].ravel(), minlength=n_leaves)[leaves].sum(axis=1)
        / (len(members) * n_trees)
        for members in neighbourhoods
    ]
    return np.column_stack(similarity)


def neighbourhood_memberships(
    similarity: np.ndarray, neighbourhoods: Sequence[np.ndarray], ruled_out: np.ndarray
) -> np.ndarray:
    """Probability of each neighbourhood for each point (R): placed points one-hot, no likeness uniform.

    `ruled_out` (n × L) marks the neighbourhoods that a point is known to differ from.
    """
    likeness = np.where(ruled_out, 0.0, similarity)
    unlike_all = likeness.sum(axis=1) == 0
    likeness[unlike_all] = ~ruled_out[unlike_all]
    likeness[likeness.sum(axis=1) == 0] = 1.0
    memberships = likeness / likeness.sum(axis=1, keepdims=True)
    for m, members in enumerate(neighbourhoods):
        memberships[members] = np.eye(len(neighbourhoods))[m]
    return memberships
