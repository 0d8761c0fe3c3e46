"""Which answer to ask for again: the routine that watches the expert, and the doubts that follow.

A question is asked again after 5, 10, 20, 40, … more answers, each time the one whose answer is least
credible: that costs a careful expert some two questions in a hundred. An answer that does not hold shows who
is not careful: the series begins anew, and once errors are likely every answer competes with the questions
not asked yet, by how near its odds are to even.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from sameornot._types import Answer, Recheck
from sameornot.constraints import Fact
from sameornot.ensemble.answer_proba import PRESUMED, credibility
from sameornot.ensemble.posterior import Opinion

FIRST_RECHECK = 5
# A question is not put more often than this: by then the rows themselves are doubtful.
MOST_VOTES = 3


def routine_recheck(told: Sequence[Fact], hoods: Sequence[np.ndarray], opinion: Opinion) -> Recheck | None:
    """The least credible of the answers, if it is time to ask for one again."""
    times = Counter(frozenset(pair) for pair, _ in told)
    since, in_a_row = last_repeats(told)
    if since < FIRST_RECHECK * 2**in_a_row:
        return None
    credible = credibility(told, hoods, opinion.odds, max(opinion.error, PRESUMED))
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
    credible = credibility(told, hoods, opinion.odds, opinion.error)
    open_odds = np.abs(opinion.memberships[candidates].max(axis=1) - 0.5).min(initial=0.5)
    may_ask = [times[frozenset(pair)] < MOST_VOTES for pair, _ in told]
    worst = least(told, credible, may_ask)
    if worst is None or np.where(may_ask, credible, 1.0).min() < 0.5:
        return worst
    return worst if np.where(may_ask, credible, 1.0).min() - 0.5 < open_odds else None


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
