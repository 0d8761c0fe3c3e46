"""One step of a session: a strategy at work, its open question, and questions for more people beside it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sameornot._types import Answer, Pair, Question, Reply
from sameornot.cluster.base import step_rngs
from sameornot.query import Strategy, View
from sameornot.query.base import Appraisal, Questions


class Step:
    """A strategy that is led through the answers of one step.

    `pending` is its open question, None when it has ended; `reached` what the last question carried.
    """

    def __init__(self, strategy: Strategy, view: View, number: int, *, infer_last: bool) -> None:
        self.strategy, self.view, self.number = strategy, view, number
        self._infer_last = infer_last
        self.reached: Any = None
        self._questions = strategy.ask(view, self._rng())
        self.pending = self._receive(None)
        self._skip_settled()

    def advance(self, reply: Reply) -> None:
        """Hand an answer on to the strategy if it is the one that it waits for."""
        if self.pending is not None and set(reply.pair) == set(self.pending):
            self.pending = self._receive(reply.answer)
        self._skip_settled()

    def beside(self, pending: Sequence[Pair], answered: Sequence[Pair]) -> Question | None:
        """A question for one more person, while `pending` ones are open, about another point.

        `answered` are the questions of this step that have been answered.
        """
        view = self.view.beside([*pending, *answered])
        questions = self.strategy.ask_beside(view, self._rng())
        question = next(questions, None)
        while question is not None:
            is_pending = any(set(question) == set(other) for other in pending)
            is_pending |= question.left in view.pending_points
            reply = Answer.UNSURE if is_pending else self._settled(question)
            if reply is None:
                return question
            question, _ = send(questions, reply)
        return None

    def appraise(self, question: Question) -> Appraisal:
        """What the strategy expects of a question of this step."""
        return self.strategy.appraise(self.view, question, self._rng())

    def _rng(self) -> np.random.Generator:
        return step_rngs(self.view.seed, self.number)[1]

    def _receive(self, answer: Answer | None) -> Question | None:
        question, end = send(self._questions, answer)
        self.reached = end if question is None else question.reached
        return question

    def _skip_settled(self) -> None:
        """Reply to questions that need no expert: settled by earlier answers, or answered "unsure"."""
        while self.pending is not None and (reply := self._settled(self.pending)) is not None:
            self.pending = self._receive(reply)

    def _settled(self, question: Question) -> Answer | None:
        if question.is_recheck:
            return None
        if self.view.n_clusters == 1 and self._infer_last:
            return Answer.SAME
        answers = self.view.answers
        return Answer.UNSURE if answers.is_unsure(*question) else answers.relation(*question)


def send(questions: Questions, answer: Answer | None) -> tuple[Question | None, Any]:
    """The next question of a strategy, or None and the value that it ended with."""
    try:
        return (next(questions) if answer is None else questions.send(answer)), None
    except StopIteration as end:
        return None, end.value
