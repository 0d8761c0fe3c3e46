"""The lines of a log: answers that hold, questions that are shown to somebody, and corrections of answers."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sameornot._types import Answer, Pair, Reply
from sameornot.service.events import Changed, EventError, Retracted


@dataclass(frozen=True)
class Lease:
    """A question that was shown to a person and is reserved for her; `question` is the event that says so.

    `others` are the other candidates of a choice, in the order in which they are shown.
    """

    question: int
    pair: Pair
    is_recheck: bool
    at: datetime
    others: tuple[int, ...] = ()
    is_second: bool = False

    @property
    def candidates(self) -> tuple[int, ...]:
        """The rows that the left one is compared with."""
        return (self.pair.right, *self.others)


@dataclass(frozen=True)
class Entry:
    """One answer that holds; `seq` is its event, `question` the event that showed the pair, if one did.

    `others` are the other candidates of a choice, as in a `Reply`; `shown` are all that its question showed.
    `is_second`: it is a second opinion on a pair that was drawn at random. `given` is what its author said
    of her own accord, where it was corrected later.
    """

    seq: int
    question: int | None
    author: str
    at: datetime
    pair: Pair
    answer: Answer
    step: int
    seconds: float | None
    is_recheck: bool = False
    edited: bool = False
    others: tuple[int, ...] = ()
    shown: tuple[int, ...] = ()
    is_second: bool = False
    given: Reply | None = None

    @property
    def reply(self) -> Reply:
        """The line that it is in the log of an ActiveSession."""
        return Reply(self.pair, self.answer, self.step, self.is_recheck, self.others, self.author)

    @property
    def own_reply(self) -> Reply:
        """What its author said, whatever others have made of it."""
        return self.given or self.reply

    @property
    def candidates(self) -> tuple[int, ...]:
        """The rows that the left one is compared with: the one that the answer names first."""
        return (self.pair.right, *self.others)

    @property
    def parts(self) -> "list[Part]":
        """One answer for each pair that it implies."""
        return [Part(self, pair, answer) for pair, answer in self.reply.facts]

    def as_shown(self, question: int) -> Lease:
        """The question as it was before it was answered."""
        first, *others = self.shown or self.candidates
        pair = Pair(self.pair.left, first)
        return Lease(question, pair, self.is_recheck, self.at, tuple(others), self.is_second)


@dataclass(frozen=True)
class Part:
    """One of the pairs that an answer implies, with what the answer says about it."""

    entry: Entry
    pair: Pair
    answer: Answer

    @property
    def seq(self) -> int:
        """The number of the answer."""
        return self.entry.seq

    def corrected(self, to: Answer) -> "Change":
        """The change of the answer that says `to` about this pair; of a choice, this candidate is named."""
        candidate, entry = self.pair.right, self.entry
        if not entry.others or to is not Answer.SAME:
            return Change(entry.seq, to)
        return Change(entry.seq, to, (candidate, *(row for row in entry.candidates if row != candidate)))

    def joined(self) -> "Change":
        """The change after which the answer does not tell this pair apart."""
        entry = self.entry
        if entry.answer is not Answer.SAME:
            return self.corrected(Answer.SAME)
        return Change(
            entry.seq, Answer.SAME, tuple(row for row in entry.candidates if row != self.pair.right)
        )


@dataclass(frozen=True)
class Change:
    """A correction of the answer with this number; `to` is None to remove it.

    Of a choice, `candidates` are those that are left, the one that the answer names first; () for all.
    """

    seq: int
    to: Answer | None
    candidates: tuple[int, ...] = ()

    def event(self) -> Changed | Retracted:
        """The event that says so."""
        return Retracted(self.seq) if self.to is None else Changed(self.seq, self.to, self.candidates)

    def applied(self, entry: Entry) -> Entry | None:
        """The answer with the correction made, None if it is removed; an EventError if it does not fit."""
        if self.to is None:
            return None
        if not set(self.candidates) <= set(entry.candidates):
            raise EventError(f"answer {self.seq} is not about all of the rows {self.candidates}")
        first, *others = self.candidates or entry.candidates
        pair = Pair(entry.pair.left, first)
        return replace(entry, pair=pair, answer=self.to, others=tuple(others), edited=True)

    def as_json(self) -> dict[str, Any]:
        """The change as the page sends it."""
        change = {"seq": self.seq, "to": "remove" if self.to is None else self.to.value}
        return change | ({"candidates": list(self.candidates)} if self.candidates else {})
