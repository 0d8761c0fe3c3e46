"""How likely each answer is to be right, by what all the rest says of its row and of its groups."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from sameornot._types import Answer
from sameornot.constraints import Fact
from sameornot.ensemble.noise import believe, count_votes

# Rate of errors at which answers are compared before anything is known about the expert.
PRESUMED = 0.1


def credibility(
    told: Sequence[Fact], hoods: Sequence[np.ndarray], odds: np.ndarray, error: float
) -> np.ndarray:
    """How likely each answer is to be right, all answers about its row considered.

    `odds` (n × at least L) is what each row is held for without its own answers, `error` how often the expert
    errs.
    """
    votes = count_votes(told, hoods, len(odds))
    odds = odds[:, : len(hoods)]
    belief = believe(odds / np.maximum(odds.sum(axis=1, keepdims=True), 1e-300), votes, error)
    group = {int(row): m for m, members in enumerate(hoods) for row in members}
    same = np.array([belief[row, group[other]] if other in group else np.nan for (row, other), _ in told])
    right = np.where([answer is Answer.SAME for _, answer in told], same, 1.0 - same)
    right = np.where(np.isnan(right), 1.0, right)
    between = balances(told, group)
    for at, (pair, _) in enumerate(told):
        left, other = (group.get(row, -1) for row in pair)
        if left != other and min(left, other) >= 0:
            balance = between[frozenset((left, other))]
            right[at] = min(right[at], 1.0 - one_group(left, other, balance, odds, hoods, error))
    return right


def balances(told: Sequence[Fact], group: Mapping[int, int]) -> Counter[frozenset[int]]:
    """Answers "same" less answers "different", by the groups of the two rows; −1 for a row in none."""
    between: Counter[frozenset[int]] = Counter()
    for pair, answer in told:
        between[frozenset(group.get(row, -1) for row in pair)] += 1 if answer is Answer.SAME else -1
    return between


def one_group(
    a: int, b: int, balance: int, odds: np.ndarray, hoods: Sequence[np.ndarray], error: float
) -> float:
    """How likely two groups are one, by how much the learners mix them up and the votes on it."""
    if min(len(hoods[a]), len(hoods[b])) < 2:
        return 0.0
    mean = np.array([odds[hoods[m]].mean(axis=0)[[a, b]] for m in (a, b)])
    mixed_up = min(2.0 * (mean[0, 1] + mean[1, 0]) / max(mean.sum(), 1e-300), 0.95) ** 2
    evidence = mixed_up * ((1.0 - error) / error) ** balance
    return float(evidence / (evidence + 1.0 - mixed_up))
