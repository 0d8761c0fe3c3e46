"""What was known before the first question, as a session stores it: labels of a column, or pairs of a file.

One event holds all that a source says, and later events say which of its items are left out. Items that
contradict those before them are set aside and listed with the items that they contradict; they stay in the
store, and hold again once the others are taken out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from sameornot._types import Answer, Fact, Pair
from sameornot.constraints import Constraints
from sameornot.session import Known


class LabelItem(NamedTuple):
    """The label of a row."""

    row: int
    label: str

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows that it names."""
        return (self.row,)


class PairItem(NamedTuple):
    """What a file says of two rows, and the line that it stands in."""

    left: int
    right: int
    answer: Answer
    line: int

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows that it names."""
        return self.left, self.right


Item = LabelItem | PairItem


class Place(NamedTuple):
    """An item: the number of the event of its source, and where it stands there."""

    source: int
    at: int


@dataclass(frozen=True)
class Source:
    """What one column or file says; `seq` is its event, and `removed` are items that were taken out."""

    seq: int
    name: str
    items: tuple[Item, ...]
    removed: frozenset[int] = frozenset()


@dataclass(frozen=True)
class SetAside:
    """An item that contradicts `others`."""

    place: Place
    others: tuple[Place, ...]


@dataclass(frozen=True)
class Knowledge:
    """All sources of a session, folded: what holds, and what is set aside."""

    sources: tuple[Source, ...] = ()
    n_rows: int = 1
    _facts: dict[frozenset[int], Place] = field(init=False, repr=False, compare=False, default_factory=dict)
    _labels: dict[int, Place] = field(init=False, repr=False, compare=False, default_factory=dict)

    @cached_property
    def known(self) -> Known:
        """What holds, as a session takes it."""
        return Known.from_constraints(self._folded[0]) if self.sources else Known()

    @property
    def set_aside(self) -> tuple[SetAside, ...]:
        """The items that cannot be true together with those before them."""
        return self._folded[1]

    @cached_property
    def names(self) -> tuple[tuple[int, str], ...]:
        """A row of each label, with the label: what its group is called."""
        found: dict[tuple[int, str], int] = {}
        for place, item in self._holding():
            if isinstance(item, LabelItem):
                found.setdefault((place.source, item.label), item.row)
        return tuple((row, label) for (_, label), row in found.items())

    def without(self, removed: Mapping[int, Sequence[int]]) -> "Knowledge":
        """The same with these items, and no others, taken out of some sources."""
        sources = [
            replace(source, removed=frozenset(removed[source.seq])) if source.seq in removed else source
            for source in self.sources
        ]
        return Knowledge(tuple(sources), self.n_rows)

    def item(self, place: Place) -> Item:
        """The item at a place."""
        return self.source(place.source).items[place.at]

    def source(self, seq: int) -> Source:
        """The source of an event."""
        return next(source for source in self.sources if source.seq == seq)

    def behind(self, start: int, chain: Sequence[Fact], is_known: Sequence[bool]) -> list[Place]:
        """The items behind the known facts of a chain that begins at a row, each once."""
        closure = self._folded[0]
        places: list[Place] = []
        for left, right in runs(start, chain, is_known):
            if left != right and closure.relation(left, right) is not None:
                places += self._proof(closure, Pair(left, right))
        return list(dict.fromkeys(places))

    def _holding(self) -> list[tuple[Place, Item]]:
        return [
            (Place(source.seq, at), item)
            for source in self.sources
            for at, item in enumerate(source.items)
            if at not in source.removed
        ]

    @cached_property
    def _folded(self) -> tuple[Constraints, tuple[SetAside, ...]]:
        closure = Constraints(self.n_rows)
        first: dict[tuple[int, str], int] = {}
        aside: list[SetAside] = []
        for place, item in self._holding():
            facts = self._facts_of(place, item, first)
            wrong = next((fact for fact in facts if closure.relation(*fact[0]) not in (None, fact[1])), None)
            if wrong is not None:
                aside.append(SetAside(place, tuple(self._proof(closure, wrong[0]))))
                continue
            for pair, answer in facts:
                if answer is not Answer.UNSURE:
                    closure.add(pair, answer)
            if isinstance(item, LabelItem):
                first.setdefault((place.source, item.label), item.row)
                self._labels.setdefault(item.row, place)
            else:
                self._facts.setdefault(frozenset(item.rows), place)
        return closure, tuple(aside)

    def _facts_of(self, place: Place, item: Item, first: Mapping[tuple[int, str], int]) -> list[Fact]:
        if isinstance(item, PairItem):
            return [(Pair(item.left, item.right), item.answer)]
        own = first.get((place.source, item.label))
        if own == item.row:
            return []
        if own is not None:
            return [(Pair(item.row, own), Answer.SAME)]
        return [
            (Pair(item.row, row), Answer.DIFFERENT)
            for (source, _), row in first.items()
            if source == place.source
        ]

    def _proof(self, closure: Constraints, pair: Pair) -> list[Place]:
        """The items that settle how two rows are related: pairs, and labels at the ends of runs of them."""
        chain = closure.proof(*pair)
        places = [self._facts[frozenset(fact)] for fact, _ in chain if frozenset(fact) in self._facts]
        by_label = [frozenset(fact) not in self._facts for fact, _ in chain]
        for ends in runs(pair.left, chain, by_label):
            places += [self._labels[row] for row in ends if row in self._labels]
        return list(dict.fromkeys(places))


def runs(start: int, chain: Sequence[Fact], is_wanted: Sequence[bool]) -> list[tuple[int, int]]:
    """The ends of each run of wanted facts along a chain of pairs that begins at a row."""
    found: list[tuple[int, int]] = []
    row, begun = start, None
    for (pair, _), wanted in zip(chain, is_wanted, strict=True):
        if wanted and begun is None:
            begun = row
        elif not wanted and begun is not None:
            found.append((begun, row))
            begun = None
        row = pair.right if pair.left == row else pair.left
    return found if begun is None else [*found, (begun, row)]
