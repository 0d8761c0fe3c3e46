"""One fit at a time, first come, first served; what people wait for goes before what is prepared ahead.

A plain lock is not enough: the thread that prepares states takes it again as soon as it has let go of it,
and those who wait for it can wait for all of its work.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Turns:
    """A lock with a queue; safe for several threads, and not reentrant."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._is_taken = False
        self._queue: deque[object] = deque()

    @contextmanager
    def now(self) -> Iterator[None]:
        """Have the next turn, behind those who came before: somebody waits for the result."""
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
            self._changed.wait_for(lambda: not self._is_taken and self._queue[0] is ticket)
            self._queue.popleft()
            self._is_taken = True
        try:
            yield
        finally:
            self._end()

    @contextmanager
    def ahead(self, is_awaited: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """Have a turn once nobody waits for one, or once somebody waits for what is made in this one.

        After a change of `is_awaited`, `wake` has it looked at again.
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._is_taken and (not self._queue or is_awaited()))
            self._is_taken = True
        try:
            yield
        finally:
            self._end()

    def wake(self) -> None:
        """Look again at what those who work ahead wait for."""
        with self._changed:
            self._changed.notify_all()

    def _end(self) -> None:
        with self._changed:
            self._is_taken = False
            self._changed.notify_all()
