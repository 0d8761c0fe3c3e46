"""Live progress by server-sent events: one thread watches the service and notifies every open page.

Each page has room for one message, the latest: a slow reader skips messages, and nothing piles up.
"""

import asyncio
import json
import threading
import time
from collections.abc import AsyncGenerator, Collection, Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Send

from sameornot.service import LabellingService
from sameornot.store import StoreError

CLOSED = "news of other people are off: start the page again to have them"


@dataclass(frozen=True)
class EventTiming:
    """Times in seconds, and the number of pages.

    Attributes
    ----------
    heartbeat : float
        Sent to a page that hears nothing: shorter than the idle time-outs of proxies and browsers.
    poll : float
        Time between two looks at the service: a grouping can change without a new event.
    settle : float
        Delay after an event: the response to an answer goes out first, and events in a row are merged.
    reload : float
        A page that is away for longer was closed, not reloaded.
    max_pages : int
        Open pages that are served.
    """

    heartbeat: float = 15.0
    poll: float = 1.0
    settle: float = 0.05
    reload: float = 5.0
    max_pages: int = 50


DEFAULT_TIMING = EventTiming()


class Subscriber:
    """An open page: the latest message for it, and whether it has still to be sent."""

    def __init__(self, person: str) -> None:
        self.person = person
        self.is_closed = False
        self.message = ""
        self.has_news = asyncio.Event()

    def close(self) -> None:
        """End the stream of this page."""
        self.is_closed = True
        self.has_news.set()

    def offer(self, message: str) -> None:
        """Replace the message, unless nothing has changed."""
        if message != self.message:
            self.message = message
            self.has_news.set()


class EventBroadcaster:
    """The open pages of a service, and the thread that watches it for them.

    Only `_watch` and what it calls run on that thread; all else runs on the event loop.
    """

    def __init__(self, service: LabellingService, timing: EventTiming = DEFAULT_TIMING) -> None:
        self.service, self.timing = service, timing
        # Replaced, never changed in place: the thread reads it without a lock.
        self._subscribers: tuple[Subscriber, ...] = ()
        self._last_seen: dict[str, float] = {}
        self._has_subscribers = threading.Event()
        self._closed = threading.Event()

    @property
    def is_closed(self) -> bool:
        """Whether the streams have ended."""
        return self._closed.is_set()

    def start(self) -> None:
        """Start watching the service."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._watch, name="sameornot events", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all streams, so that the server can shut down without waiting for open pages."""
        self._closed.set()
        self._has_subscribers.set()
        for subscriber in self._subscribers:
            subscriber.has_news.set()

    async def stop(self) -> None:
        """End all streams and wait for the thread; the service can be closed afterwards."""
        self.close()
        await anyio.to_thread.run_sync(self._thread.join)

    async def stream(self, request: Request) -> "EventStream":
        """The endpoint: a stream for this person's page, or 503 if there are too many pages."""
        if self.is_closed:
            raise HTTPException(503, CLOSED)
        if len(self._subscribers) >= self.timing.max_pages:
            raise HTTPException(503, f"{self.timing.max_pages} pages are open already: close one of them")
        return EventStream(self._messages(request.state.person))

    async def _messages(self, person: str) -> AsyncGenerator[str, None]:
        with self._subscribed(person) as subscriber:
            yield ": here\n\n"
            with suppress(StoreError):
                subscriber.offer(await anyio.to_thread.run_sync(self._message_for, person))
            while not (self.is_closed or subscriber.is_closed):
                try:
                    await asyncio.wait_for(subscriber.has_news.wait(), self.timing.heartbeat)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                subscriber.has_news.clear()
                if not (self.is_closed or subscriber.is_closed):
                    yield f"event: progress\ndata: {subscriber.message}\n\n"

    @contextmanager
    def _subscribed(self, person: str) -> Iterator[Subscriber]:
        added = Subscriber(person)
        self._subscribers = (*self._subscribers, added)
        self._last_seen[person] = time.monotonic()
        self._has_subscribers.set()
        try:
            yield added
        finally:
            self._subscribers = tuple(each for each in self._subscribers if each is not added)
            if not self._subscribers and not self.is_closed:
                self._has_subscribers.clear()

    def _watch(self) -> None:
        try:
            self._watch_until_closed()
        finally:
            if not self.is_closed:  # after an error: pages should know that no more news will come
                self._loop.call_soon_threadsafe(self.close)

    def _watch_until_closed(self) -> None:
        version = 0
        while self._has_subscribers.wait() and not self.is_closed:
            try:
                version = self.service.wait(version, self.timing.poll)
                self._closed.wait(self.timing.settle)
                people = {subscriber.person for subscriber in self._subscribers}
                self._release_questions(people)
                closed = {person for person in people if self.service.links.is_closed(person)}
                messages = {person: self._message_for(person) for person in people - closed}
                self._loop.call_soon_threadsafe(self._notify, messages, closed)
            except StoreError:
                # The response to an answer reports it; here it is enough to try again.
                self._closed.wait(self.timing.poll)

    def _release_questions(self, present: set[str]) -> None:
        """Release the questions of people whose pages were closed."""
        now = time.monotonic()
        for person in present:
            self._last_seen[person] = now
        for person, at in list(self._last_seen.items()):
            if now - at > self.timing.reload:
                del self._last_seen[person]
                self.service.leave(person)

    def _message_for(self, person: str) -> str:
        version = self.service.version
        return json.dumps({"progress": self.service.progress(person), "version": version})

    def _notify(self, messages: dict[str, str], closed: Collection[str] = ()) -> None:
        for subscriber in self._subscribers:
            if subscriber.person in closed:
                subscriber.close()
            if subscriber.person in messages:
                subscriber.offer(messages[subscriber.person])


class EventStream(StreamingResponse):
    """A stream that unsubscribes as soon as its page goes away, without waiting for garbage collection."""

    def __init__(self, messages: AsyncGenerator[str, None]) -> None:
        # nginx would keep the messages until its buffer is full.
        super().__init__(messages, media_type="text/event-stream", headers={"x-accel-buffering": "no"})
        self.messages = messages

    async def stream_response(self, send: Send) -> None:
        """Send the messages, and close their generator however this ends."""
        async with aclosing(self.messages):
            await super().stream_response(send)
