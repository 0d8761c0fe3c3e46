"""What to ask an expert who errs: about the row nearest to even odds, whether it was asked about or not.

Groups are those that learners and answers make likeliest (`membership/reconcile.py`), so that no row is
placed for good: a question that was answered competes with new ones. Two groups that may be one are compared
first; while groups are not known, every other row that is asked about is to find one.
"""

from collections import Counter
from itertools import combinations

import numpy as np

from sameornot._types import Answer, Pair, Recheck
from sameornot.ensemble.answer_proba import balances, one_group
from sameornot.ensemble.clustering import PanelGrouping
from sameornot.ensemble.graph import representatives
from sameornot.ensemble.posterior import Opinion, rows_of
from sameornot.query.problem import Problem, Questions
from sameornot.query.recheck import MOST_VOTES

# How likely two groups have to be one, by their members and the answers about them, to be compared.
SUSPICIOUS = 0.25


def place_in_doubt(problem: Problem, grouping: PanelGrouping, rng: np.random.Generator) -> Questions:
    """Compare two groups that may be one, or ask where the most doubtful row belongs, until "same"."""
    opinion = grouping.opinion
    for a, b in may_be_one(problem, opinion):
        pair = about(problem, opinion, surest(opinion, b)[0], a)
        if pair is not None:
            yield pair
            return
    for row in doubtful_rows(problem, grouping, rng):
        belief = opinion.memberships[row].copy()
        problem.odds[row] = odds_by_hood(problem, grouping, row)
        is_asked = False
        for _ in opinion.groups:
            m = int(belief.argmax())
            pair = about(problem, opinion, row, m)
            if pair is None:
                belief[m] = 0.0
                continue
            is_asked = True
            if (yield pair) is not Answer.DIFFERENT:
                return
            belief[m] *= opinion.error / (1.0 - opinion.error)
        if is_asked:
            return


def odds_by_hood(problem: Problem, grouping: PanelGrouping, row: int) -> np.ndarray:
    """How likely a row is to be of the group that holds the first row of each neighbourhood."""
    column = grouping.labels[[int(members[0]) for members in problem.hoods]]
    belief = grouping.opinion.memberships[row]
    return np.asarray(belief[column] / max(belief[np.unique(column)].sum(), 1e-300))


def may_be_one(problem: Problem, opinion: Opinion) -> list[tuple[int, int]]:
    """Groups that may be one, by how much the learners mix them up and the votes on it, likeliest first."""
    groups = opinion.groups
    between = balances(
        problem.constraints.answers, {int(row): m for m in range(len(groups)) for row in groups[m]}
    )
    chance = {
        (a, b): one_group(a, b, between[frozenset((a, b))], opinion.odds, groups, opinion.error)
        for a, b in combinations(range(len(groups)), 2)
    }
    return sorted((pair for pair in chance if chance[pair] > SUSPICIOUS), key=lambda pair: -chance[pair])


def doubtful_rows(problem: Problem, grouping: PanelGrouping, rng: np.random.Generator) -> list[int]:
    """Rows, those first of which the expert was seldom unsure and that are nearest to even odds.

    While a group is not known, every other time a row that nobody spoke of and that stands for many others
    comes before them.
    """
    opinion = grouping.opinion
    rows = np.setdiff1d(np.arange(len(problem.X)), sorted(problem.held))
    doubt = np.abs(opinion.memberships[rows].max(axis=1) - 0.5) + likeness(problem, grouping, rows)
    unsure = problem.constraints.unsure_counts()[rows]
    order = np.lexsort((rng.permutation(len(rows)), np.round(doubt, 9), unsure))
    scouts: list[int] = []
    if any(len(members) == 0 for members in opinion.groups) and len(rows_of(opinion.groups)) % 2:
        spoken_of = np.unique([row for pair, _ in problem.constraints.answers for row in pair])
        scouts = representatives(grouping.around.close, spoken_of, 1, np.setdiff1d(rows, spoken_of))
    return [*scouts, *(int(row) for row in rows[order])]


def likeness(problem: Problem, grouping: PanelGrouping, rows: np.ndarray) -> np.ndarray:
    """How close each row is to one that somebody else is asked about: both would tell the same."""
    close = grouping.around.close[np.ix_(rows, np.array(sorted(problem.held), dtype=np.intp))]
    return np.asarray(close.max(axis=1, initial=0.0))


def surest(opinion: Opinion, m: int) -> list[int]:
    """The members of a group, those first that are members beyond their own answers."""
    members = opinion.groups[m]
    odds, is_outvoted = opinion.odds[members, m], opinion.memberships[members, m] < 0.5
    return [int(row) for row in members[np.lexsort((members, -np.round(odds, 6), is_outvoted))]]


def about(problem: Problem, opinion: Opinion, row: int, m: int) -> Pair | None:
    """A question whether a row is of a group: one that was answered, or else one that is open."""
    known = problem.constraints
    busy = [set(pair) for pair in problem.others]
    members = [
        member
        for member in surest(opinion, m)
        if member != row and not known.is_unsure(row, member) and {row, member} not in busy
    ]
    times = Counter(frozenset(pair) for pair, _ in known.answers if row in pair)
    told = [member for member in members if frozenset((row, member)) in times]
    if told:
        again = min(told, key=lambda member: times[frozenset((row, member))])
        return Recheck(row, again) if times[frozenset((row, again))] < MOST_VOTES else None
    return next((Pair(row, member) for member in members if known.relation(row, member) is None), None)
