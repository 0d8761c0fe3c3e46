"""Which answer to ask for again: scheduled checks of the expert, and the doubts that follow.

A question is asked again after 5, 10, 20, 40, … more answers, each time the one whose answer is least likely
to be right given all others. That costs a careful expert about two questions in a hundred. An answer that
does not hold starts the schedule again, and once errors are likely, every answer competes with the questions
not asked yet by how near its probability is to one half.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sameornot._types import Answer, Fact, Question
from sameornot.ensemble.answer_proba import answer_proba
from sameornot.ensemble.fit import EnsembleFit


@dataclass(frozen=True)
class RecheckSchedule:
    """When an answer is asked for again.

    Parameters
    ----------
    first : int
        Answers until the first recheck; the wait doubles with each answer that holds.
    max_votes : int
        A question is not asked more often than this: by then the rows themselves are doubtful.

    Examples
    --------
    >>> from sameornot import RecheckSchedule, UncertaintySampling
    >>> UncertaintySampling(recheck=RecheckSchedule(first=10)).recheck.first  # half as many repetitions
    10
    """

    first: int = 5
    max_votes: int = 3


def routine_recheck(
    answers: Sequence[Fact], neighbourhoods: Sequence[np.ndarray], fit: EnsembleFit, schedule: RecheckSchedule
) -> Question | None:
    """The answer that is least likely to be right, if it is time to ask for one again."""
    times = Counter(frozenset(pair) for pair, _ in answers)
    since, in_a_row = last_rechecks(answers)
    if since < schedule.first * 2**in_a_row:
        return None
    likely = fit.answer_proba(answers, neighbourhoods)
    return least_likely(answers, likely, [times[frozenset(pair)] == 1 for pair, _ in answers])


def last_rechecks(answers: Sequence[Fact]) -> tuple[int, int]:
    """Answers since a question was last asked again, and how many such times in a row the answer held."""
    first: dict[frozenset[int], Answer] = {}
    since = in_a_row = 0
    for pair, answer in answers:
        question = frozenset(pair)
        if question in first:
            since, in_a_row = 0, in_a_row + 1 if first[question] is answer else 0
        else:
            first[question] = answer
            since += 1
    return since, in_a_row


def doubtful_answer(
    answers: Sequence[Fact],
    neighbourhoods: Sequence[np.ndarray],
    fit: EnsembleFit,
    candidates: np.ndarray,
    schedule: RecheckSchedule,
) -> Question | None:
    """An answer that is likelier wrong than right, or nearer to even odds than any row not placed yet."""
    times = Counter(frozenset(pair) for pair, _ in answers)
    posterior, smoothing = fit.posterior, fit.noise.label_smoothing
    likely = answer_proba(answers, neighbourhoods, posterior.prior, posterior.error_rate, smoothing)
    open_odds = np.abs(posterior.proba[candidates].max(axis=1) - 0.5).min(initial=0.5)
    may_ask = [times[frozenset(pair)] < schedule.max_votes for pair, _ in answers]
    worst = least_likely(answers, likely, may_ask)
    least = np.where(may_ask, likely, 1.0).min()
    return worst if worst is None or least < 0.5 or least - 0.5 < open_odds else None


def least_likely(answers: Sequence[Fact], likely: np.ndarray, may_ask: Sequence[bool]) -> Question | None:
    """The answer that is least likely to be right, of those that may be asked for again."""
    if not any(may_ask):
        return None
    worst = int(np.where(may_ask, likely, np.inf).argmin())
    return Question(*answers[worst][0], is_recheck=True)


def answered_pair(answers: Sequence[Fact], row: int, members: np.ndarray) -> tuple[int, int] | None:
    """A question that was answered about a row and one of some others."""
    inside = set(members.tolist())
    return next((pair for pair, _ in answers if pair.left == row and pair.right in inside), None)
