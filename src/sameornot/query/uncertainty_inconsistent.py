"""Uncertainty sampling where answers contradict each other, so that the expert is known to err.

Groups are the MAP assignment given learners and answers, so no row is placed for good: a question that was
answered competes with new ones. Two groups that may be one are compared first; while groups are unknown,
every other row that is asked about is to find one.
"""

from collections import Counter
from collections.abc import Generator
from itertools import combinations

import numpy as np

from sameornot._types import Answer, Question
from sameornot.ensemble.answer_proba import merge_proba, votes_between_groups
from sameornot.ensemble.graph import facility_location
from sameornot.ensemble.posterior import Posterior
from sameornot.ensemble.training import all_rows
from sameornot.query.base import Questions, View
from sameornot.query.recheck import RecheckSchedule


def ask_inconsistent(
    view: View, merge_threshold: float, schedule: RecheckSchedule, rng: np.random.Generator
) -> Questions:
    """Compare two groups that may be one, or ask where the most uncertain row belongs, until "same"."""
    posterior: Posterior = view.clustering.posterior
    for a, b in may_be_one(view, merge_threshold):
        question = question_about(view, surest_members(posterior, b)[0], a, schedule)
        if question is not None:
            yield question
            return
    for row in uncertain_rows(view, rng):
        is_asked = yield from place(view, row, schedule)
        if is_asked:
            return


def place(view: View, row: int, schedule: RecheckSchedule) -> Generator[Question, Answer, bool]:
    """Ask a row against its likeliest groups, until "same"; returns whether anything was asked."""
    posterior: Posterior = view.clustering.posterior
    belief = posterior.proba[row].copy()
    proba = view.proba_by_member(proba_by_neighbourhood(view, row))
    is_asked = False
    for _ in posterior.groups:
        m = int(belief.argmax())
        question = question_about(view, row, m, schedule)
        if question is None:
            belief[m] = 0.0
            continue
        is_asked = True
        answer = yield Question(*question, is_recheck=question.is_recheck, proba=proba)
        if answer is not Answer.DIFFERENT:
            return True
        belief[m] *= posterior.error_rate / (1.0 - posterior.error_rate)
    return is_asked


def proba_by_neighbourhood(view: View, row: int) -> np.ndarray:
    """How likely a row is to be of the group that holds the first row of each neighbourhood."""
    column = view.clustering.labels[[int(members[0]) for members in view.neighbourhoods]]
    belief = view.clustering.posterior.proba[row]
    return np.asarray(belief[column] / max(belief[np.unique(column)].sum(), 1e-300))


def may_be_one(view: View, threshold: float) -> list[tuple[int, int]]:
    """Groups that may be one by the learners' confusion and the votes on it, likeliest first."""
    posterior: Posterior = view.clustering.posterior
    groups = posterior.groups
    group_of = {int(row): m for m in range(len(groups)) for row in groups[m]}
    between = votes_between_groups(view.answers.answers, group_of)
    chance = {
        (a, b): merge_proba((a, b), between[frozenset((a, b))], posterior.prior, groups, posterior.error_rate)
        for a, b in combinations(range(len(groups)), 2)
    }
    return sorted((pair for pair in chance if chance[pair] > threshold), key=lambda pair: -chance[pair])


def uncertain_rows(view: View, rng: np.random.Generator) -> list[int]:
    """Rows with the fewest "unsure" answers first, and of these the ones nearest to even odds.

    While a group is unknown, every other time a row that no answer speaks of and that represents many others
    comes before them.
    """
    posterior: Posterior = view.clustering.posterior
    rows = np.setdiff1d(np.arange(len(view.X)), sorted(view.pending_points))
    certainty = np.abs(posterior.proba[rows].max(axis=1) - 0.5) + redundancy(view, rows)
    unsure = view.answers.unsure_counts()[rows]
    order = np.lexsort((rng.permutation(len(rows)), np.round(certainty, 9), unsure))
    first: list[int] = []
    if any(len(members) == 0 for members in posterior.groups) and len(all_rows(posterior.groups)) % 2:
        spoken_of = np.unique([row for pair, _ in view.answers.answers for row in pair])
        free = np.setdiff1d(rows, spoken_of)
        first = facility_location(view.clustering.geometry.kernel, spoken_of, 1, free)
    return [*first, *(int(row) for row in rows[order])]


def redundancy(view: View, rows: np.ndarray) -> np.ndarray:
    """How similar each row is to one of a pending question: both would tell the same."""
    pending = np.array(sorted(view.pending_points), dtype=np.intp)
    kernel = view.clustering.geometry.kernel[np.ix_(rows, pending)]
    return np.asarray(kernel.max(axis=1, initial=0.0))


def surest_members(posterior: Posterior, m: int) -> list[int]:
    """The members of a group, those first that are members beyond their own answers."""
    members = posterior.groups[m]
    proba, is_outvoted = posterior.prior[members, m], posterior.proba[members, m] < 0.5
    return [int(row) for row in members[np.lexsort((members, -np.round(proba, 6), is_outvoted))]]


def question_about(view: View, row: int, m: int, schedule: RecheckSchedule) -> Question | None:
    """A question whether a row is of a group: one that was answered, or else one that is open."""
    known, busy = view.answers, [set(pair) for pair in view.pending]
    members = [
        member
        for member in surest_members(view.clustering.posterior, m)
        if member != row and not known.is_unsure(row, member) and {row, member} not in busy
    ]
    times = Counter(frozenset(pair) for pair, _ in known.answers if row in pair)
    answered = [member for member in members if frozenset((row, member)) in times]
    if answered:
        again = min(answered, key=lambda member: times[frozenset((row, member))])
        may_ask = times[frozenset((row, again))] < schedule.max_votes
        return Question(row, again, is_recheck=True) if may_ask else None
    return next((Question(row, member) for member in members if known.relation(row, member) is None), None)
