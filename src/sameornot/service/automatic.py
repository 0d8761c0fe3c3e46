"""Questions for an automatic annotator, several at a time, and its answers that need a person's.

Its answers are events like any other's, signed by itself, so the answer-noise model estimates how often it
errs. An answer that cannot be true together with earlier ones is kept as a vote beside them, like that to a
question that is asked again. People are asked what it was unsure about, and what is doubtful about the rest.
"""

from collections.abc import Collection
from functools import partial

from sameornot._types import Answer, Pair
from sameornot.service.entry import Lease
from sameornot.service.errors import Conflict
from sameornot.service.events import Introduced, Left, Shown, draft
from sameornot.service.live_session import LiveSession
from sameornot.service.proposal import NewAnswer, Proposal
from sameornot.service.seats import seat, seats_of
from sameornot.service.view import View


class AutomaticAnnotator:
    """The part of one automatic annotator in a session; `author` signs its answers."""

    def __init__(self, live: LiveSession, author: str, name: str) -> None:
        self._live, self.author = live, author
        if live.log.read().people.get(author) != name:
            live.note(author, lambda view: Introduced(name))

    @property
    def n_answers(self) -> int:
        """Its answers that hold."""
        return self._live.log.latest.counts.of_person(self.author).n_answers

    def ask(self, n_questions: int) -> list[Lease]:
        """Reserve up to so many questions that nobody else looks at; fewer where fewer are left."""
        while True:
            view = self._live.view()
            pairs = self._choose(view, n_questions)
            if not pairs:
                return []
            drafts = [
                draft(seat(self.author, n), Shown(pair, False)) for n, pair in enumerate(pairs, start=1)
            ]
            log = self._live.log.append(view.log, drafts)
            if log is not None:
                return [log.leases[seat(self.author, n)] for n in range(1, len(pairs) + 1)]

    def records(self, lease: Lease) -> tuple[dict[str, str], dict[str, str]]:
        """The two records of a question, as people see them."""
        view = self._live.view()
        fields, _ = view.table_view.compare(*lease.pair, view.groups.weights)
        left, right = (
            {str(field["column"]): str(field[side]) for field in fields} for side in ("left", "right")
        )
        return left, right

    def answer(self, lease: Lease, answer: Answer) -> bool:
        """Store its answer; as a vote if it contradicts earlier ones. False if the question is gone."""
        try:
            return self._store(lease.question, answer)
        except Conflict:
            again = self._live.note(seat(self.author, 1), lambda view: Shown(lease.pair, True))
            return self._store(again.log.leases[seat(self.author, 1)].question, answer)

    def release(self) -> None:
        """Let others have the questions that it has not answered."""
        for taken in seats_of(self.author, self._live.log.read().leases):
            self._live.note(taken, lambda view: Left())

    def _choose(self, view: View, n_questions: int) -> list[Pair]:
        """Pairs that are worth asking: new ones, since it would only repeat itself about the others."""
        pending = [lease.pair for lease in view.log.leases.values() if _is_in_pool(view, lease.pair)]
        pairs: list[Pair] = []
        while len(pairs) < n_questions:
            question = self._live.states.ask_beside(view.state.key, [*pending, *pairs])
            if question is None or Pair(*question) in pending:
                break
            (pending if question.is_recheck else pairs).append(Pair(*question))
        return pairs

    def _store(self, question: int, answer: Answer) -> bool:
        propose = partial(_propose, question, answer)
        return self._live.commit(self.author, propose, ask_next=False) is not None


def _propose(question: int, answer: Answer, view: View) -> Proposal | None:
    lease = view.log.unanswered.get(question)
    return None if lease is None else Proposal(NewAnswer(lease.pair, answer, question))


def _is_in_pool(view: View, rows: Collection[int]) -> bool:
    return all(view.state.has_row(row) for row in rows)
