"""Limits on connections: how many are open, and how long one may take to send a request.

A connection that has sent no whole request head within `HEAD_SECONDS` is closed, and so is one whose body
stops coming. Where too many are open, a new one takes the place of the one that has waited longest without a
request under way: idle connections keep nobody out, with or without a token.
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
BODY_SECONDS = 30.0
MAX_CONNECTIONS = 512
# Files that the process needs for other things: the store, modules, downloads.
SPARE_FILES = 128
# Connections that are accepted at once, before any that is too many is closed: well below the spare files.
BACKLOG = 64


def max_connections(open_files: int | None = None) -> int:
    """The number of connections that are kept open where so many files may be; by default the limit here.

    >>> max_connections(1024), max_connections(200)
    (512, 72)
    """
    if open_files is None:
        open_files = _file_limit()
    return max(16, min(MAX_CONNECTIONS, open_files - SPARE_FILES))


def _file_limit() -> int:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MAX_CONNECTIONS + SPARE_FILES
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MAX_CONNECTIONS + SPARE_FILES if limit == resource.RLIM_INFINITY else limit


class GuardedProtocol(H11Protocol):
    """HTTP on one connection, with time limits for requests and a limit on the connections of the server."""

    head_seconds = HEAD_SECONDS
    body_seconds = BODY_SECONDS
    max_connections = max_connections()

    _phase = "new"
    _deadline: asyncio.TimerHandle | None = None
    _waiting_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room for the connection, and start to wait for its first request."""
        super().connection_made(transport)
        self._enter("head", self.head_seconds)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._enter("closed")
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Read what came; what is left to come of a request has a time limit."""
        super().handle_events()
        if self.transport.is_closing():
            self._enter("closed")
        elif self.conn.their_state is h11.SEND_BODY:
            self._enter("body", self.body_seconds)
        elif self.conn.their_state is not h11.IDLE:
            self._enter("response")
        elif self.cycle is not None and not self.conn.trailing_data[0]:
            self._enter("idle")  # between two requests: uvicorn ends that after its own time
        else:
            self._enter("head", self.head_seconds)

    @property
    def is_busy(self) -> bool:
        """Whether a request is under way: read, and not yet answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def _make_room(self) -> None:
        """If too many are open, close what has waited longest without a request under way, or else this."""
        known = (each for each in self.connections if isinstance(each, GuardedProtocol))
        is_open = [each for each in known if not each.transport.is_closing()]
        if len(is_open) > self.max_connections:
            idle = (each for each in is_open if each is not self and not each.is_busy)
            min(idle, key=lambda each: each._waiting_since, default=self).transport.abort()

    def _enter(self, phase: str, seconds: float | None = None) -> None:
        """Go on to another phase, which may take so long; more data of the same phase gives no more time."""
        if phase == self._phase:
            return
        self._phase, self._waiting_since = phase, self.loop.time()
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self._give_up)

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.abort()
