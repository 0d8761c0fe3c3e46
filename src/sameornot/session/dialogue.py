"""Questions and answers about the rows of a pool, and the fits that they lead to.

Everything here speaks of positions in the pool. The answer log is the only state: each line says at which
step it was given, so the current step can be set up again from the lines before it and replayed over its own.
A resumed or undone dialogue stands exactly where one with that log would.
"""

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any, Self

import numpy as np

from sameornot._types import Choice, Pair, Question, Reply
from sameornot.cluster.base import Assignment, Clustering
from sameornot.constraints import Constraints
from sameornot.query import Strategy, View
from sameornot.query.base import Appraisal
from sameornot.session.choice import find_choice
from sameornot.session.fits import Fits, Rows
from sameornot.session.log import TooManyGroups, last_step
from sameornot.session.step import Step


class Dialogue:
    """The answers so far, the open question, and the clustering.

    `log` and `answers` are what was answered and what it implies; `n_steps` is the step that the next answer
    belongs to.
    """

    def __init__(self, rows: Rows, strategy: Strategy, log: list[Reply]) -> None:
        self.strategy = strategy
        self._fits = Fits(rows)
        self._restart(log)

    def _restart(self, log: list[Reply]) -> None:
        """Go to where a dialogue with this log stands; its open question is set up when it is needed."""
        self.log = log
        self.answers = self.rows.closure.of(log)
        self.n_steps = last_step(log)
        self._start: tuple[int, Constraints] | None = None
        self._shared: dict[Any, Any] = {}
        self._step: Step | None = None
        self._fits = self._fits.up_to(self.n_steps)
        self._forget_result()

    @property
    def rows(self) -> Rows:
        """The rows of the pool."""
        return self._fits.rows

    def next_question(self) -> Question | None:
        """The open question; a step that has none left is followed by the next one."""
        if self._step is None and self.n_steps > 0:
            self._resume_step()
        if self._pending is None:
            self._begin(self.n_steps + 1)
            self.n_steps += self._pending is not None
        return self._pending

    def beside(self, pending: Sequence[Pair]) -> Question | None:
        """A question for one more person, while others look at the `pending` ones: about another row."""
        if self.next_question() is None or self._step is None:
            return None
        answered = [reply.pair for reply in self.log if reply.step == self.n_steps]
        return self._step.beside(pending, answered)

    def choice(self, question: Question, n_candidates: int) -> Choice:
        """A question of the current step with up to so many groups to choose from."""
        self.next_question()  # which sets up the step
        rows, view = self.rows, None if self._step is None else self._step.view
        space = rows.X / rows.scale if view is None or view.clustering is None else view.space
        return find_choice(question, self.answers, self.known_groups(), space, n_candidates)

    def appraise(self) -> Appraisal:
        """What the strategy expects of the open question."""
        question = self.next_question()
        return Appraisal() if question is None or self._step is None else self._step.appraise(question)

    def take(self, reply: Reply) -> None:
        """Add an answer; one that cannot be true together with the others raises and changes nothing."""
        reply = reply._replace(step=self.n_steps)
        if self._pending is not None and set(reply.pair) == set(self._pending) and not reply.others:
            reply = reply._replace(is_recheck=self._pending.is_recheck)
        try:
            self.rows.closure.add(self.answers, reply)
        except TooManyGroups:
            self._restart(self.log)
            raise
        self.log.append(reply)
        self._forget_result()
        if self._step is not None:
            self._step.advance(reply)

    def undo(self, n_answers: int) -> None:
        """Take back the last answers."""
        self._restart(self.log[:-n_answers])

    def fork(self) -> Self:
        """An independent dialogue that stands where this one does."""
        twin = copy(self)
        twin.log, twin.answers = list(self.log), self.answers.copy()
        twin._fits = self._fits.fork()
        twin._step = None
        twin._forget_result()
        return twin

    def known_groups(self) -> list[np.ndarray]:
        """The groups that the answers make known."""
        return self.rows.clusterer.neighbourhoods(self.answers, self.rows.closure.n_clusters)

    @cached_property
    def clustering(self) -> Clustering:
        """The fit for the result."""
        reached = None if self._step is None else self._step.reached
        return self._fits.conclude(last_step(self.log) + 1, self.answers, self.log, reached)

    @cached_property
    def assignment(self) -> Assignment:
        """The final groups of the rows."""
        return self.clustering.assign(self.rows.X, self.known_groups())

    @property
    def _pending(self) -> Question | None:
        return None if self._step is None else self._step.pending

    def _forget_result(self) -> None:
        for name in ("clustering", "assignment"):
            self.__dict__.pop(name, None)

    def _resume_step(self) -> None:
        """Begin the current step from the answers before it, then lead it through its own."""
        own = [reply for reply in self.log if reply.step >= self.n_steps]
        if self._start is not None and self._start[0] == self.n_steps:
            self.answers = self._start[1].copy()
        else:
            self.answers = self.rows.closure.of(self.log[: len(self.log) - len(own)])
        step = self._begin(self.n_steps)
        for reply in own:
            self.rows.closure.add(self.answers, reply)
            step.advance(reply)

    def _begin(self, number: int) -> Step:
        """Start the strategy on what is known now."""
        if self._start is None or self._start[0] != number:
            self._shared = {}
        self._start = number, self.answers.copy()
        rows, needs_fit = self.rows, self.strategy.requires is not None
        view = View(
            rows.X,
            rows.scale,
            self.answers,
            rows.closure.n_clusters,
            rows.clusterer,
            rows.order,
            self._fits.begin(number, self.answers, self.log) if needs_fit else None,
            rows.seed,
            shared=self._shared,
        )
        self._step = Step(self.strategy, view, number, infer_last=rows.closure.infer_last)
        return self._step
