"""Groups that most of some votes agree with, where votes contradict each other.

A vote for two points is how many more answers call them the same than different. The two groups that most
votes net would join are joined, again and again, until every two groups have as many votes against as for:
greedy correlation clustering (Bansal et al. 2004; Keuper et al. 2015). Points that were answered both ways
are left to a second round, in which groups of the first round are not joined any more: a point that two
groups claim does not weld them.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from types import MappingProxyType

from sameornot._types import Answer, Fact, Pair

Votes = Mapping[tuple[int, int], int]


def ordered(pair: tuple[int, int]) -> tuple[int, int]:
    """The two points of a question, whichever way it was asked."""
    return min(pair), max(pair)


def consistent_answers(answers: Sequence[Fact], certain: Sequence[Fact] = ()) -> Iterator[Fact]:
    """The answers that most of all votes agree with, each once, in the order of their questions.

    Where two groups have as many votes for as against them, there is none. Nothing outvotes what is
    `certain`, which is not repeated.
    """
    votes: Counter[tuple[int, int]] = Counter()
    n_answers: Counter[tuple[int, int]] = Counter()
    for pair, answer in answers:
        votes[ordered(pair)] += 1 if answer is Answer.SAME else -1
        n_answers[ordered(pair)] += 1
    decisive = len(answers) + 1
    for pair, answer in certain:
        votes[ordered(pair)] += decisive if answer is Answer.SAME else -decisive
        n_answers[ordered(pair)] += decisive
    # A question that was answered both ways leaves the row that it was about, the left one, in doubt.
    both_ways = {pair.left for pair, _ in answers if abs(votes[ordered(pair)]) < n_answers[ordered(pair)]}
    group = partition(votes, both_ways)
    balance = votes_between_groups(votes, group, both_ways)
    known = {ordered(pair) for pair, _ in certain}
    for (left, right), vote in votes.items():
        if (left, right) in known:
            continue
        groups = frozenset((group[left], group[right]))
        if vote > 0 and len(groups) == 1:
            yield Pair(left, right), Answer.SAME
        elif vote < 0 and len(groups) == 2 and balance[groups] < 0:
            yield Pair(left, right), Answer.DIFFERENT


def votes_between_groups(
    votes: Votes, group: Mapping[int, int], doubtful: Collection[int]
) -> Mapping[frozenset[int], int]:
    """Net votes by groups; where others speak of two groups, doubtful points do not."""
    clear, unclear = Counter[frozenset[int]](), Counter[frozenset[int]]()
    for pair, vote in votes.items():
        balance = unclear if any(point in doubtful for point in pair) else clear
        balance[frozenset(group[point] for point in pair)] += vote
    return {**unclear, **clear}


def partition(votes: Votes, doubtful: Collection[int] = ()) -> dict[int, int]:
    """The group of each point that some vote speaks of, named by one of its points."""
    undoubted = {pair: vote for pair, vote in votes.items() if not any(point in doubtful for point in pair)}
    return join(votes, join(undoubted))


def join(votes: Votes, made: Mapping[int, int] = MappingProxyType({})) -> dict[int, int]:
    """The group of each point, every two groups having at least as many votes against as for joining them.

    Groups that are `made`, of two points and more, stay apart.
    """
    return _Joining(votes, made).groups()


class _Joining:
    """Groups that are joined, and the votes between them."""

    def __init__(self, votes: Votes, made: Mapping[int, int]) -> None:
        self.members: dict[int, list[int]] = {}
        for point in sorted({point for pair in votes for point in pair}):
            self.members.setdefault(made.get(point, point), []).append(point)
        self.is_made = {name for name, points in self.members.items() if len(points) > 1}
        self.between: dict[int, dict[int, int]] = {name: {} for name in self.members}
        for pair, vote in votes.items():
            left, right = (made.get(point, point) for point in pair)
            if left != right:
                net = self.between[left].get(right, 0) + vote
                self.between[left][right] = self.between[right][left] = net
        self.queue: list[tuple[int, int, int]] = []

    def groups(self) -> dict[int, int]:
        """Join until no two groups have votes for it, and name each point's group."""
        for left, others in self.between.items():
            for right in others:
                if left < right:
                    self._consider(left, right)
        while self.queue:
            negative, kept, gone = heappop(self.queue)
            # Else one of the two was joined with another since.
            if self.between.get(kept, {}).get(gone) == -negative and not self._stay_apart(kept, gone):
                self._join(kept, gone)
        return {point: name for name, group in self.members.items() for point in group}

    def _stay_apart(self, a: int, b: int) -> bool:
        return a in self.is_made and b in self.is_made

    def _consider(self, a: int, b: int) -> None:
        if self.between[a][b] > 0 and not self._stay_apart(a, b):
            heappush(self.queue, (-self.between[a][b], min(a, b), max(a, b)))

    def _join(self, kept: int, gone: int) -> None:
        self.members[kept] += self.members.pop(gone)
        if gone in self.is_made:
            self.is_made.add(kept)
        del self.between[kept][gone]
        for other, vote in self.between.pop(gone).items():
            if other != kept:
                del self.between[other][gone]
                net = self.between[kept].get(other, 0) + vote
                self.between[kept][other] = self.between[other][kept] = net
                self._consider(kept, other)
