"""Work ahead while people read: the state after each answer that they may give, on one thread of its own."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import zip_longest

from sameornot._types import Answer, Pair, Reply
from sameornot.service.entry import Lease
from sameornot.service.log import Log
from sameornot.service.log_key import LogKey
from sameornot.service.session_state import SessionState
from sameornot.service.state_cache import StateCache

# The answer goes out to the page first: preparing waits this long, in seconds, before it takes the processor.
PAUSE = 0.15


class Prefetcher:
    """Prepares states of a cache; if it is not `enabled`, it does nothing."""

    def __init__(self, states: StateCache, *, enabled: bool) -> None:
        self._states, self._enabled = states, enabled
        self._current: LogKey | None = None
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="prepare")

    def prepare(self, log: Log, state: SessionState) -> None:
        """Have the state and the next question ready for whatever those who look at a question will say."""
        if not self._enabled:
            return
        self._current = log.key
        leases = list(log.leases.values())
        step = state.session.step
        by_lease = (possible_replies(lease, step, person) for person, lease in log.leases.items())
        replies = [reply for rank in zip_longest(*by_lease) for reply in rank if reply is not None]
        wanted = [log.key.then(reply) for reply in replies]
        with suppress(RuntimeError):  # the service has just been closed
            self._executor.submit(time.sleep, PAUSE)
            self._states.prepare(log.key, wanted, self._executor)
        if len(leases) > 1:
            pairs = [lease.pair for lease in leases]
            self._later(partial(self._prepare_beside, log.key, wanted, pairs))

    def recall_labels(self, key: LogKey) -> None:
        """Have the labels ready that the churn up to a prefix needs."""
        self._current = key
        self._later(partial(self._recall_first, key))

    def close(self) -> None:
        """Stop preparing."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _prepare_beside(self, current: LogKey, keys: list[LogKey], leased: list[Pair]) -> None:
        """Have the other question ready, for each answer of one person while others look at theirs."""
        for key in keys:
            if self._current == current and key.reply is not None and self._states.peek(key) is not None:
                others = [pair for pair in leased if pair.left != key.reply.pair.left]
                self._states.ask_beside(key, others, ahead=True)

    def _recall_first(self, key: LogKey) -> None:
        """Begin with the labels of the current state: people wait for them."""
        self._states.churn(self._states.get(key))
        self._recall_one(key)

    def _recall_one(self, key: LogKey) -> None:
        # One at a time: what people wait for comes between. Once the session has gone on, what is still
        # missing will soon be drawn no longer.
        if self._current == key and self._states.recall_labels(key):
            self._later(partial(self._recall_one, key))

    def _later(self, work: Callable[[], None]) -> None:
        if self._enabled:
            with suppress(RuntimeError):  # the service has just been closed
                self._executor.submit(work)


def possible_replies(lease: Lease, step: int, person: str) -> list[Reply]:
    """The answers that a person may give to what she looks at, roughly the likeliest first."""
    if not lease.others:
        return [Reply(lease.pair, answer, step, lease.is_recheck, (), person) for answer in Answer]
    row, candidates = lease.pair.left, lease.candidates
    none, unsure = (
        Reply(lease.pair, answer, step, False, lease.others, person)
        for answer in (Answer.DIFFERENT, Answer.UNSURE)
    )
    first, *chosen = (
        Reply(Pair(row, one), Answer.SAME, step, False, tuple(c for c in candidates if c != one), person)
        for one in candidates
    )
    return [first, none, *chosen, unsure]
