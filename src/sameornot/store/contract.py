"""What a store promises: each session is a log of events, numbered 1, 2, … without a gap, that only grows.

`append` names the event that the caller saw last (`after`). That is the only guard against a thing being
stored twice: the same drafts appended again after a later event are new events. So when `append` fails with a
`StoreProblem` whose connection broke during the commit, nobody can tell whether the events are there: the
caller reads the log from `after` on, and appends again only if they are not. With the old `after`, an
`append` that did succeed shows itself as `Grown`.
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
    """A stored event; `at` (UTC) is the clock of the computer that stored it, and `seq` alone gives order."""

    seq: int
    at: datetime
    author: str
    kind: str
    data: dict[str, Any]


@dataclass(frozen=True)
class SessionLine:
    """One session in a list: `opened` is the data of its last "opened" event, {} if there is none."""

    session: str
    title: str
    n_answers: int
    began: datetime
    last: datetime
    opened: dict[str, Any]


class StoreProblem(RuntimeError):
    """The store cannot be used: one sentence that says why and what to change. Earlier events are kept."""


class Grown(Exception):
    """The log has grown past `after`: read the rest and try again."""


class Store(Protocol):
    """A place that keeps sessions, safe for several threads and several processes at once."""

    def sessions(self) -> list[SessionLine]:
        """Every session that has an event, the one last added to first."""

    def read(self, session: str, after: int = 0) -> list[Event]:
        """The events numbered above `after`, in order; none for a session that is not known."""

    def append(self, session: str, drafts: Sequence[Draft], *, after: int) -> list[Event]:
        """Add events behind event number `after` (0: the log is empty), all or none.

        They are on disk when this returns. `Grown` if the log has grown past `after`; `ValueError` if a
        draft cannot be stored; `StoreProblem` if the store fails. Nothing is added in these cases, except
        that a connection lost during the commit leaves it open (see the head of this file).
        """

    def close(self) -> None:
        """Let go of files and connections."""
