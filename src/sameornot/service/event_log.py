"""The log in the store: read, appended to, and waited for. It may grow there by other hands."""

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from sameornot.service.events import Limits
from sameornot.service.log import Log
from sameornot.store import Draft, Event, LogGrewError, Store, StoreError

# How often the store is asked whether another process has added to the log, in seconds.
POLL = 0.5


class EventLog:
    """The log of one session; safe for several threads.

    Only events that are not known yet are read and folded.
    """

    def __init__(self, store: Store, session: str, limits: Limits) -> None:
        self.session = session
        self._store = store
        self._lock = threading.RLock()
        self._grown = threading.Condition(self._lock)
        self._log = Log(limits)
        self._began, self._started = time.monotonic(), store.now()
        self._is_new = True
        self.read()
        self._is_new = False

    @property
    def version(self) -> int:
        """The last event that is known of."""
        return self._log.version

    @property
    def latest(self) -> Log:
        """The log as far as it is known, without a look at the store."""
        return self._log

    def now(self) -> datetime:
        """The store's clock when the log was opened, and the time since: nobody can set it back."""
        return self._started + timedelta(seconds=time.monotonic() - self._began)

    def read(self) -> Log:
        """The log as it is in the store now."""
        with self._lock:
            log = self._extend(self._store.read(self.session, self._log.version))
            self._read_at = time.monotonic()
            return log

    def recent(self, max_age: float) -> Log:
        """The log as it was in the store at most so many seconds ago; as known, if the store is gone."""
        if time.monotonic() - self._read_at > max_age:
            with suppress(StoreError):
                return self.read()
        return self._log

    def append(self, log: Log, drafts: Sequence[Draft]) -> Log | None:
        """Put events behind a log, durably: the longer log, or None if others were faster.

        Nothing was added then. A StoreError may leave it open whether the events were added: the next `read`
        shows it.
        """
        with self._lock:
            if log.version < self._log.version:
                return None
            try:
                events = self._store.append(self.session, drafts, after=log.version)
            except LogGrewError:
                return None
            return self._extend(events)

    def wait(self, version: int, timeout: float) -> int:
        """Block until the log is past a version, by whatever process, or the time is over."""
        for _ in range(max(1, round(timeout / POLL))):
            with self._grown:
                if self._log.version > version or self._grown.wait(min(timeout, POLL)):
                    break
            if self.read().version > version:
                break
        return self._log.version

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()

    def _extend(self, events: Sequence[Event]) -> Log:
        if events:
            self._log = self._log.extended(events, self._heard)
            self._grown.notify_all()
        return self._log

    def _heard(self, event: Event) -> datetime:
        """When its author was heard of, by this clock: the event may be stamped by another."""
        return min(event.at, self._started) if self._is_new else self.now()
