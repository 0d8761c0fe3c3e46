"""Keeps a session's log and where it stands: what is on disk, what follows, and what could follow next.

The log lives in the store and may grow there by other hands; standings are made from it, here. While a person
reads a question, the standing after each answer that she may give is made on a thread of its own.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np

from sameornot._types import Answer, Pair, Reply
from sameornot.constraints import Constraints, Contradiction
from sameornot.service.log import Entry, EventError, Limits, Log
from sameornot.service.sheet import Sheet
from sameornot.service.standing import Standing, follow, stand
from sameornot.session import ActiveSession, TooManyGroups, absorb
from sameornot.store import Draft, Grown, Store

# Standings that are kept besides those in use: the last ones, for undo.
N_KEPT = 16
# scikit-learn's forests change the process's list of warning filters while they grow: one at a time.
_GROWING = threading.Lock()
# The answer goes out to the page first: preparing waits this long, in seconds, before it takes the processor.
BREATH = 0.15
# How often the store is asked whether another process has added to the log, in seconds.
POLL = 0.5


@dataclass(frozen=True)
class Case:
    """All that a standing depends on: the number of groups and the answers about rows of the pool."""

    clusters: int | None
    replies: tuple[Reply, ...]

    def before(self, n_answers: int) -> "Case":
        """The case that many answers ago."""
        return Case(self.clusters, self.replies[: len(self.replies) - n_answers])

    def then(self, reply: Reply) -> "Case":
        """The case after one more answer."""
        return Case(self.clusters, (*self.replies, reply))

    def without(self, replies: Collection[Reply]) -> "Case":
        """The case without some answers."""
        return Case(self.clusters, tuple(reply for reply in self.replies if reply not in replies))

    def check(self, n_rows: int) -> None:
        """Raise what a session on so many rows would raise if it were given these answers."""
        constraints = Constraints(n_rows)
        for reply in self.replies:
            absorb(constraints, reply, self.clusters)

    def fitting(self, n_rows: int) -> "Case":
        """The case without each answer that cannot be true together with those before it."""
        try:
            self.check(n_rows)
        except (Contradiction, TooManyGroups):
            kept = Case(self.clusters, ())
            for reply in self.replies:
                with suppress(Contradiction, TooManyGroups):
                    longer = kept.then(reply)
                    longer.check(n_rows)
                    kept = longer
            return kept
        return self


def asked_again(entries: Iterable[Entry], pair: Pair, question: int | None) -> bool:
    """Whether a question about rows of the table had been answered before it was shown: it is a check."""
    return question is not None and any(
        set(entry.pair) == set(pair) and entry.answer is not Answer.UNSURE and entry.seq < question
        for entry in entries
    )


def case_of(log: Log, sheet: Sheet, entries: Iterable[Entry] | None = None) -> Case:
    """What the log's answers, or others in their place, say about rows of the pool."""
    told = list(log.entries if entries is None else entries)
    replies = (
        Reply(
            sheet.to_pool(entry.pair),
            entry.answer,
            entry.step,
            asked_again(told[:n], entry.pair, entry.question),
        )
        for n, entry in enumerate(told)
    )
    return Case(log.clusters, tuple(replies))


class Keeper:
    """One session of a store, on one sheet; safe to be used by several threads.

    Without `ahead`, nothing is prepared: for programs that answer at once, or not at all.
    """

    def __init__(self, store: Store, session: str, sheet: Sheet, seed: int, *, ahead: bool = True) -> None:
        self.store, self.session, self.sheet, self.seed = store, session, sheet, seed
        self.ahead = ahead
        self._log = Log(Limits(sheet.position, len(sheet.pool))).take(store.read(session))
        self._lock = threading.RLock()
        self._grown = threading.Condition(self._lock)
        self._standings: OrderedDict[Case, Future[Standing]] = OrderedDict()
        self._in_use: Set[Case] = frozenset()
        self._beside: OrderedDict[tuple[Case, frozenset[Pair]], Pair | None] = OrderedDict()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="prepare")

    @property
    def version(self) -> int:
        """The last event that is known of."""
        return self._log.version

    def read(self) -> Log:
        """The log as it is in the store now."""
        with self._lock:
            events = self.store.read(self.session, self._log.version)
            if events:
                self._log = self._log.take(events)
                self._grown.notify_all()
            return self._log

    def append(self, log: Log, drafts: Sequence[Draft]) -> bool:
        """Put events behind a log, durably; False if it has grown meanwhile, and nothing was added."""
        with self._lock:
            try:
                self.store.append(self.session, drafts, after=log.version)
            except Grown:
                return False
            finally:
                self.read()  # also where the outcome of a failed append is not known
            return True

    def wait(self, version: int, timeout: float) -> int:
        """Block until the log is past a version, by whatever process, or the time is over."""
        for _ in range(max(1, round(timeout / POLL))):
            with self._grown:
                if self._log.version > version or self._grown.wait(min(timeout, POLL)):
                    break
            if self.read().version > version:
                break
        return self._log.version

    def current(self) -> tuple[Log, Standing]:
        """The log and where it leads."""
        log = self.read()
        return log, self.stand(self.case(log))

    def case(self, log: Log, entries: Iterable[Entry] | None = None) -> Case:
        """What the log's answers, or others in their place, say about rows of the pool."""
        return case_of(log, self.sheet, entries)

    def check(self, case: Case, set_aside: Collection[Reply] = ()) -> None:
        """Raise what the session would raise if it were given these answers, but for those set aside."""
        self._log.limits.check_clusters(case.clusters)
        made = self.made(case)
        if made is None or len(made.session.answers) + len(set_aside) < len(case.replies):
            case.without(set_aside).check(len(self.sheet.X))

    def set_aside(self, log: Log, standing: Standing) -> Collection[Reply]:
        """The answers of a log that cannot be true together with those before them: the session has none."""
        replies, believed = self.case(log).replies, standing.session.answers
        return () if len(believed) == len(replies) else [reply for reply in replies if reply not in believed]

    def made(self, case: Case) -> Standing | None:
        """The standing of a case, if it is at hand."""
        with self._lock:
            future = self._standings.get(case)
            if future is not None:
                self._standings.move_to_end(case)
        if future is None or not future.done() or future.cancelled() or future.exception() is not None:
            return None
        return future.result()

    def one_more(self, case: Case) -> int | None:
        """One group more than wanted, if all of the answers would fit then."""
        if case.clusters is None:
            return None
        try:
            self.check(Case(case.clusters + 1, case.replies))
        except (Contradiction, EventError, TooManyGroups):
            return None
        return case.clusters + 1

    def stand(self, case: Case) -> Standing:
        """The standing of a case: made before, being made, or made now."""
        with self._lock:
            made = self._standings.get(case)
            if made is not None and (made.cancel() or (made.done() and made.exception() is not None)):
                made = None  # one that still waits for the worker is made here instead
            if made is None:
                mine: Future[Standing] = Future()
                mine.set_running_or_notify_cancel()
                self._keep(case, mine)
            else:
                self._standings.move_to_end(case)
        if made is not None:
            return made.result()
        try:
            mine.set_result(self._make(case))
        except BaseException as error:
            mine.set_exception(error)  # for those who wait for it; it is not kept
            with self._lock:
                self._standings.pop(case, None)
        return mine.result()

    def prepare(self, log: Log, standing: Standing) -> None:
        """Have the standing ready for whatever those who look at a question will say."""
        if not self.ahead:
            return
        case = self.case(log)
        looked_at = [
            (self.sheet.to_pool(look.pair), asked_again(log.entries, look.pair, look.question))
            for look in log.looks.values()
        ]
        step = standing.session.step
        wanted = [
            case.then(Reply(pair, answer, step, again)) for answer in Answer for pair, again in looked_at
        ]
        with self._lock:
            for other, future in list(self._standings.items()):
                if other not in wanted and future.cancel():
                    del self._standings[other]
            self._in_use = {case, *wanted}
            self._worker.submit(time.sleep, BREATH)
            for follow_up in wanted:
                if follow_up not in self._standings:
                    self._keep(follow_up, self._worker.submit(self._make, follow_up))
        if len(looked_at) > 1:
            pairs = [pair for pair, _ in looked_at]
            self.do_later(partial(self._prepare_beside, log.version, wanted, pairs))

    def _prepare_beside(self, version: int, cases: Sequence[Case], looked_at: Sequence[Pair]) -> None:
        """Have the other question ready, for each answer of one person while others look at theirs."""
        for case in cases:
            answered = case.replies[-1].pair
            if self._log.version == version and self.made(case) is not None:
                self.next_pair(case, [pair for pair in looked_at if pair != answered])

    def next_pair(self, case: Case, held: Sequence[Pair]) -> Pair | None:
        """What to ask somebody next, while others are looking at the `held` pairs."""
        standing = self.stand(case)
        first = standing.pair
        if first is None or not any(first.left == pair.left or set(first) == set(pair) for pair in held):
            return first
        key = case, frozenset(held)
        with self._lock:
            if key in self._beside:
                return self._beside[key]
        with _GROWING:
            pair = standing.session.ask_beside(held)
        with self._lock:
            self._beside[key] = pair
            while len(self._beside) > N_KEPT:
                self._beside.popitem(last=False)
        return pair

    def labels(self, case: Case) -> np.ndarray:
        """The grouping of a case, without its next question."""
        return self._session(case).result().labels

    def do_later(self, work: Callable[[], None]) -> None:
        """Have something done that nobody waits for."""
        if self.ahead:
            with suppress(RuntimeError):  # the desk has just been closed
                self._worker.submit(work)

    def close(self) -> None:
        """Stop preparing, and let go of the store."""
        self._worker.shutdown(wait=True, cancel_futures=True)
        self.store.close()

    def _keep(self, case: Case, future: "Future[Standing]") -> None:
        self._standings[case] = future
        self._standings.move_to_end(case)
        kept = [known for known in self._standings if known not in self._in_use and known != case]
        for known in kept[: max(0, len(kept) - N_KEPT)]:
            del self._standings[known]

    def _make(self, case: Case) -> Standing:
        with _GROWING:
            return self._follow(case) or stand(self._session(case))

    def _follow(self, case: Case) -> Standing | None:
        """The standing made from the one before it, where that is at hand."""
        before = self.made(case.before(1)) if case.replies else None
        if before is None or before.session.step != case.replies[-1].step:
            return None
        try:
            return follow(before, case.replies[-1])
        except (Contradiction, TooManyGroups):
            return None

    def _session(self, case: Case) -> ActiveSession:
        case = case.fitting(len(self.sheet.X))
        return ActiveSession(
            self.sheet.X,
            case.clusters,
            pool=len(self.sheet.X),
            standardize=False,  # the encoder has done it, with as much for a column of words as for a number
            random_state=self.seed,
            answers=case.replies,
        )
