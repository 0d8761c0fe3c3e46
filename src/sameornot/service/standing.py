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

    `numbers` holds the lasting number of the group in which the answers put a row, from 1 on.
    """

    session: ActiveSession
    pair: Pair | None
    odds: dict[int, float]
    result: SessionResult
    numbers: dict[int, int]

    @property
    def group_numbers(self) -> list[int]:
        """The number of each label: that of most of its placed rows, or else the next free one."""
        groups = self.result.neighbourhoods
        counts = np.zeros((len(groups), max(self.numbers.values(), default=0) + 1), dtype=np.intp)
        for label, members in enumerate(groups):
            for row in members.tolist():
                counts[label, self.numbers.get(row, 0)] += 1
        counts[:, 0] = 0
        matched = np.transpose(linear_sum_assignment(counts, maximize=True)).tolist()
        lasting = {label: number for label, number in matched if counts[label, number]}
        free = (number for number in count(1) if number not in lasting.values())
        n_labels = max(int(self.result.labels.max()) + 1, len(groups))
        return [lasting[label] if label in lasting else next(free) for label in range(n_labels)]


def stand(session: ActiveSession) -> Standing:
    """Where a session that has only been given its answers stands."""
    return _settle(session, number_groups(session))


def follow(standing: Standing, reply: Reply) -> Standing:
    """Where the session would stand with one more answer."""
    session = standing.session.fork()
    session.tell(reply.answer, Recheck(*reply.pair) if reply.is_recheck else reply.pair)
    return _settle(session, standing.numbers)


def _settle(session: ActiveSession, numbers: dict[int, int]) -> Standing:
    pair = session.ask()
    result = session.result()
    told = session.settings.neighbourhoods(session.constraints, session.n_clusters)
    return Standing(session, pair, session.odds(), result, _number(numbers, told))


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
