"""Hard constraints: probabilities under which all pairs of an estimator's `fit` hold.

A session weighs answers as evidence. Labels and pairs that are handed to an estimator have to hold, also
those of rows outside of the known groups. Each set of rows that must be together gets the group that is
likeliest for all of them, among those of which it must not be apart. This is graph colouring by saturation
(DSATUR: Brélaz 1979): the sets with fewest groups left come first.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import softmax

from sameornot.constraints import Constraints
from sameornot.ensemble.training import all_rows


def respect_constraints(
    proba: np.ndarray, answers: Constraints, neighbourhoods: Sequence[np.ndarray], *, may_add: bool
) -> np.ndarray:
    """Probabilities (n × K) under which neighbourhood m is group m and all other constraints hold.

    A set that no group is left for gets a new one if `may_add`; else it is not restricted.
    """
    proba = proba.copy()
    for m, members in enumerate(neighbourhoods):
        proba[members] = np.eye(proba.shape[1])[m]
    known = set(all_rows(neighbourhoods).tolist())
    sets = [members for members in answers.groups() if int(members[0]) not in known]
    is_apart = answers.known_apart(sets)
    between_sets = is_apart[[int(members[0]) for members in sets]]
    taken = np.zeros((len(sets), proba.shape[1]), dtype=bool)
    for m, members in enumerate(neighbourhoods):
        taken[:, m] = is_apart[members[0]]
    waiting = np.ones(len(sets), dtype=bool)
    while waiting.any():
        chosen = int(np.where(waiting, taken.sum(axis=1), -1).argmax())
        if may_add and taken[chosen].all():
            proba, taken = (np.pad(columns, ((0, 0), (0, 1))) for columns in (proba, taken))
        proba[sets[chosen]] = joint_proba(proba[sets[chosen]], taken[chosen])
        taken[between_sets[chosen], proba[sets[chosen][0]].argmax()] = True
        waiting[chosen] = False
    return proba


def joint_proba(proba: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """Probability of each group for rows that are in the same one, without those that are taken."""
    joint = np.log(np.maximum(proba, 1e-300)).sum(axis=0)
    return np.asarray(softmax(joint if taken.all() else np.where(taken, -np.inf, joint)))
