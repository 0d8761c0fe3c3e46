"""Pairs that nobody chose: which group each set of linked rows belongs to.

The questions of a session place row after row, so that each group has a set of rows that is known to differ
from the others. Pairs that are handed to an estimator link many small sets instead, and nothing says which of
them belong together. There are two first guesses: a fit without any pairs, and one that takes the first
linked sets for the groups, as if they had been asked about. The one that foretells the other pairs better
places all sets: each goes to the group that is likeliest for it, under all constraints (`linking.py`). The
learners are trained on the sets of each group, and place them again: hard EM or self-training (Nigam et al.
2000).
"""

from collections.abc import Sequence

import numpy as np

from sameornot.constraints import Constraints
from sameornot.ensemble.linking import respect_constraints
from sameornot.ensemble.training import TrainingSet, all_rows

# How often sets are placed. After three rounds next to none of them moves.
N_ROUNDS = 3

# Least and most probability that a pair is taken to have: one pair cannot decide between two guesses.
LEAST_PROBA = 0.02


def leaves_sets_open(answers: Constraints, n_clusters: int | None) -> bool:
    """Whether some linked rows are in none of the groups that are all known to differ."""
    if n_clusters is None or answers.is_inconsistent:
        return False
    placed = all_rows(answers.neighbourhoods(at_most=n_clusters))
    return len(placed) < len(all_rows(answers.groups()))


def pair_log_likelihood(proba: np.ndarray, answers: Constraints, seen: np.ndarray) -> float:
    """How well probabilities of groups (n × K) foretell the pairs of which not both rows were `seen`."""
    is_seen = np.zeros(len(proba), dtype=bool)
    is_seen[seen] = True
    total = 0.0
    for pairs, is_same in ((answers.must_link, True), (answers.cannot_link, False)):
        left, right = pairs[~is_seen[pairs].all(axis=1)].T
        same = (proba[left] * proba[right]).sum(axis=1).clip(LEAST_PROBA, 1.0 - LEAST_PROBA)
        total += float(np.log(same if is_same else 1.0 - same).sum())
    return total


def place_sets(proba: np.ndarray, answers: Constraints) -> TrainingSet:
    """The sets of linked rows by the group that is likeliest for each of them, under all constraints."""
    sets = answers.groups()
    allowed = respect_constraints(proba, answers, [], may_add=False)
    group_of_set = np.array([int(allowed[members[0]].argmax()) for members in sets])
    is_apart = answers.known_apart(sets)
    groups: list[np.ndarray] = []
    excluded: list[np.ndarray] = []
    for group in np.unique(group_of_set):
        chosen = np.flatnonzero(group_of_set == group)
        groups.append(np.sort(_rows_of(sets, chosen)))
        excluded.append(np.asarray(is_apart[:, chosen].any(axis=1)))
    apart = np.column_stack(excluded)
    for m, members in enumerate(groups):
        apart[members, m] = False  # more groups than fit: a set is with one that it should not be with
    return TrainingSet(groups, apart)


def _rows_of(sets: Sequence[np.ndarray], chosen: np.ndarray) -> np.ndarray:
    return np.concatenate([sets[number] for number in chosen])
