"""What comparing two known groups is worth that no answer tells apart: rows put right by merging them.

    worth_ab = q · min(n_a, n_b)

If both are one, the rows of the smaller one (n rows are expected in it) are in a group that should not exist.
q is how often two groups turned out to be one when they were compared so far, with a beta prior. Learners do
not tell it: they never confuse separate pieces of one group.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sameornot._types import Answer, Fact
from sameornot.ensemble.training import group_of_rows
from sameornot.query.base import View


class OpenPairs(NamedTuple):
    """Pairs of groups that no answer tells apart, and how likely the learners are to confuse them."""

    first: np.ndarray
    second: np.ndarray
    confusion: np.ndarray


def open_pairs(view: View) -> OpenPairs:
    """All pairs of groups that no answer tells apart and that no pending question compares."""
    groups = view.neighbourhoods
    is_open = ~view.ruled_out[[int(members[0]) for members in groups]]
    group = group_of_rows(groups, len(view.X))
    for pair in view.pending:
        a, b = group[pair.left], group[pair.right]
        if a >= 0 and b >= 0:
            is_open[a, b] = is_open[b, a] = False
    first, second = np.nonzero(np.triu(is_open, 1))
    prior: np.ndarray = view.clustering.posterior.prior
    taken_for = np.array([prior[members].mean(axis=0) for members in groups])
    return OpenPairs(first, second, np.maximum(taken_for[first, second], taken_for[second, first]))


def comparison_worth(view: View, pairs: OpenPairs, prior: tuple[float, float]) -> np.ndarray:
    """What comparing each open pair is worth, in rows per question."""
    size = view.clustering.posterior.proba.sum(axis=0)
    merge_rate = rate_of_mergers(view.answers.answers, prior)
    return np.asarray(merge_rate * np.minimum(size[pairs.first], size[pairs.second]))


def rate_of_mergers(answers: Sequence[Fact], prior: tuple[float, float]) -> float:
    """How often two groups turned out to be one when they were compared.

    An answer compares two groups if both of its rows were known before, it does not go on about the row of
    the answer before, and the pair was not asked about already.
    """
    known: set[int] = set()
    asked: set[frozenset[int]] = set()
    before = -1
    n_same, n_different = prior
    for pair, answer in answers:
        if pair.left != before and known.issuperset(pair) and frozenset(pair) not in asked:
            n_same += answer is Answer.SAME
            n_different += answer is Answer.DIFFERENT
        known.update(pair)
        asked.add(frozenset(pair))
        before = pair.left
    return n_same / (n_same + n_different)
