"""The personal links of one session: made, taken back, listed and recognised. They need no table."""

from datetime import UTC, datetime
from typing import Any, Self

from sameornot.service.event_log import EventLog
from sameornot.service.events import Limits, Revoked, SessionEvent, draft
from sameornot.service.links import Link, find_link, new_link, pick_link
from sameornot.service.log import Log
from sameornot.service.requests import read_name
from sameornot.store import SessionLine, Store

# Seconds after which a link that was taken back by another process opens nothing any more.
FRESH = 1.0


class SessionLinks:
    """The links in the log of a session; safe for several threads."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    @classmethod
    def of(cls, store: Store, line: SessionLine) -> Self:
        """The links of a session that is not open here."""
        n_rows = int(line.opened.get("n_rows", 0))
        return cls(EventLog(store, line.session, Limits(range(n_rows), n_rows)))

    def invite(self, person: str, name: str, role: str, days: float | None = None) -> dict[str, Any]:
        """Make a link; what is returned holds its token, which is stored nowhere."""
        event, token = new_link(read_name(name), role, days, datetime.now(UTC))
        log = self._append(person, event)
        return {"link": self._line(log, log.links[event.link]), "token": token}

    def revoke(self, person: str, wanted: str) -> dict[str, Any]:
        """Take back a link, by its id or the name of its person; answers stay."""
        log = self._append(person, Revoked(pick_link(self._log.read().links.values(), wanted).id))
        return {"links": [self._line(log, link) for link in log.links.values()]}

    def lines(self) -> list[dict[str, Any]]:
        """Every link that was made, without its token."""
        log = self._log.read()
        return [self._line(log, link) for link in log.links.values()]

    def find(self, token: str) -> Link | None:
        """The link of a token, open or not."""
        return find_link(self._log.recent(FRESH).links.values(), token)

    def is_closed(self, person: str) -> bool:
        """Whether a person came by a link that opens nothing any more."""
        link = next((link for link in self._log.recent(FRESH).links.values() if link.person == person), None)
        return link is not None and link.closed(datetime.now(UTC)) is not None

    def _append(self, person: str, event: SessionEvent) -> Log:
        while True:
            log = self._log.append(self._log.read(), [draft(person, event)])
            if log is not None:
                return log

    def _line(self, log: Log, link: Link) -> dict[str, Any]:
        return link.as_json(datetime.now(UTC), log.counts.of_person(link.person).n_answers)
