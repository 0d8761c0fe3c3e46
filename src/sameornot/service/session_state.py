"""The state of a session after a log prefix: the session itself, the question it asks, and its groups.

`replay` makes a state from the log alone, `advance` from the state before it and one more answer; the outcome
is the same. A state is never changed, so it can be made ahead of time for each answer that may come.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sameornot._types import Answer, Choice, Question, Reply
from sameornot.constraints import Contradiction
from sameornot.service.group_numbers import GroupNumbers
from sameornot.service.log_key import LogKey
from sameornot.session import (
    ActiveSession,
    Closure,
    RowSource,
    SessionResult,
    TooManyGroups,
)

IMPOSSIBLE = (Contradiction, TooManyGroups)


@dataclass(frozen=True)
class SessionFactory:
    """Begins sessions on the rows of a table: `pool` of them at most are asked about, `seed` says which."""

    source: RowSource
    pool: int
    seed: int

    def begin(self, key: LogKey, replies: Sequence[Reply]) -> ActiveSession:
        """A session with the settings and the knowledge of a key, and these answers."""
        return ActiveSession(
            self.source,
            key.clusters,
            pool=self.pool,
            standardize=False,  # the encoder has scaled the features, of all kinds of columns alike
            random_state=self.seed,
            answers=replies,
            known=key.known,
        )

    def closure(self, key: LogKey) -> Closure:
        """What a session takes its answers to imply, with the settings and the knowledge of a key."""
        position = {row: row for rows in key.known.groups for row in rows}
        return Closure(len(self.source), key.clusters, known=tuple(key.known.facts(position)))


@dataclass(frozen=True)
class SessionState:
    """A session after the answers of `key`.

    `ignored` are the answers that contradict those before them: the session does not have them.
    """

    key: LogKey
    session: ActiveSession
    question: Question | None
    result: SessionResult
    numbers: GroupNumbers
    ignored: tuple[Reply, ...] = ()

    @property
    def rows(self) -> np.ndarray:
        """The rows of the table that questions may be about, ascending: `result.labels` are theirs."""
        return self.session.pool

    @cached_property
    def is_placed(self) -> np.ndarray:
        """Whether the answers place each of `rows` in a group."""
        placed = np.zeros(len(self.rows), dtype=bool)
        for members in self.result.neighbourhoods:
            placed[np.searchsorted(self.rows, members)] = True
        return placed

    @cached_property
    def group_numbers(self) -> list[int]:
        """The lasting number of each label."""
        groups = self.result.neighbourhoods
        n_labels = max(int(self.result.labels.max()) + 1, len(groups))
        return self.numbers.of_labels(groups, n_labels)

    def has_row(self, row: int) -> bool:
        """Whether questions can be about a row of the table."""
        at = int(np.searchsorted(self.rows, row))
        return at < len(self.rows) and int(self.rows[at]) == row

    def index(self, row: int) -> int:
        """Where a row stands among `rows`."""
        return int(np.searchsorted(self.rows, row))


def replay(factory: SessionFactory, key: LogKey) -> SessionState:
    """The state after a log, from the log alone."""
    session, ignored = begin_session(factory, key)
    numbers = number_groups(factory.closure(key), session)
    return _complete(key, session, numbers, ignored)


def begin_session(factory: SessionFactory, key: LogKey) -> tuple[ActiveSession, tuple[Reply, ...]]:
    """A session with the answers of a log, but for those that contradict the ones before them."""
    replies = key.replies
    try:
        return factory.begin(key, replies), ()
    except IMPOSSIBLE:
        possible, ignored = split_replies(factory.closure(key), replies)
        return factory.begin(key, possible), tuple(ignored)


def begin_advance(state: SessionState, reply: Reply) -> ActiveSession:
    """The session after one more answer; raises what the session raises if the answer cannot be true."""
    session = state.session.fork()
    if reply.others:
        said = reply.pair.right if reply.answer is Answer.SAME else reply.answer
        session.tell(said, Choice(reply.pair.left, reply.rows[1:]), annotator=reply.annotator)
    else:
        question = Question(*reply.pair, is_recheck=reply.is_recheck)
        session.tell(reply.answer, question, annotator=reply.annotator)
    return session


def advance(state: SessionState, key: LogKey, answered: ActiveSession | None = None) -> SessionState:
    """The state after one more answer, that of `key`; `answered` is the session that has it, if made."""
    if key.reply is None:
        raise ValueError(f"{key} is the key of an empty log, so nothing comes before it")
    session = begin_advance(state, key.reply) if answered is None else answered
    return _complete(key, session, state.numbers, state.ignored)


def can_advance(state: SessionState, key: LogKey) -> bool:
    """Whether the last answer of `key` was given in the step that the state is at."""
    return key.reply is not None and key.parent == state.key and key.reply.step == state.session.step


def split_replies(closure: Closure, replies: Sequence[Reply]) -> tuple[list[Reply], list[Reply]]:
    """The answers that can be true together with those before them, and the others."""
    known = closure.of([])
    kept: list[Reply] = []
    ignored: list[Reply] = []
    for reply in replies:
        try:
            closure.add(known, reply)
        except IMPOSSIBLE:  # some of it may have been added
            known = closure.of(kept)
            ignored.append(reply)
        else:
            kept.append(reply)
    return kept, ignored


def number_groups(closure: Closure, session: ActiveSession) -> GroupNumbers:
    """Number the groups in the order in which the answers told them apart."""
    numbers, known = GroupNumbers.none(session.pool), closure.of([])
    if known.known:
        numbers = numbers.extended(session.clusterer.neighbourhoods(known, session.n_clusters))
    for reply in session.answers:
        closure.add(known, reply)
        numbers = numbers.extended(session.clusterer.neighbourhoods(known, session.n_clusters))
    return numbers


def _complete(
    key: LogKey, session: ActiveSession, numbers: GroupNumbers, ignored: tuple[Reply, ...]
) -> SessionState:
    question = session.ask()
    result = session.pool_result()
    numbers = numbers.on(session.pool).extended(session.known_groups())
    return SessionState(key, session, question, result, numbers, ignored)
