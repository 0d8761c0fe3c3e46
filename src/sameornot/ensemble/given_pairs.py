"""Pairs that nobody chose: which group each set of linked rows belongs to.

The questions of a session place row after row, so that each group has a set of rows that is known to differ
from the others. Pairs that are handed to an estimator link many small sets instead, and nothing says which of
them belong together. Each set goes to the group that is likeliest for it in a fit without any pairs, under
all constraints (`linking.py`), and the learners are then trained on the sets of each group: a step of hard EM
or self-training (Nigam et al. 2000).
"""

from collections.abc import Sequence

import numpy as np

from sameornot.constraints import Constraints
from sameornot.ensemble.linking import respect_constraints
from sameornot.ensemble.training import TrainingSet, all_rows


def leaves_sets_open(answers: Constraints, n_clusters: int | None) -> bool:
    """Whether some linked rows are in none of the groups that are all known to differ."""
    if n_clusters is None or answers.is_inconsistent:
        return False
    placed = all_rows(answers.neighbourhoods(at_most=n_clusters))
    return len(placed) < len(all_rows(answers.groups()))


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
