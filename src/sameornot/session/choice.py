"""From a question to a choice: the row of the question, and members of several groups that it may belong to.

No strategy knows of choices. A question places a row if its left row is in no group of two or more yet and
its right row is in a known group. Then members of other known groups can be shown beside the right row; the
answer counts as the pairs that it implies, and the strategy is told about its own pair.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sameornot._types import Choice, Question
from sameornot.constraints import Constraints
from sameornot.query.base import most_typical

# Known groups from which on a person chooses among several at once, and among how many: with fewer groups
# pairs take hardly more questions, and five candidates are taken in at a glance.
MIN_GROUPS = 4
N_CHOICES = 5


class Candidate(NamedTuple):
    """A member of a group, how likely the row is to belong to that group, and how far from it the row is."""

    row: int
    proba: float
    distance: float


def find_choice(
    question: Question,
    answers: Constraints,
    groups: Sequence[np.ndarray],
    space: np.ndarray,
    n_candidates: int,
) -> Choice:
    """The question with up to `n_candidates` groups to choose from; with one where only a pair makes sense.

    Beside the group that the question is about there are those that no answer rules out, the likeliest first;
    where the strategy has no probabilities, the closest first in `space`.
    """
    left, right = question
    own, asked = set(answers.group(left)), set(answers.group(right))
    known = [members for members in groups if int(members[0]) not in own]
    places = not question.is_recheck and len(own) == 1
    if not places or not any(int(members[0]) in asked for members in known):
        return Choice(left, (right,), is_recheck=question.is_recheck)
    beside = [members for members in known if int(members[0]) not in asked]
    found = [_candidate(question, answers, members, space) for members in beside]
    others = sorted(
        (candidate for candidate in found if candidate is not None),
        key=lambda candidate: (-candidate.proba, candidate.distance),
    )
    first = Candidate(right, _proba(question, asked), 0.0)
    possible = [first, *others]
    total = sum(candidate.proba for candidate in possible)
    shown = possible[: max(1, n_candidates)]
    proba = tuple(candidate.proba / total for candidate in shown) if total > 0 else ()
    return Choice(left, tuple(candidate.row for candidate in shown), proba)


def _candidate(
    question: Question, answers: Constraints, members: np.ndarray, space: np.ndarray
) -> Candidate | None:
    """The most typical member of a group that no answer compares with the row; None if there is none."""
    row = question.left
    if answers.relation(row, int(members[0])) is not None:
        return None
    typical = (member for member in most_typical(members, space) if not answers.is_unsure(row, member))
    member = next(typical, None)
    if member is None:
        return None
    distance = float(((space[row] - space[members].mean(axis=0)) ** 2).sum())
    return Candidate(member, _proba(question, set(members.tolist())), distance)


def _proba(question: Question, members: set[int]) -> float:
    """How likely the row is to belong to a group: its probabilities are under one row of each."""
    return sum(proba for row, proba in question.proba.items() if row in members)
