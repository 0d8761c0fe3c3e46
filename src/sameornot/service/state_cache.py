"""Session states by log prefix: each is made once, from the state before it where that is at hand.

The cache is bounded, but states that are in use (the current one, and those prepared for the answers that
people may give) are never evicted.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Collection, Sequence
from concurrent.futures import Executor, Future

from sameornot._types import Pair, Question, Reply
from sameornot.constraints import Constraints
from sameornot.service.label_history import LabelHistory, PoolLabels, window_start
from sameornot.service.log_key import LogKey
from sameornot.service.session_state import (
    IMPOSSIBLE,
    SessionFactory,
    SessionState,
    advance,
    begin_advance,
    begin_session,
    can_advance,
    replay,
)
from sameornot.service.turns import Turns
from sameornot.session import ActiveSession

# States that are kept besides those in use: the latest ones, for undo. And questions for one more person.
N_KEPT = 16
N_BESIDE = 64
# scikit-learn's forests change the process's list of warning filters while they grow: one fit at a time.
_TURNS = Turns()


class StateCache:
    """Session states by log prefix; safe for several threads."""

    def __init__(self, factory: SessionFactory, n_kept: int = N_KEPT) -> None:
        self._factory, self._n_kept = factory, n_kept
        self._lock = threading.Lock()
        self._states: OrderedDict[LogKey, Future[SessionState]] = OrderedDict()
        self._in_use: frozenset[LogKey] = frozenset()
        self._beside: OrderedDict[tuple[LogKey, frozenset[Pair]], Question | None] = OrderedDict()
        self._history = LabelHistory()
        self._awaited: Counter[LogKey] = Counter()

    def peek(self, key: LogKey) -> SessionState | None:
        """The state after a log, if it is at hand."""
        with self._lock:
            future = self._states.get(key)
            if future is None or not _is_ready(future):
                return None
            self._states.move_to_end(key)
            return future.result()

    def get(self, key: LogKey, answered: ActiveSession | None = None) -> SessionState:
        """The state after a log: made before, being made, or made now.

        `answered` is a session that was given the last answer, if there is one (see `check`).
        """
        with self._lock:
            future = self._states.get(key)
            is_mine = future is None or future.cancel() or _has_failed(future)  # still waiting: made here
            if future is None or is_mine:
                future = Future()
                future.set_running_or_notify_cancel()
                self._keep(key, future)
            self._states.move_to_end(key)
        if is_mine:
            self._fulfil(key, future, answered)
        return future.result() if future.done() else self._await(key, future)

    def _await(self, key: LogKey, future: "Future[SessionState]") -> SessionState:
        """Wait for a state that is being made: it goes before what others want."""
        with self._lock:
            self._awaited[key] += 1
        _TURNS.wake()
        try:
            return future.result()
        finally:
            with self._lock:
                self._awaited.subtract([key])
                if not self._awaited[key]:
                    del self._awaited[key]

    def check(self, key: LogKey, ignored: Collection[Reply] = ()) -> ActiveSession | None:
        """Raise what a session raises that is given these answers, if they cannot all be true.

        Answers that were `ignored` before do not count. Returned is the session that was given the last
        answer, where one was made: `get` goes on from it.
        """
        known = self.peek(key)
        if known is not None and len(known.ignored) <= len(ignored):
            return None
        before = None if key.parent is None else self.peek(key.parent)
        if before is not None and key.reply is not None and can_advance(before, key):
            with _TURNS.now():
                return begin_advance(before, key.reply)
        closure = self._factory.closure(key)
        closure.of([reply for reply in key.replies if reply not in ignored])
        return None

    def closure(self, key: LogKey) -> Constraints:
        """What is known before any answer; raises what a session raises if it cannot be."""
        return self._factory.closure(key).of([])

    def prepare(self, current: LogKey, wanted: Sequence[LogKey], executor: Executor) -> None:
        """Make the states after the answers that may come on another thread; forget those not wanted now."""
        with self._lock:
            for key, future in list(self._states.items()):
                if key not in wanted and future.cancel():
                    del self._states[key]
            self._in_use = frozenset((current, *wanted))
            for key in wanted:
                if key not in self._states:
                    self._keep(key, executor.submit(self._follow, key))

    def ask_beside(self, key: LogKey, pending: Sequence[Pair], *, ahead: bool = False) -> Question | None:
        """What to ask somebody while others look at the `pending` pairs; None if nothing else is left.

        `ahead`: nobody waits for it yet.
        """
        state = self.get(key)
        first = state.question
        if first is None or not any(_overlap(first, pair) for pair in pending):
            return first
        place = key, frozenset(pending)
        with self._lock:
            if place in self._beside:
                return self._beside[place]
        with _TURNS.ahead() if ahead else _TURNS.now():
            question = state.session.ask_beside(pending)
        with self._lock:
            self._beside[place] = question
            while len(self._beside) > N_BESIDE:
                self._beside.popitem(last=False)
        return question

    def churn(self, state: SessionState) -> list[tuple[int, float]]:
        """(number of answers, share of rows that changed group over the ten before), latest answers last."""
        start = window_start(state.key)
        with self._lock:
            self._history.record(state.key, labels_of(state.session))
            is_known = start is None or start in self._history
        if start is not None and not is_known:
            self._record_labels(start)
        with self._lock:
            return self._history.churn(state.key)

    def recall_labels(self, key: LogKey) -> bool:
        """Make the labels of one more prefix that the churn needs; False if there is none.

        For a session that is resumed, or changed far back.
        """
        with self._lock:
            missing = self._history.missing(key)
        if missing:
            self._record_labels(missing[0], ahead=True)
        return bool(missing)

    def _record_labels(self, key: LogKey, *, ahead: bool = False) -> None:
        labels = self._labels(key, ahead=ahead)
        with self._lock:
            self._history.record(key, labels)

    def _labels(self, key: LogKey, *, ahead: bool) -> PoolLabels:
        known = self.peek(key)
        if known is not None:
            return labels_of(known.session)
        with _TURNS.ahead() if ahead else _TURNS.now():
            session, _ = begin_session(self._factory, key)
            return labels_of(session)

    def _keep(self, key: LogKey, future: "Future[SessionState]") -> None:
        self._states[key] = future
        idle = [other for other in self._states if other != key and other not in self._in_use]
        for other in idle[: max(0, len(idle) - self._n_kept)]:
            del self._states[other]

    def _fulfil(self, key: LogKey, future: "Future[SessionState]", answered: ActiveSession | None) -> None:
        try:
            future.set_result(self._make(key, answered))
        except BaseException as error:
            future.set_exception(error)  # for those who wait for it; it is not kept
            with self._lock:
                if self._states.get(key) is future:
                    del self._states[key]

    def _make(self, key: LogKey, answered: ActiveSession | None) -> SessionState:
        before = None if key.parent is None else self.peek(key.parent)
        with _TURNS.now():
            if before is not None and (answered is not None or can_advance(before, key)):
                try:
                    return advance(before, key, answered)
                except IMPOSSIBLE:  # by a log that somebody else wrote: the answer is ignored
                    pass
            return replay(self._factory, key)

    def _follow(self, key: LogKey) -> SessionState:
        """The state after an answer that may come; an answer that cannot be true has none."""
        before = None if key.parent is None else self.peek(key.parent)
        with _TURNS.ahead(lambda: self._awaited[key] > 0):
            if before is not None and can_advance(before, key):
                return advance(before, key)
            return replay(self._factory, key)


def _is_ready(future: "Future[SessionState]") -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _has_failed(future: "Future[SessionState]") -> bool:
    return future.done() and not _is_ready(future)


def _overlap(question: Question, pair: Pair) -> bool:
    return question.left == pair.left or set(question) == set(pair)


def labels_of(session: ActiveSession) -> PoolLabels:
    """The labels of the rows that questions may be about."""
    return PoolLabels(session.pool, session.pool_result().labels)
