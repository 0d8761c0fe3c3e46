"""Progress as it happens: one thread watches the desk, and every open page is told (server-sent events).

A page that reads slowly skips to the latest line: each has room for one, so nothing piles up.
"""

import asyncio
import json
import threading
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager, suppress

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Send

from sameornot.service import Desk
from sameornot.store import StoreProblem

HEARTBEAT = 15.0  # seconds: shorter than what proxies and browsers take for a dead connection
PATIENCE = 1.0  # seconds: a grouping can move without a new event, so look at least this often
SETTLE = 0.05  # seconds: the answer itself goes out first, and events that come together are told together
RELOAD = 5.0  # seconds: a page that is gone for longer was closed, not loaded again
MAX_SEATS = 50
FULL = f"{MAX_SEATS} pages are open already: close one of them"
CLOSED = "news of other people are off: start the page again to have them"


class Seat:
    """One open page: the latest line for it, and whether it is still to be told."""

    def __init__(self, person: str) -> None:
        self.person = person
        self.line = ""
        self.news = asyncio.Event()

    def offer(self, line: str) -> None:
        """Put up a line unless it is the one that stands there."""
        if line != self.line:
            self.line = line
            self.news.set()


class Events:
    """The open pages of one desk and the thread that watches it for them.

    All but `_watch` runs on the event loop.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._seats: tuple[Seat, ...] = ()  # replaced, never changed: the thread reads it without a lock
        self._last_here: dict[str, float] = {}
        self._occupied = threading.Event()
        self._closed = threading.Event()

    @property
    def is_closed(self) -> bool:
        """Whether the streams have been ended."""
        return self._closed.is_set()

    def start(self) -> None:
        """Begin to watch."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._watch, name="sameornot events", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all streams, so that a server can shut down without waiting for open pages."""
        self._closed.set()
        self._occupied.set()
        for seat in self._seats:
            seat.news.set()

    async def stop(self) -> None:
        """End all streams and wait until the desk is watched no longer: it may be closed then."""
        self.close()
        await anyio.to_thread.run_sync(self._thread.join)

    async def stream(self, request: Request) -> "EventStream":
        """The endpoint: a stream for this person's page, or 503 when there are too many."""
        if self.is_closed:
            raise HTTPException(503, CLOSED)
        if len(self._seats) >= MAX_SEATS:
            raise HTTPException(503, FULL)
        return EventStream(self._lines(request.state.person))

    async def _lines(self, person: str) -> AsyncGenerator[str, None]:
        with self._seat(person) as seat:
            yield ": here\n\n"
            with suppress(StoreProblem):
                seat.offer(await anyio.to_thread.run_sync(self._line, person))
            while not self.is_closed:
                try:
                    await asyncio.wait_for(seat.news.wait(), HEARTBEAT)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                seat.news.clear()
                if not self.is_closed:
                    yield f"event: progress\ndata: {seat.line}\n\n"

    @contextmanager
    def _seat(self, person: str) -> Iterator[Seat]:
        taken = Seat(person)
        self._seats = (*self._seats, taken)
        self._last_here[person] = time.monotonic()
        self._occupied.set()
        try:
            yield taken
        finally:
            self._seats = tuple(seat for seat in self._seats if seat is not taken)
            if not self._seats and not self.is_closed:
                self._occupied.clear()

    def _watch(self) -> None:
        try:
            self._watch_on()
        finally:
            if not self.is_closed:  # by an error: pages that hear nothing more should know
                self._loop.call_soon_threadsafe(self.close)

    def _watch_on(self) -> None:
        version = 0
        while self._occupied.wait() and not self.is_closed:
            try:
                version = self.desk.wait(version, PATIENCE)
                self._closed.wait(SETTLE)
                people = {seat.person for seat in self._seats}
                self._let_go(people)
                lines = {person: self._line(person) for person in people}
                self._loop.call_soon_threadsafe(self._tell, lines)
            except StoreProblem:
                # Whoever answers is told by the answer itself; here it is enough to try again.
                self._closed.wait(PATIENCE)

    def _let_go(self, here: set[str]) -> None:
        """Give back the questions of people whose pages have been closed for a while."""
        now = time.monotonic()
        for person in here:
            self._last_here[person] = now
        for person, at in list(self._last_here.items()):
            if now - at > RELOAD:
                del self._last_here[person]
                self.desk.leave(person)

    def _line(self, person: str) -> str:
        version = self.desk.version
        return json.dumps({"progress": self.desk.progress(person), "version": version})

    def _tell(self, lines: dict[str, str]) -> None:
        for seat in self._seats:
            if seat.person in lines:
                seat.offer(lines[seat.person])


class EventStream(StreamingResponse):
    """A stream that gives its seat up the moment its page goes away, not when memory is next tidied."""

    def __init__(self, lines: AsyncGenerator[str, None]) -> None:
        super().__init__(lines, media_type="text/event-stream")
        self.lines = lines

    async def stream_response(self, send: Send) -> None:
        """Send the lines, and close their generator however this ends."""
        async with aclosing(self.lines):
            await super().stream_response(send)
