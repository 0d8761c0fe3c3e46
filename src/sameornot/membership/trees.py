"""Extremely randomised trees on the placed rows: the one learner here that takes features as they come."""

from collections.abc import Sequence

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

N_TREES = 30


def grow_trees(rows: np.ndarray, groups: Sequence[np.ndarray], rng: np.random.Generator) -> np.ndarray:
    """Share of the trees that hold each row for each group (n × L); all alike before two rows a group.

    Of the rows that they were grown on they know by heart what they are: there too, all alike.
    """
    placed = np.concatenate(list(groups))
    if len(placed) < 2 * len(groups):
        return np.full((len(rows), len(groups)), 1.0 / len(groups))
    group = np.repeat(np.arange(len(groups)), [len(members) for members in groups])
    trees = ExtraTreesClassifier(N_TREES, random_state=int(rng.integers(2**31)))
    shares = np.asarray(trees.fit(rows[placed], group).predict_proba(rows))
    shares[placed] = 1.0 / len(groups)
    return shares
