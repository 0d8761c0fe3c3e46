"""The log of a session, folded from the events of the store: which answers hold, and who looks at what.

A log is never changed: one more event makes a new one that shares the rest. Events are never changed either:
an answer that is taken back or corrected has a later event that says so. An event that cannot be applied is
skipped and noted; it stays in the store.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from sameornot._types import Answer, Pair
from sameornot.service.answer_counts import AnswerCounts
from sameornot.service.entry import Change, Entry, Lease
from sameornot.service.event_reading import read_event
from sameornot.service.events import (
    Answered,
    Changed,
    Disregarded,
    EventError,
    Introduced,
    Invited,
    Learned,
    Left,
    Limits,
    Named,
    Opened,
    Overlapped,
    Preferred,
    Regrouped,
    Retracted,
    Revoked,
    SessionEvent,
    Shown,
)
from sameornot.service.knowledge import Knowledge, Source
from sameornot.service.links import Link
from sameornot.service.log_key import LogKey
from sameornot.store import Draft, Event

# A person who has been quiet for this long is taken to have left: her question may go to another.
AWAY_AFTER = timedelta(minutes=10)
# The share of questions that go to a second person, unless another one is set.
OVERLAP = 0.1


@dataclass(frozen=True)
class Log:
    """All that the events up to `version` say.

    Attributes
    ----------
    key : LogKey
        The answers that hold and the number of groups, as the session sees them.
    entries : tuple of Entry
        The answers that hold, in order.
    leases : dict
        What each person is looking at.
    unanswered : dict
        Every question that was shown and has no answer, by its number.
    names : tuple
        Rows, each with the name that was given to its group.
    people, choices, seen : dict
        What each person is called, how many groups she wants to choose from, and when she was last heard of.
    links : dict
        Every personal link that was made, by its id.
    knowledge : Knowledge
        What was known before the first question.
    overlap : float
        The share of questions that go to a second person.
    skipped : tuple
        Numbers of the events that could not be applied.
    """

    limits: Limits
    version: int = 0
    opened: Mapping[str, Any] = field(default_factory=dict)
    key: LogKey = field(default_factory=lambda: LogKey.of(None))
    entries: tuple[Entry, ...] = ()
    counts: AnswerCounts = field(default_factory=AnswerCounts)
    leases: Mapping[str, Lease] = field(default_factory=dict)
    unanswered: Mapping[int, Lease] = field(default_factory=dict)
    names: tuple[tuple[int, str], ...] = ()
    people: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, int | None] = field(default_factory=dict)
    seen: Mapping[str, datetime] = field(default_factory=dict)
    links: Mapping[str, Link] = field(default_factory=dict)
    overlap: float = OVERLAP
    knowledge: Knowledge = field(default_factory=Knowledge)
    skipped: tuple[int, ...] = ()

    @property
    def clusters(self) -> int | None:
        """The number of groups; None where it is left to the answers."""
        return self.key.clusters

    def extended(
        self, events: Iterable[Event], heard: Callable[[Event], datetime] = lambda event: event.at
    ) -> "Log":
        """The log with these events at its end; `heard` is when their authors were heard of."""
        log = self
        for event in events:
            try:
                log = log._with_event(event, read_event(event, log.limits))
            except EventError:
                log = replace(log, skipped=(*log.skipped, event.seq))
            seen = {**log.seen, event.author: heard(event)} if event.author else log.seen
            log = replace(log, version=event.seq, seen=seen)
        return log

    def with_drafts(self, drafts: Sequence[Draft], now: datetime) -> "Log":
        """The log as it would be with these drafts at its end."""
        return self.extended(
            Event(self.version + n, now, draft.author, draft.kind, draft.data)
            for n, draft in enumerate(drafts, start=1)
        )

    def find(self, seq: int) -> Entry | None:
        """The answer of an event, if it holds."""
        return next((entry for entry in self.entries if entry.seq == seq), None)

    def was_answered(self, question: int) -> bool:
        """Whether an answer to this question holds."""
        return any(entry.question == question for entry in self.entries)

    def has_answer_about(self, pair: Pair, before: int | None = None) -> bool:
        """Whether a pair was answered "same" or "different" (by an event before that number, if given)."""
        wanted = set(pair)
        return any(
            set(part.pair) == wanted
            and part.answer is not Answer.UNSURE
            and (before is None or part.seq < before)
            for entry in self.entries
            for part in entry.parts
        )

    def has_other_opinion(self, entry: Entry) -> bool:
        """Whether somebody else has answered one of the pairs of an answer."""
        pairs = {frozenset(part.pair) for part in entry.parts}
        others = (part for other in self.entries if other.author != entry.author for part in other.parts)
        return any(frozenset(part.pair) in pairs for part in others)

    def entries_with(self, changes: Sequence[Change]) -> tuple[Entry, ...]:
        """The answers as they would be with some changed or removed."""
        wanted = {change.seq: change for change in changes}
        kept = (wanted[entry.seq].applied(entry) if entry.seq in wanted else entry for entry in self.entries)
        return tuple(entry for entry in kept if entry is not None)

    def is_away(self, person: str, now: datetime) -> bool:
        """Whether nothing has been heard of a person for a while."""
        return person not in self.seen or now - self.seen[person] > AWAY_AFTER

    def pending_for_others(self, person: str, now: datetime) -> list[Pair]:
        """What other people who have not left are looking at."""
        return [
            lease.pair
            for other, lease in self.leases.items()
            if other != person and not self.is_away(other, now)
        ]

    def last_of(self, person: str, now: datetime) -> Entry | None:
        """The last answer that a person may take back: her own, or one by somebody who has left."""
        if not self.can_undo(person, now):
            return None
        for entry in reversed(self.entries):
            if entry.author == person or self.is_away(entry.author, now):
                return entry
        return None

    def can_undo(self, person: str, now: datetime) -> bool:
        """Whether there is an answer that a person may take back."""
        return any(author == person or self.is_away(author, now) for author in self.counts.by_author)

    def _with_event(self, stored: Event, event: SessionEvent) -> "Log":
        fold = _FOLD[type(event)]
        return fold(self, stored, event)

    def _with_entries(self, entries: Sequence[Entry]) -> "Log":
        key = LogKey.of(self.clusters, (entry.reply for entry in entries), self.key.known)
        return replace(self, entries=tuple(entries), key=key, counts=AnswerCounts.of(entries))

    def _with_clusters(self, clusters: int | None) -> "Log":
        if clusters == self.clusters:
            return self
        return replace(self, key=LogKey.of(clusters, self.key.replies, self.key.known))

    def _with_knowledge(self, knowledge: Knowledge) -> "Log":
        key = LogKey.of(self.clusters, self.key.replies, knowledge.known)
        return replace(self, knowledge=knowledge, key=key)


def _open(log: Log, stored: Event, event: Opened) -> Log:
    opened = replace(log, opened=event.options)
    try:
        return opened._with_clusters(log.limits.check_clusters(event.options["clusters"]))
    except (EventError, KeyError):
        return replace(opened, skipped=(*log.skipped, stored.seq))


def _show(log: Log, stored: Event, event: Shown) -> Log:
    is_recheck = log.has_answer_about(event.pair) if event.is_recheck is None else event.is_recheck
    lease = Lease(stored.seq, event.pair, is_recheck, stored.at, event.others, event.is_second)
    return replace(
        log,
        leases={**log.leases, stored.author: lease},
        unanswered={**log.unanswered, stored.seq: lease},
    )


def _answer(log: Log, stored: Event, event: Answered) -> Log:
    question, is_recheck = event.question, event.is_recheck
    if is_recheck is None:  # a log of the first format does not say
        is_recheck = question is not None and log.has_answer_about(event.pair, before=question)
    lease = None if question is None else log.unanswered.get(question)
    entry = Entry(
        stored.seq,
        question,
        stored.author,
        stored.at,
        event.pair,
        event.answer,
        event.step,
        event.seconds,
        is_recheck,
        others=event.others,
        shown=() if lease is None else lease.candidates,
        is_second=lease is not None and lease.is_second,
    )
    return replace(
        log,
        entries=(*log.entries, entry),
        key=log.key.then(entry.reply),
        counts=log.counts.with_entry(entry, log.entries),
        leases={person: lease for person, lease in log.leases.items() if lease.question != question},
        unanswered={number: lease for number, lease in log.unanswered.items() if number != question},
    )


def _retract(log: Log, stored: Event, event: Retracted) -> Log:
    entry = log.find(event.answer)
    if entry is None:
        return log
    shorter = log._with_entries(log.entries_with([Change(event.answer, None)]))
    if entry.question is None:
        return shorter
    lease = entry.as_shown(entry.question)
    return replace(shorter, unanswered={**log.unanswered, entry.question: lease})


def _change(log: Log, stored: Event, event: Changed) -> Log:
    before = log.find(event.answer)
    changed = log.entries_with([Change(event.answer, event.to, event.candidates)])
    if before is None:
        return log
    # Her own correction is what she says, unless she may know by now what somebody else says.
    is_own = before.author == stored.author and not log.has_other_opinion(before)
    given = None if is_own else before.own_reply
    return log._with_entries(
        [replace(entry, given=given) if entry.seq == before.seq else entry for entry in changed]
    )


def _name(log: Log, stored: Event, event: Named) -> Log:
    return replace(log, names=(*log.names, (event.row, event.name)))


def _regroup(log: Log, stored: Event, event: Regrouped) -> Log:
    return log._with_clusters(event.clusters)


def _leave(log: Log, stored: Event, event: Left) -> Log:
    return replace(log, leases={who: lease for who, lease in log.leases.items() if who != stored.author})


def _introduce(log: Log, stored: Event, event: Introduced) -> Log:
    return replace(log, people={**log.people, stored.author: event.name})


def _prefer(log: Log, stored: Event, event: Preferred) -> Log:
    return replace(log, choices={**log.choices, stored.author: event.choices})


def _invite(log: Log, stored: Event, event: Invited) -> Log:
    link = Link(event.link, event.name, event.role, event.token_hash, stored.at, event.expires)
    people = {**log.people, link.person: link.name}
    return replace(log, links={**log.links, link.id: link}, people=people)


def _revoke(log: Log, stored: Event, event: Revoked) -> Log:
    link = log.links.get(event.link)
    if link is None:
        raise EventError(f"link {event.link!r} was not made in this session")
    leases = {who: lease for who, lease in log.leases.items() if who != link.person}
    return replace(log, links={**log.links, link.id: replace(link, revoked=stored.at)}, leases=leases)


def _overlap(log: Log, stored: Event, event: Overlapped) -> Log:
    return replace(log, overlap=event.share)


def _learn(log: Log, stored: Event, event: Learned) -> Log:
    sources = [source for source in log.knowledge.sources if source.name != event.source]
    learned = Source(stored.seq, event.source, event.items)
    return log._with_knowledge(Knowledge((*sources, learned), log.opened["n_rows"]))


def _disregard(log: Log, stored: Event, event: Disregarded) -> Log:
    return log._with_knowledge(log.knowledge.without({event.source: event.items}))


_FOLD: dict[type, Callable[[Log, Event, Any], Log]] = {
    Opened: _open,
    Shown: _show,
    Answered: _answer,
    Retracted: _retract,
    Changed: _change,
    Named: _name,
    Regrouped: _regroup,
    Left: _leave,
    Introduced: _introduce,
    Preferred: _prefer,
    Invited: _invite,
    Revoked: _revoke,
    Overlapped: _overlap,
    Learned: _learn,
    Disregarded: _disregard,
}
