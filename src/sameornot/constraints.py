"""What the answers imply: "same" is transitive, and "different" passes through "same".

    i = j, j = k  =>  i = k          i = j, j ≠ k  =>  i ≠ k          (Property 1 of §2)

A union-find keeps the groups of "same"; each group keeps the groups that it is apart from. Merging
moves the smaller side, so an answer costs O(log n) amortised. The "same" answers that joined two groups
form a spanning forest: the path between two points in it is the chain that proves they are the same.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from itertools import combinations, pairwise
from typing import Self

import numpy as np

from sameornot._deprecated import renamed_method, renamed_property
from sameornot._presenters import presenter
from sameornot._types import Answer, Fact, Pair
from sameornot._votes import consistent_answers


class Contradiction(ValueError):
    """An answer that the earlier ones rule out; `chain` holds the answers that prove it.

    Examples
    --------
    >>> from sameornot import ActiveSession, Contradiction
    >>> session = ActiveSession([[0.0], [1.0], [2.0], [3.0]], n_clusters=2, random_state=0)
    >>> session.tell("same", (0, 1))
    >>> session.tell("same", (1, 2))
    >>> try:
    ...     session.tell("different", (0, 2))
    ... except Contradiction as contradiction:
    ...     print(len(contradiction.chain), "answers prove it")
    2 answers prove it
    """

    def __init__(self, pair: Pair, answer: Answer, chain: list[Fact]) -> None:
        self.pair, self.answer, self.chain = pair, answer, chain
        earlier = ", ".join(f"{p.left} and {p.right} are {a.value}" for p, a in chain)
        super().__init__(
            f"answer={answer.value!r} for {pair.left} and {pair.right} contradicts earlier answers: {earlier}"
        )


class Constraints:
    """The closure of "same" and "different" answers over points 0 … n_points − 1.

    Examples
    --------
    >>> from sameornot import Answer, Constraints
    >>> known = Constraints(5)
    >>> known.add((0, 1), Answer.SAME)
    >>> known.add((1, 2), Answer.DIFFERENT)
    >>> known.relation(0, 2)
    <Answer.DIFFERENT: 'different'>
    >>> known.relation(0, 3) is None
    True
    >>> known.neighbourhoods()
    [array([0, 1]), array([2])]
    >>> known.add((0, 2), Answer.SAME)
    Traceback (most recent call last):
    sameornot.constraints.Contradiction: answer='same' for 0 and 2 contradicts earlier answers: \
0 and 1 are same, 1 and 2 are different
    """

    def __init__(self, n_points: int) -> None:
        if n_points < 1:
            raise ValueError(f"n_points={n_points} but at least 1 is needed")
        self.n_points = n_points
        # A point is its own group until an answer speaks of it, so memory follows the answers, not n.
        self._parent: dict[int, int] = {}
        self._members: dict[int, list[int]] = {}  # of groups of two and more
        self._sorted: dict[int, np.ndarray] = {}  # the same, rising, where they were needed
        self._apart: dict[int, dict[int, Pair]] = {}  # group -> {other group: the answer that says so}
        self._links: dict[int, list[int]] = {}  # the spanning forest of "same" answers
        self._implied: dict[Pair, list[Fact]] = {}  # links that no one was asked for, with their reasons
        self._unsure: dict[int, set[int]] = {}  # pairs answered "unsure"
        self._answers: list[Fact] = []  # every "same" and "different" that was answered, consistent or not
        self._questions: set[frozenset[int]] = set()  # what they were answers to
        self._known: list[Fact] = []  # what was known without an answer
        self._same: list[Pair] = []
        self._different: list[Pair] = []

    def _repr_html_(self) -> str:
        return str(presenter("constraints_html")(self))

    def copy(self) -> Self:
        """An independent copy, in time that follows the number of answers."""
        twin = copy(self)
        twin._parent = self._parent.copy()
        twin._members = {root: members.copy() for root, members in self._members.items()}
        twin._sorted = self._sorted.copy()
        twin._apart = {root: others.copy() for root, others in self._apart.items()}
        twin._links = {point: others.copy() for point, others in self._links.items()}
        twin._implied, twin._questions = self._implied.copy(), self._questions.copy()
        twin._unsure = {point: others.copy() for point, others in self._unsure.items()}
        twin._answers, twin._same = self._answers.copy(), self._same.copy()
        twin._different, twin._known = self._different.copy(), self._known.copy()
        return twin

    @classmethod
    def from_pairs(
        cls,
        n_points: int,
        *,
        must_link: np.ndarray | None = None,
        cannot_link: np.ndarray | None = None,
        labels: np.ndarray | None = None,
    ) -> Self:
        """The closure of given pairs and of partial labels (−1: not known)."""
        closure = cls(n_points)
        if labels is not None:
            known = np.flatnonzero(labels != -1)
            _, code = np.unique(labels[known], return_inverse=True)
            groups = [known[code == c].tolist() for c in np.unique(code)]
            # Pairs all along the groups, not from one row of each: they are what a metric is trained on.
            for g, members in enumerate(groups):
                for pair in pairwise(members):
                    closure.add(pair, Answer.SAME)
                for earlier in groups[:g]:
                    for pair in zip(members, earlier, strict=False):
                        closure.add(pair, Answer.DIFFERENT)
        for pairs, answer in ((must_link, Answer.SAME), (cannot_link, Answer.DIFFERENT)):
            for pair in [] if pairs is None else pairs.tolist():
                closure.add(pair, answer)
        return closure

    def add(
        self,
        pair: tuple[int, int],
        answer: Answer,
        *,
        because: list[Fact] | None = None,
        is_known: bool = False,
    ) -> None:
        """Take in one answer; a contradiction raises and changes nothing.

        `because` marks a "same" that follows from other facts and was not asked for: a chain that goes
        through it shows those facts instead. `is_known` marks what was known before and is no answer.
        """
        left, right = pair = self._check(pair)
        answer = Answer(answer)
        a, b = self._find(left), self._find(right)
        if answer is Answer.UNSURE:
            self._unsure.setdefault(left, set()).add(right)
            self._unsure.setdefault(right, set()).add(left)
        elif answer is Answer.SAME:
            if b in self._apart.get(a, ()):
                raise Contradiction(pair, answer, self.proof(left, right))
            self._same.append(pair)
            if because is None:
                self._tell(pair, answer, is_known)
            if a != b:
                self._links.setdefault(left, []).append(right)
                self._links.setdefault(right, []).append(left)
                if because is not None:
                    self._implied[pair] = because
                self._merge(a, b)
        else:
            if a == b:
                raise Contradiction(pair, answer, self.proof(left, right))
            self._different.append(pair)
            self._tell(pair, answer, is_known)
            self._apart.setdefault(a, {}).setdefault(b, pair)
            self._apart.setdefault(b, {}).setdefault(a, pair)

    def add_vote(self, pair: tuple[int, int], answer: Answer) -> None:
        """Take in an answer to a question that may have been answered before: its answers are votes.

        The constraints are then those that most votes agree with (`_votes.py`); a tie between two groups
        gives none.
        """
        pair, answer = self._check(pair), Answer(answer)
        if answer is Answer.UNSURE or not self.was_answered(*pair):
            self.add(pair, answer)
            return
        answers, questions, unsure = [*self._answers, (pair, answer)], self._questions, self._unsure
        consistent = Constraints(self.n_points)
        for fact in self._known:
            consistent.add(*fact, is_known=True)
        for fact in consistent_answers(answers, self._known):
            consistent.add(*fact)
        self.__dict__.update(consistent.__dict__)
        self._answers, self._questions, self._unsure = answers, questions, unsure

    @property
    def is_inconsistent(self) -> bool:
        """Whether some question was answered both ways."""
        answers = {(frozenset(pair), answer) for pair, answer in self._answers}
        return len(answers) > len(self._questions)

    def was_answered(self, i: int, j: int) -> bool:
        """Whether the pair itself was answered "same" or "different"."""
        return frozenset((i, j)) in self._questions

    @property
    def answers(self) -> list[Fact]:
        """Every "same" and "different" that was answered, in order, consistent or not."""
        return list(self._answers)

    @property
    def known(self) -> list[Fact]:
        """Every "same" and "different" that was known without an answer, in order."""
        return list(self._known)

    @property
    def facts(self) -> list[Fact]:
        """What was known, then what was answered."""
        return [*self._known, *self._answers]

    def apart(self, groups: Sequence[np.ndarray]) -> list[tuple[int, int]]:
        """The places of each two of some groups that are known to differ, rising."""
        place = {self._find(int(members[0])): at for at, members in enumerate(groups)}
        return sorted(
            (at, place[other])
            for root, at in place.items()
            for other in self._apart.get(root, {})
            if at < place.get(other, -1)
        )

    def relation(self, i: int, j: int) -> Answer | None:
        """SAME or DIFFERENT where the answers settle it, else None."""
        a, b = self._find(i), self._find(j)
        if a == b:
            return Answer.SAME
        return Answer.DIFFERENT if b in self._apart.get(a, ()) else None

    def is_unsure(self, i: int, j: int) -> bool:
        """Whether the pair itself was answered "unsure"."""
        return j in self._unsure.get(i, ())

    def unsure_counts(self) -> np.ndarray:
        """How many pairs with each point were answered "unsure"."""
        counts = np.zeros(self.n_points, dtype=np.intp)
        for point, others in self._unsure.items():
            counts[point] = len(others)
        return counts

    def group(self, i: int) -> list[int]:
        """All points known to be the same as `i`, itself included."""
        return list(self._members.get(self._find(i), [i]))

    def groups(self) -> list[np.ndarray]:
        """Every group that some "same" or "different" speaks of, largest first, then by lowest point."""
        return [self._rising(root) for root in self._ranked_roots()]

    def _ranked_roots(self) -> list[int]:
        rank = {}
        for root in self._members.keys() | self._apart.keys():
            members = self._rising(root)
            rank[root] = -len(members), int(members[0])
        return sorted(rank, key=rank.__getitem__)

    def _rising(self, root: int) -> np.ndarray:
        """The members of a group in rising order."""
        if root not in self._sorted:
            members = np.sort(self._members.get(root, [root]))
            members.flags.writeable = False  # it is handed out again
            self._sorted[root] = members
        return self._sorted[root]

    def neighbourhoods(self, at_most: int | None = None) -> list[np.ndarray]:
        """Groups that are all known to differ from each other (N_1 … N_L), the largest first.

        A group that was not compared with all of them is left out: it may turn out to be part of one.
        """
        chosen: list[int] = []
        for root in self._ranked_roots():
            if at_most is not None and len(chosen) >= at_most:
                break
            apart = self._apart.get(root, {})
            if len(apart) >= len(chosen) and all(other in apart for other in chosen):
                chosen.append(root)
        return [self._rising(root) for root in chosen]

    def provisional_neighbourhoods(self, n_groups: int) -> list[np.ndarray]:
        """The groups that facts mention first, each known to differ from at least one before it.

        Not all of them were compared with each other, so two of them may still be one. If as many groups are
        all known to differ from each other, it is these. What was known before the first question is about
        rows that nobody chose: there, only groups that are all known to differ from each other count.
        """
        first: dict[int, int] = {}
        for at, (pair, _) in enumerate(self.facts):
            for point in pair:
                first.setdefault(self._find(point), at)
        proven = self.neighbourhoods(at_most=n_groups) if self._known else []
        chosen = {self._find(int(members[0])): members for members in proven}
        asked_about = {self._find(point) for pair, _ in self._answers for point in pair}
        for members in sorted(self.groups(), key=lambda members: first[self._find(int(members[0]))]):
            root = self._find(int(members[0]))
            if root in chosen or (self._known and root not in asked_about):
                continue
            if len(chosen) < n_groups and (not chosen or chosen.keys() & self._apart.get(root, {}).keys()):
                chosen[root] = members
        if any(b not in self._apart.get(a, {}) for a, b in combinations(chosen, 2)):
            proven = self.neighbourhoods(at_most=n_groups)
            if len(proven) == n_groups:
                return sorted(proven, key=lambda members: first[self._find(int(members[0]))])
        return list(chosen.values())

    def known_apart(self, neighbourhoods: Sequence[np.ndarray]) -> np.ndarray:
        """Whether each point (rows) is known to differ from each of some neighbourhoods (columns)."""
        apart = np.zeros((self.n_points, len(neighbourhoods)), dtype=bool)
        columns: dict[int, list[int]] = {}
        for m, members in enumerate(neighbourhoods):
            columns.setdefault(self._find(int(members[0])), []).append(m)
        for root, others in self._apart.items():
            differs = [m for other in others.keys() & columns.keys() for m in columns[other]]
            if differs:
                apart[np.ix_(self._rising(root), np.array(differs))] = True
        return apart

    def imply_last(self, n_clusters: int) -> None:
        """Add each "same" that counting implies: a group that differs from all of K but one is that one."""
        neighbourhoods = self.neighbourhoods(at_most=n_clusters)
        if len(neighbourhoods) < n_clusters:
            return
        anchors = [int(members[0]) for members in neighbourhoods]
        placed = set(anchors)
        waiting = [int(members[0]) for members in self.groups() if int(members[0]) not in placed]
        while settled := {point for point in waiting if self._join_last(point, anchors)}:
            # a point that is apart from one just placed may be settled by it in turn
            waiting = [point for point in waiting if point not in settled]

    def _join_last(self, point: int, anchors: list[int]) -> bool:
        relations = [self.relation(point, anchor) for anchor in anchors]
        if relations.count(Answer.DIFFERENT) != len(anchors) - 1:
            return False
        (last,) = (a for a, known in zip(anchors, relations, strict=True) if known is not Answer.DIFFERENT)
        others = [anchor for anchor in anchors if anchor != last]
        reasons = [fact for a in others for fact in self.proof(point, a)]
        reasons += [fact for a, b in combinations(anchors, 2) for fact in self.proof(a, b)]
        self.add((point, last), Answer.SAME, because=reasons)
        return True

    @property
    def must_link(self) -> np.ndarray:
        """The "same" answers (S) as rows of two points."""
        return np.array(self._same, dtype=np.intp).reshape(-1, 2)

    @property
    def cannot_link(self) -> np.ndarray:
        """The "different" answers (D) as rows of two points."""
        return np.array(self._different, dtype=np.intp).reshape(-1, 2)

    def proof(self, i: int, j: int) -> list[Fact]:
        """The answers that settle how `i` and `j` are related, as a chain from one to the other."""
        a, b = self._find(i), self._find(j)
        if a == b:
            return list(self._chain(i, j))
        through = self._apart[a][b]
        near, far = through if self._find(through.left) == a else through[::-1]
        return [*self._chain(i, near), (through, Answer.DIFFERENT), *self._chain(far, j)]

    def _tell(self, pair: Pair, answer: Answer, is_known: bool) -> None:
        if is_known:
            self._known.append((pair, answer))
            return
        self._answers.append((pair, answer))
        self._questions.add(frozenset(pair))

    def _check(self, pair: tuple[int, int]) -> Pair:
        left, right = int(pair[0]), int(pair[1])
        if left == right:
            raise ValueError(f"pair=({left}, {right}) but two different points are needed")
        if not (0 <= left < self.n_points and 0 <= right < self.n_points):
            raise ValueError(f"pair=({left}, {right}) but points run from 0 to {self.n_points - 1}")
        return Pair(left, right)

    def _find(self, i: int) -> int:
        parent = self._parent
        root = i
        while (above := parent.get(root, root)) != root:
            root = above
        while i != root:
            parent[i], i = root, parent[i]
        return root

    def _merge(self, a: int, b: int) -> None:
        big, small = (a, b) if self._bulk(a) >= self._bulk(b) else (b, a)
        self._parent[small] = big
        self._sorted.pop(small, None)
        self._sorted.pop(big, None)
        self._members.setdefault(big, [big]).extend(self._members.pop(small, [small]))
        for other, answer in self._apart.pop(small, {}).items():
            del self._apart[other][small]
            self._apart.setdefault(big, {}).setdefault(other, answer)
            self._apart[other].setdefault(big, answer)

    def _bulk(self, root: int) -> int:
        """What merging this group into another would have to move."""
        return len(self._members.get(root, ())) + len(self._apart.get(root, ()))

    def _chain(self, start: int, end: int) -> Iterator[Fact]:
        """The path of "same" answers between two points of one group."""
        came_from = {start: start}
        queue = [start]
        for point in queue:
            for neighbour in self._links.get(point, ()):
                if neighbour not in came_from:
                    came_from[neighbour] = point
                    queue.append(neighbour)
        path = [end]
        while path[-1] != start:
            path.append(came_from[path[-1]])
        for right, left in zip(path[-2::-1], path[:0:-1], strict=True):
            link = Pair(left, right)
            reasons = self._implied.get(link, self._implied.get(Pair(right, left)))
            yield from [(link, Answer.SAME)] if reasons is None else reasons

    weigh = renamed_method("weigh", "add_vote")
    told = renamed_property("told", "answers")
    wavers = renamed_property("wavers", "is_inconsistent")
    is_aside = renamed_method("is_aside", "is_unsure")
    aside_counts = renamed_method("aside_counts", "unsure_counts")
    presumed = renamed_method("presumed", "provisional_neighbourhoods")
    told_apart = renamed_method("told_apart", "known_apart")
    was_told = renamed_method("was_told", "was_answered")
