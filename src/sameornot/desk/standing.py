"""Where a session stands after its answers: the session itself, the question it asks, and its groups.

A standing is made from the answers alone, or from the standing before it and one more answer, with the same
outcome. It is never changed, so it can be made ahead of time for each answer that a person may give.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from scipy.optimize import linear_sum_assignment

from sameornot._types import Pair, Recheck, Reply
from sameornot.constraints import Constraints
from sameornot.session import ActiveSession, SessionResult, absorb


@dataclass(frozen=True)
class Standing:
    """A session after `session.answers`: its question, the odds behind it, and its grouping.

    `numbers` holds the lasting number of each placed row's group.
    """

    session: ActiveSession
    pair: Pair | None
    odds: dict[int, float]
    result: SessionResult
    numbers: dict[int, int]

    @property
    def group_numbers(self) -> list[int]:
        """The number of each label: lasting ones for groups with a known row, the next free for others."""
        known = [self.numbers[int(members[0])] for members in self.result.neighbourhoods]
        n_labels = max(int(self.result.labels.max()) + 1, len(known))
        free = (number for number in range(1, 2 * n_labels + 1) if number not in known)
        return known + [next(free) for _ in range(n_labels - len(known))]


def stand(session: ActiveSession) -> Standing:
    """Where a session that has only been given its answers stands."""
    return _settle(session, number_groups(session))


def follow(standing: Standing, reply: Reply) -> Standing:
    """Where the session would stand with one more answer."""
    session = standing.session.fork()
    session.tell(reply.answer, Recheck(*reply.pair) if reply.again else reply.pair)
    return _settle(session, standing.numbers)


def _settle(session: ActiveSession, numbers: dict[int, int]) -> Standing:
    pair = session.ask()
    result = session.result()
    return Standing(session, pair, session.odds(), result, _number(numbers, result.neighbourhoods))


def number_groups(session: ActiveSession) -> dict[int, int]:
    """Number the groups in the order in which the answers told them apart."""
    numbers: dict[int, int] = {}
    constraints = Constraints(len(session))
    for reply in session.answers:
        absorb(constraints, reply, session.n_clusters, infer_last=session.infer_last)
        numbers = _number(numbers, session.settings.neighbourhoods(constraints, session.n_clusters))
    return numbers


def _number(numbers: dict[int, int], groups: Sequence[np.ndarray]) -> dict[int, int]:
    """Keep the number of each group that has one, the lowest where two have become one; no number twice."""
    rows = [members.tolist() for members in groups]
    known = [min((numbers[row] for row in members if row in numbers), default=None) for members in rows]
    numbered, taken = dict(numbers), {*known, *numbers.values()}
    used: set[int] = set()
    for members, number in sorted(zip(rows, known, strict=True), key=lambda group: min(group[0])):
        if number is None or number in used:
            number = next(free for free in count(1) if free not in taken)
            taken.add(number)
        used.add(number)
        numbered |= dict.fromkeys(members, number)
    return numbered


def share_moved(before: np.ndarray, after: np.ndarray) -> float:
    """Share of the rows that changed group, when groups are matched as well as they can be."""
    counts = np.zeros((before.max() + 1, after.max() + 1))
    np.add.at(counts, (before, after), 1)
    return float(1.0 - counts[linear_sum_assignment(counts, maximize=True)].sum() / len(before))
