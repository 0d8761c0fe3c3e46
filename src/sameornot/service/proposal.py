"""What a person wants to store: an answer, corrections of earlier ones, another number of groups.

A proposal is checked against the session before anything is stored; it is stored as a whole or not at all.
"""

from dataclasses import dataclass
from typing import Any

from sameornot._types import Answer, Pair, Reply
from sameornot.service.entry import Change, Entry
from sameornot.service.errors import ServiceError
from sameornot.service.events import Answered, Disregarded, EventError, Regrouped, Shown, draft
from sameornot.service.knowledge import Knowledge
from sameornot.service.log import Log
from sameornot.service.log_key import LogKey
from sameornot.store import Draft


@dataclass(frozen=True)
class NewAnswer:
    """An answer about two rows of the table; `question` is the number of the question that it is for.

    `others` are the other candidates of a choice, as in a `Reply`.
    """

    pair: Pair
    answer: Answer
    question: int | None = None
    seconds: float | None = None
    others: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The answer as the page sends it back with a way out of a conflict."""
        said = {
            "left": self.pair.left,
            "right": self.pair.right,
            "answer": self.answer.value,
            "question": self.question,
        }
        return said | ({"others": list(self.others)} if self.others else {})


@dataclass(frozen=True)
class Proposal:
    """What is to be stored together; without `regrouped`, the number of groups stays.

    `shown` is the question that the person gets next, if it is not for the session to choose. `disregarded`
    are items of what was known before that are left out.
    """

    answer: NewAnswer | None = None
    changes: tuple[Change, ...] = ()
    regrouped: Regrouped | None = None
    shown: Shown | None = None
    disregarded: tuple[Disregarded, ...] = ()

    @property
    def rewrites(self) -> bool:
        """Whether it changes what earlier answers are or mean."""
        return bool(self.changes or self.disregarded) or self.regrouped is not None

    def knowledge(self, log: Log) -> Knowledge:
        """What is known with some items left out."""
        if not self.disregarded:
            return log.knowledge
        return log.knowledge.without({event.source: event.items for event in self.disregarded})

    def entries(self, log: Log) -> tuple[Entry, ...]:
        """The answers of the log with the changes made; a ServiceError if one of them is gone."""
        for change in self.changes:
            if log.find(change.seq) is None:
                raise ServiceError(f"there is no answer {change.seq} any more: look at the history again")
        try:
            return log.entries_with(self.changes) if self.changes else log.entries
        except EventError as error:
            raise ServiceError(str(error)) from None

    def key(self, log: Log, step: int, person: str) -> LogKey:
        """The log that it leads to; `step` is that of a new answer. An EventError if there cannot be one."""
        key = log.key
        if self.rewrites:
            clusters = log.clusters
            if self.regrouped is not None:
                clusters = log.limits.check_clusters(self.regrouped.clusters)
            key = LogKey.of(clusters, (entry.reply for entry in self.entries(log)), self.knowledge(log).known)
        if self.answer is None:
            return key
        new = self.answer
        return key.then(Reply(new.pair, new.answer, step, self._is_recheck(log), new.others, person))

    def drafts(self, person: str, log: Log, step: int) -> list[Draft]:
        """The events that store it behind a log."""
        drafts = [draft(person, event) for event in self.disregarded]
        drafts += [draft(person, change.event()) for change in self.changes]
        if self.regrouped is not None:
            drafts.append(draft(person, self.regrouped))
        if self.answer is not None:
            new = self.answer
            again = self._is_recheck(log)
            event = Answered(new.pair, new.answer, step, new.question, new.seconds, again, new.others)
            drafts.append(draft(person, event))
        if self.shown is not None:
            drafts.append(draft(person, self.shown))
        return drafts

    def _is_recheck(self, log: Log) -> bool:
        if self.answer is None or self.answer.question is None or self.answer.others:
            return False
        lease = log.unanswered.get(self.answer.question)
        return lease is not None and lease.is_recheck and set(lease.pair) == set(self.answer.pair)
