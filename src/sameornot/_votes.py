"""Groups that most of some votes agree with, where votes contradict each other.

A vote for two points is how many more answers call them the same than different. The two groups that most
votes net would join are joined, again and again, until every two groups have as many votes against as for:
greedy correlation clustering (Bansal et al. 2004; Keuper et al. 2015). Points that were answered both ways
are left to a second round, in which groups that the others make are not joined any more: a point that two
groups claim does not weld them.
"""

from collections.abc import Collection, Mapping
from heapq import heappop, heappush
from types import MappingProxyType

Votes = Mapping[tuple[int, int], int]


def partition(votes: Votes, doubtful: Collection[int] = ()) -> dict[int, int]:
    """The group of each point that some vote speaks of, named by one of its points."""
    undoubted = {pair: vote for pair, vote in votes.items() if not any(point in doubtful for point in pair)}
    return join(votes, join(undoubted))


def join(votes: Votes, made: Mapping[int, int] = MappingProxyType({})) -> dict[int, int]:
    """The group of each point, every two groups having at least as many votes against as for joining them.

    Groups that are `made`, of two points and more, stay apart.
    """
    members: dict[int, list[int]] = {}
    for point in sorted({point for pair in votes for point in pair}):
        members.setdefault(made.get(point, point), []).append(point)
    is_made = {name for name, points in members.items() if len(points) > 1}
    between: dict[int, dict[int, int]] = {name: {} for name in members}
    for pair, vote in votes.items():
        left, right = (made.get(point, point) for point in pair)
        if left != right:
            between[left][right] = between[right][left] = between[left].get(right, 0) + vote
    queue: list[tuple[int, int, int]] = []

    def consider(a: int, b: int) -> None:
        if between[a][b] > 0 and not (a in is_made and b in is_made):
            heappush(queue, (-between[a][b], min(a, b), max(a, b)))

    for left, others in between.items():
        for right in others:
            if left < right:
                consider(left, right)
    while queue:
        negative, kept, gone = heappop(queue)
        if between.get(kept, {}).get(gone) != -negative or (kept in is_made and gone in is_made):
            continue  # one of the two was joined with another since
        members[kept] += members.pop(gone)
        if gone in is_made:
            is_made.add(kept)
        del between[kept][gone]
        for other, vote in between.pop(gone).items():
            if other != kept:
                del between[other][gone]
                between[kept][other] = between[other][kept] = between[kept].get(other, 0) + vote
                consider(kept, other)
    return {point: name for name, group in members.items() for point in group}
