"""The log of a session, folded from the events of the store: what holds now, and who looks at what.

Events are never changed: an answer that is taken back or corrected has a later event that says so. An event
that cannot be applied (of an unknown kind, or malformed) is skipped and noted; it stays in the store.
"""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from sameornot._types import Answer, Pair
from sameornot.service.snapshot import Answered
from sameornot.store import Draft, Event

# A person who has been quiet for this long is taken to have left: her question may go to another.
PATIENCE = timedelta(minutes=10)

REMOVE = "remove"


class EventError(ValueError):
    """An event that cannot be applied."""


@dataclass(frozen=True)
class Limits:
    """What events can be about: rows of the table, and how many groups there can be at most."""

    rows: Container[int]
    max_groups: int

    def check_row(self, row: Any) -> int:
        """A row that is there."""
        if not isinstance(row, int) or isinstance(row, bool) or row not in self.rows:
            raise EventError(f"row {row!r} is not in the table")
        return row

    def check_clusters(self, clusters: Any) -> int | None:
        """A number of groups that there can be, or None."""
        if clusters is None:
            return None
        if not isinstance(clusters, int) or isinstance(clusters, bool) or clusters < 1:
            raise EventError(f"{clusters!r} groups are wanted but 1 or more is needed")
        if clusters > self.max_groups:
            raise EventError(
                f"{clusters} groups are wanted but questions are about {self.max_groups} rows of the table"
            )
        return clusters


@dataclass(frozen=True)
class Entry:
    """One answer that holds; rows are those of the whole table."""

    seq: int
    question: int | None
    author: str
    at: datetime
    pair: Pair
    answer: Answer
    step: int
    seconds: float | None
    edited: bool = False

    def as_answered(self, names: dict[str, str]) -> Answered:
        """The answer as it is handed over, with the author's name."""
        author = names.get(self.author, "")
        return Answered(self.seq, *self.pair, self.answer.value, author, self.at, self.edited, self.seconds)


@dataclass(frozen=True)
class Look:
    """A pair that a person has been shown and has not answered."""

    question: int
    pair: Pair
    at: datetime


@dataclass(frozen=True)
class Log:
    """All that the events up to `version` say; `skipped` are those that could not be applied."""

    limits: Limits
    version: int = 0
    opened: dict[str, Any] = field(default_factory=dict)
    clusters: int | None = None
    entries: tuple[Entry, ...] = ()
    looks: dict[str, Look] = field(default_factory=dict)
    shown: dict[int, Pair] = field(default_factory=dict)
    names: tuple[tuple[int, str], ...] = ()
    people: dict[str, str] = field(default_factory=dict)
    seen: dict[str, datetime] = field(default_factory=dict)
    skipped: tuple[int, ...] = ()

    def take(self, events: Iterable[Event]) -> "Log":
        """The log with these events at its end."""
        log = self
        for event in events:
            try:
                log = _FOLD[event.kind](log, event)
            except (AttributeError, KeyError, TypeError, ValueError):
                log = replace(log, skipped=(*log.skipped, event.seq))
            seen = log.seen | {event.author: event.at} if event.author else log.seen
            log = replace(log, version=event.seq, seen=seen)
        return log

    def after(self, drafts: Sequence[Draft], now: datetime) -> "Log":
        """The log as it would be with these drafts at its end."""
        events = (
            Event(self.version + n, now, draft.author, draft.kind, draft.data)
            for n, draft in enumerate(drafts, start=1)
        )
        return self.take(events)

    def find(self, seq: int) -> Entry | None:
        """The answer of an event, if it holds."""
        return next((entry for entry in self.entries if entry.seq == seq), None)

    def is_answered(self, question: int) -> bool:
        """Whether an answer to this question holds."""
        return any(entry.question == question for entry in self.entries)

    def with_changes(self, changes: Sequence[tuple[int, str]]) -> tuple[Entry, ...]:
        """The answers as they would be with some changed or removed."""
        wanted = dict(changes)
        kept = (entry for entry in self.entries if wanted.get(entry.seq) != REMOVE)
        return tuple(
            replace(entry, answer=Answer(wanted[entry.seq]), edited=True) if entry.seq in wanted else entry
            for entry in kept
        )

    def is_away(self, person: str, now: datetime) -> bool:
        """Whether nothing has been heard of a person for a while."""
        return person not in self.seen or now - self.seen[person] > PATIENCE

    def looks_of_others(self, person: str, now: datetime) -> list[Pair]:
        """What other people who have not left are looking at."""
        return [
            look.pair
            for other, look in self.looks.items()
            if other != person and not self.is_away(other, now)
        ]

    def last_of(self, person: str, now: datetime) -> Entry | None:
        """The last answer that a person may take back: her own, or one by somebody who has left."""
        for entry in reversed(self.entries):
            if entry.author == person or self.is_away(entry.author, now):
                return entry
        return None


def draft_changes(person: str, changes: Sequence[tuple[int, str]]) -> list[Draft]:
    """The events that correct or take back earlier answers."""
    return [
        Draft(person, "retracted", {"answer": seq})
        if to == REMOVE
        else Draft(person, "changed", {"answer": seq, "to": to})
        for seq, to in changes
    ]


def is_opening(data: dict[str, Any]) -> bool:
    """Whether the data of an "opened" event say which table it is about."""
    kinds = {"title": str, "fingerprint": str, "n_rows": int}
    return all(isinstance(data.get(name), kind) for name, kind in kinds.items())


def _open(log: Log, event: Event) -> Log:
    if not is_opening(event.data):
        raise EventError("the event does not say which table was opened")
    opened = replace(log, opened=dict(event.data))
    try:
        return replace(opened, clusters=log.limits.check_clusters(event.data["clusters"]))
    except EventError:
        return replace(opened, skipped=(*log.skipped, event.seq))


def _pair(log: Log, event: Event) -> Pair:
    pair = Pair(*(log.limits.check_row(event.data[side]) for side in ("left", "right")))
    if pair.left == pair.right:
        raise EventError(f"row {pair.left} is compared with itself")
    return pair


def _show(log: Log, event: Event) -> Log:
    pair = _pair(log, event)
    looks = log.looks | {event.author: Look(event.seq, pair, event.at)}
    return replace(log, looks=looks, shown=log.shown | {event.seq: pair})


def _answer(log: Log, event: Event) -> Log:
    data = event.data
    pair, answer = _pair(log, event), Answer(data["answer"])
    step, seconds, question = int(data["step"]), data["seconds"], data["question"]
    if not 0 <= step <= event.seq:
        raise EventError(f"step {step} has not been reached by event {event.seq}")
    entry = Entry(
        event.seq,
        None if question is None else int(question),
        event.author,
        event.at,
        pair,
        answer,
        step,
        None if seconds is None else float(seconds),
    )
    return replace(log, entries=(*log.entries, entry), looks=_without(log.looks, entry.question))


def _without(looks: dict[str, Look], question: int | None) -> dict[str, Look]:
    return {person: look for person, look in looks.items() if look.question != question}


def _retract(log: Log, event: Event) -> Log:
    return replace(log, entries=log.with_changes([(int(event.data["answer"]), REMOVE)]))


def _change(log: Log, event: Event) -> Log:
    to = Answer(event.data["to"]).value
    return replace(log, entries=log.with_changes([(int(event.data["answer"]), to)]))


def _name(log: Log, event: Event) -> Log:
    row = log.limits.check_row(event.data["row"])
    return replace(log, names=(*log.names, (row, str(event.data["name"]))))


def _regroup(log: Log, event: Event) -> Log:
    return replace(log, clusters=log.limits.check_clusters(event.data["clusters"]))


def _leave(log: Log, event: Event) -> Log:
    return replace(log, looks={person: look for person, look in log.looks.items() if person != event.author})


def _introduce(log: Log, event: Event) -> Log:
    return replace(log, people=log.people | {event.author: str(event.data["name"])})


_FOLD = {
    "opened": _open,
    "shown": _show,
    "answered": _answer,
    "retracted": _retract,
    "changed": _change,
    "named": _name,
    "regrouped": _regroup,
    "introduced": _introduce,
    "left": _leave,
}
