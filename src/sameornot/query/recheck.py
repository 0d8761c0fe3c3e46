"""Which answer to ask for again: the routine that watches the expert, and the doubts that follow.

A question is asked again after 5, 10, 20, 40, … more answers, each time the one whose answer is least
credible: that costs a careful expert some two questions in a hundred. An answer that does not hold shows who
is not careful: the series begins anew, and once errors are likely every answer competes with the questions
not asked yet, by how near its odds are to even.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from sameornot._types import Answer, Recheck
from sameornot.cluster._panel import Opinion
from sameornot.constraints import Fact
from sameornot.membership.reliability import believe, count_votes

FIRST_RECHECK = 5
# Rate of errors at which answers are compared before anything is known about the expert.
PRESUMED = 0.1
# A question is not put more often than this: by then the rows themselves are doubtful.
MOST_VOTES = 3


def routine_recheck(told: Sequence[Fact], hoods: Sequence[np.ndarray], opinion: Opinion) -> Recheck | None:
    """The least credible of the answers, if it is time to ask for one again."""
    times = Counter(frozenset(pair) for pair, _ in told)
    since, in_a_row = last_repeats(told)
    if since < FIRST_RECHECK * 2**in_a_row:
        return None
    credible = credibility(told, hoods, opinion, max(opinion.error, PRESUMED))
    return least(told, credible, [times[frozenset(pair)] == 1 for pair, _ in told])


def last_repeats(told: Sequence[Fact]) -> tuple[int, int]:
    """Answers since a question was last asked again, and how many such times in a row the answer held."""
    first: dict[frozenset[int], Answer] = {}
    since = in_a_row = 0
    for pair, answer in told:
        question = frozenset(pair)
        if question in first:
            since, in_a_row = 0, in_a_row + 1 if first[question] is answer else 0
        else:
            first[question] = answer
            since += 1
    return since, in_a_row


def doubtful_answer(
    told: Sequence[Fact], hoods: Sequence[np.ndarray], opinion: Opinion, candidates: np.ndarray
) -> Recheck | None:
    """An answer that is likelier wrong than right, or one in more doubt than any row not placed yet."""
    times = Counter(frozenset(pair) for pair, _ in told)
    credible = credibility(told, hoods, opinion, opinion.error)
    open_odds = np.abs(opinion.memberships[candidates].max(axis=1) - 0.5).min(initial=0.5)
    may_ask = [times[frozenset(pair)] < MOST_VOTES for pair, _ in told]
    worst = least(told, credible, may_ask)
    if worst is None or np.where(may_ask, credible, 1.0).min() < 0.5:
        return worst
    return worst if np.where(may_ask, credible, 1.0).min() - 0.5 < open_odds else None


def credibility(
    told: Sequence[Fact], hoods: Sequence[np.ndarray], opinion: Opinion, error: float
) -> np.ndarray:
    """How likely each answer is to be right, all answers about its row considered."""
    votes = count_votes(told, hoods, len(opinion.odds))
    odds = opinion.odds[:, : len(hoods)]
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


def least(told: Sequence[Fact], credible: np.ndarray, may_ask: Sequence[bool]) -> Recheck | None:
    """The least credible answer of those that may be asked for again."""
    if not any(may_ask):
        return None
    worst = int(np.where(may_ask, credible, np.inf).argmin())
    return Recheck(*told[worst][0])


def told_pair(told: Sequence[Fact], row: int, members: np.ndarray) -> tuple[int, int] | None:
    """A question that was asked about a row and one of some others."""
    inside = set(members.tolist())
    return next((pair for pair, _ in told if pair.left == row and pair.right in inside), None)
