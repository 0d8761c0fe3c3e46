"""The contract of a store: each session is an append-only log of events, numbered 1, 2, … without a gap.

`append` names the last event that the caller has read (`after`). This is the only guard against storing the
same thing twice: the same drafts appended after a later event are new events. If `append` fails with a
`StoreError` because the connection broke during the commit, the outcome is unknown: the caller reads the log
from `after` on, and appends again only if the events are missing. An `append` with the old `after` raises
`LogGrewError` if the first one did succeed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True)
class Draft:
    """An event that is not yet stored; `data` holds what JSON can hold."""

    author: str
    kind: str
    data: dict[str, Any]


@dataclass(frozen=True)
class Event:
    """A stored event; `at` is the clock of the store, in UTC, and only `seq` gives the order.

    `data` is empty if what is stored is no JSON object, which this store never writes.
    """

    seq: int
    at: datetime
    author: str
    kind: str
    data: dict[str, Any]


@dataclass(frozen=True)
class SessionLine:
    """One session in a list: `opened` is the data of its last "opened" event, {} if there is none.

    `n_bytes` is the size of its events, without what the database adds.
    """

    session: str
    title: str
    n_answers: int
    began: datetime
    last: datetime
    opened: dict[str, Any]
    n_events: int = 0
    n_bytes: int = 0


class StoreError(RuntimeError):
    """The store cannot be used; the message says why and what to change. Stored events are safe."""


class LogGrewError(Exception):
    """The log has more events than `after`: read the rest and try again."""


class Store(Protocol):
    """Persistent logs of sessions, safe for several threads and several processes."""

    def sessions(self) -> list[SessionLine]:
        """Every session that has an event, the one last added to first."""

    def read(self, session: str, after: int = 0) -> list[Event]:
        """The events numbered above `after`, in order; none for a session that is not known."""

    def now(self) -> datetime:
        """The clock that events are stamped with, in UTC: one for all computers that share the store."""

    def append(self, session: str, drafts: Sequence[Draft], *, after: int) -> list[Event]:
        """Add events behind event number `after` (0: the log is empty), all or none.

        They are on disk when this returns. `LogGrewError` if the log has grown past `after`; `ValueError`
        if a draft cannot be stored; `StoreError` if the store fails. Nothing is added in these cases, except
        that a connection lost during the commit leaves it open (see the head of this file).
        """

    def restore(self, session: str, events: Sequence[Event]) -> None:
        """Add all events of a session that the store does not have, as they are: numbers, times and authors.

        `LogGrewError` if the store has an event of that session; nothing is added then.
        """

    def delete(self, session: str) -> int:
        """Remove a session with all of its events for good; returns their number."""

    def close(self) -> None:
        """Close files and connections."""
