"""A session while people work on it: its log, its states, and who gets which question.

A person proposes (`commit`), the proposal is checked against the session, stored, and she gets her next
question (`lease_next`). A proposal reads the store once; if others were faster, it is proposed again.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from sameornot._types import Question
from sameornot.constraints import Contradiction
from sameornot.service.conflict import Attempt, find_conflict
from sameornot.service.doubt import doubtful_answer
from sameornot.service.entry import Lease
from sameornot.service.errors import Conflict, ServiceError
from sameornot.service.event_log import EventLog
from sameornot.service.events import EventError, Learned, SessionEvent, Shown, draft
from sameornot.service.known_conflict import add_known
from sameornot.service.log import Log
from sameornot.service.log_key import LogKey
from sameornot.service.opening import OpenedSession
from sameornot.service.prefetcher import Prefetcher
from sameornot.service.proposal import Proposal
from sameornot.service.second_opinion import second_opinion, still_wanted
from sameornot.service.session_state import IMPOSSIBLE, SessionFactory
from sameornot.service.state_cache import StateCache
from sameornot.service.view import View
from sameornot.session import ActiveSession, TooManyGroups
from sameornot.store import Draft, Store


class Committed(NamedTuple):
    """What was stored, and the session before and after it."""

    proposal: Proposal
    before: View
    after: View


class Leased(NamedTuple):
    """The session once a person has her question; `lease` is None if there is none to ask her.

    `waiting`: others are looking at all that is left to ask.
    """

    view: View
    lease: Lease | None
    waiting: bool


class LiveSession:
    """One session of a store; safe for several threads.

    `ahead`: prepare the next question for each answer while a person reads.
    """

    def __init__(self, store: Store, opened: OpenedSession, *, ahead: bool) -> None:
        self.table_view = opened.table_view
        self.log = EventLog(store, opened.session, opened.limits)
        factory = SessionFactory(self.table_view, self.table_view.pool_size, opened.options["seed"])
        self.states = StateCache(factory)
        self._prefetcher = Prefetcher(self.states, enabled=ahead)
        self._prefetcher.recall_labels(self.log.latest.key)

    def view(self, log: Log | None = None) -> View:
        """The session as it is now in the store, or after a log."""
        log = self.log.read() if log is None else log
        return View(self.table_view, log, self.states.get(log.key))

    def commit(
        self, person: str, propose: Callable[[View], Proposal | None], *, ask_next: bool = True
    ) -> Committed | None:
        """Store what is proposed, if it all fits; a Conflict, and nothing stored, if not.

        None if nothing is proposed (any more). `ask_next`: reserve the next question too, if it is ready.
        """
        while True:
            before = self.view()
            proposal = propose(before)
            if proposal is None:
                return None
            key, answered = self._check(before, proposal, person)
            drafts = proposal.drafts(person, before.log, before.state.session.step)
            if proposal.shown is None and ask_next:
                drafts += self._draft_next(before.log.with_drafts(drafts, self.log.now()), person)
            log = self.log.append(before.log, drafts)
            if log is None:
                continue
            if proposal.rewrites:
                self._prefetcher.recall_labels(log.key)
            state = self.states.get(log.key, answered if log.key == key else None)
            return Committed(proposal, before, View(self.table_view, log, state))

    def note(self, person: str, event: Callable[[View], SessionEvent]) -> View:
        """Store what has no bearing on the answers; the session then."""
        while True:
            view = self.view()
            log = self.log.append(view.log, [draft(person, event(view))])
            if log is not None:
                return self.view(log)

    def learn(self, learned: Learned) -> None:
        """Store what a source says was known before, unless it tells too many groups apart."""
        while True:
            log = self.log.read()
            drafts = [draft("", learned)]
            after = log.with_drafts(drafts, now())
            if after.version in after.skipped:
                raise ServiceError(
                    f"{learned.source} names rows that cannot be asked about: open the table again"
                )
            try:
                self.states.closure(after.key)
            except TooManyGroups as error:
                raise ServiceError(
                    f"{learned.source} tells {len(error.groups)} groups apart but {log.clusters} are wanted: "
                    f"give --clusters {len(error.groups)}"
                ) from None
            if self.log.append(log, drafts) is not None:
                return

    def lease_next(self, person: str, view: View) -> Leased:
        """Give the person her next question."""
        while True:
            shown, waiting = self._choose(view, person)
            if shown is None or _is_leased(view.log, person, shown):
                break
            view = self.view(self.log.append(view.log, [draft(person, shown)]))
        self._prefetcher.prepare(view.log, view.state)
        return Leased(view, None if shown is None else view.log.leases[person], waiting)

    def close(self) -> None:
        """Stop working ahead, and let go of the store."""
        self._prefetcher.close()
        self.log.close()

    def _check(self, view: View, proposal: Proposal, person: str) -> tuple[LogKey, ActiveSession | None]:
        """The log that a proposal leads to, and the session with its answer if one was made.

        Everything that changes the answers or the number of groups is checked here before it is stored.
        """
        entries = proposal.entries(view.log)
        try:
            key = proposal.key(view.log, view.state.session.step, person)
        except EventError as error:
            raise ServiceError(str(error)) from None
        try:
            return key, self.states.check(key, view.state.ignored)
        except IMPOSSIBLE as error:
            describe = partial(view.part, person=person)
            attempt = Attempt(proposal.answer, proposal.changes, entries, describe)
            raise self._conflict(error, view, attempt, key) from None

    def _conflict(
        self, error: Contradiction | TooManyGroups, view: View, attempt: Attempt, key: LogKey
    ) -> Conflict:
        found = view.state.session.answer_proba()
        proba = {frozenset(pair): chance for pair, chance in found.items()}
        conflict = find_conflict(error, attempt, proba, self._one_more(view.log, key))
        if isinstance(error, Contradiction):
            add_known(conflict, error, attempt, view)
        if attempt.answer is not None:
            conflict.payload |= view.heads_beside(attempt.answer)
        return conflict

    def _one_more(self, log: Log, key: LogKey) -> int | None:
        """One group more than wanted, if all of the answers would fit then."""
        if key.clusters is None:
            return None
        try:
            log.limits.check_clusters(key.clusters + 1)
            self.states.check(LogKey.of(key.clusters + 1, key.replies, key.known))
        except (EventError, *IMPOSSIBLE):
            return None
        return key.clusters + 1

    def _draft_next(self, log: Log, person: str) -> list[Draft]:
        """The next question, if it is ready: one write to the disk then serves the answer and it."""
        state = self.states.peek(log.key)
        if state is None:
            return []
        shown, _ = self._choose(View(self.table_view, log, state), person)
        return [] if shown is None or _is_leased(log, person, shown) else [draft(person, shown)]

    def _choose(self, view: View, person: str) -> tuple[Shown | None, bool]:
        """The question to show, and whether others are looking at all that is left to ask."""
        lease = view.log.leases.get(person)
        if lease is not None and view.is_open(lease.pair, lease.others):
            return _shown_again(view, person, lease), False
        if lease is not None and lease.is_second and still_wanted(view.log, person, lease.pair):
            return Shown(lease.pair, True, is_second=True), False
        pending = [
            pair
            for pair in view.log.pending_for_others(person, self.log.now())
            if all(view.state.has_row(row) for row in pair)
        ]
        if (second := second_opinion(view, person, pending)) is not None:
            return second, False
        if (doubtful := doubtful_answer(view, person, pending)) is not None:
            return doubtful, False
        if view.state.question is None:
            return None, False
        question = self.states.ask_beside(view.state.key, pending)
        if question is None:
            return None, True
        return view.shown(person, question), False


def _shown_again(view: View, person: str, lease: Lease) -> Shown:
    """What a person looks at already, unless she has come to want pairs, choices, or fewer candidates."""
    question = Question(*lease.pair, is_recheck=lease.is_recheck)
    if view.state.question == lease.pair and not lease.is_recheck:
        question = view.state.question  # with its probabilities
    shown = view.shown(person, question)
    is_wanted = len(lease.others) < view.n_choices(person)
    if is_wanted and bool(shown.others) == bool(lease.others):
        return Shown(lease.pair, lease.is_recheck, lease.others)
    return shown


def _is_leased(log: Log, person: str, shown: Shown) -> bool:
    lease = log.leases.get(person)
    return lease is not None and lease.pair == shown.pair and lease.others == shown.others


def now() -> datetime:
    """The clock of this computer, in UTC."""
    return datetime.now(UTC)
