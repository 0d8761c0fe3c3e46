"""Counts of the answers that hold: kept along with the log, so that an answer does not count all others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sameornot._types import Answer

if TYPE_CHECKING:
    from sameornot.service.entry import Entry

# Answers of a person that her pace is taken from, and the seconds beyond which an answer was a pause.
N_PACE = 10
LONGEST_ANSWER = 120.0


@dataclass(frozen=True)
class PersonCounts:
    """The answers of one person: how many, and the seconds that the latest ones took, pauses left out."""

    n_answers: int = 0
    seconds: tuple[float, ...] = ()

    def with_answer(self, seconds: float | None) -> "PersonCounts":
        """The counts with one more answer."""
        is_pace = seconds is not None and seconds <= LONGEST_ANSWER
        latest = (*self.seconds, seconds)[-N_PACE:] if is_pace and seconds is not None else self.seconds
        return PersonCounts(self.n_answers + 1, latest)


@dataclass(frozen=True)
class AnswerCounts:
    """All answers: those that were "unsure", rechecks, rechecks answered as at first, and by author."""

    n_unsure: int = 0
    n_rechecks: int = 0
    n_confirmed: int = 0
    by_author: Mapping[str, PersonCounts] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Sequence["Entry"]) -> "AnswerCounts":
        """The counts of a whole log."""
        counts = cls()
        for n, entry in enumerate(entries):
            counts = counts.with_entry(entry, entries[:n])
        return counts

    def with_entry(self, entry: "Entry", earlier: Iterable["Entry"]) -> "AnswerCounts":
        """The counts with one more answer; `earlier` are those before it."""
        own = self.by_author.get(entry.author, PersonCounts()).with_answer(entry.seconds)
        counts = replace(
            self,
            n_unsure=self.n_unsure + (entry.answer is Answer.UNSURE),
            by_author={**self.by_author, entry.author: own},
        )
        if not entry.is_recheck or entry.answer is Answer.UNSURE:
            return counts
        facts = (fact for other in earlier for fact in other.reply.facts)
        first = next((answer for pair, answer in facts if set(pair) == set(entry.pair)), None)
        if first is None:  # it was removed
            return counts
        is_confirmed = first is entry.answer
        return replace(counts, n_rechecks=self.n_rechecks + 1, n_confirmed=self.n_confirmed + is_confirmed)

    def of_person(self, person: str) -> PersonCounts:
        """The answers of one person."""
        return self.by_author.get(person, PersonCounts())
