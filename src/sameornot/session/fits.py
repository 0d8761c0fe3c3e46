"""The fits of a session, each made once: at the start of a step, and for the result.

A fit depends on the answers before its step and on what was kept of earlier steps (`Clusterer.checkpoints`).
What was not kept, because a session is resumed, is fitted again from the log.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from sameornot._types import Reply
from sameornot.cluster.base import Clusterer, Clustering, Problem, State
from sameornot.constraints import Constraints
from sameornot.metric.learn import feature_scale
from sameornot.session.log import Closure, annotators_of


@dataclass(frozen=True)
class Rows:
    """The rows of the pool as a clusterer sees them, shared by a session and its forks."""

    X: np.ndarray
    clusterer: Clusterer
    closure: Closure
    standardize: bool
    seed: int

    @cached_property
    def scale(self) -> np.ndarray:
        """What features are divided by."""
        return feature_scale(self.X, standardize=self.standardize)

    @cached_property
    def order(self) -> np.ndarray:
        """A random order of the rows."""
        return np.random.default_rng(self.seed).permutation(len(self.X))

    @cached_property
    def prepared(self) -> Any:
        """What the clusterer computes once, before any answer."""
        return self.clusterer.prepare(self.X, self.scale, self.closure.n_clusters)


class Fits:
    """Fits along one log; `rows` are what they are made of."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self._kept: dict[int, Any] = {}
        self._latest: tuple[tuple[int, int], Clustering] | None = None

    def up_to(self, step: int) -> Self:
        """What stays valid when the log is cut back so that its last step is this one."""
        twin = copy(self)
        twin._kept = {at: kept for at, kept in self._kept.items() if at <= step}
        twin._latest = None
        return twin

    def fork(self) -> Self:
        """The same fits, to go on independently."""
        twin = copy(self)
        twin._kept = self._kept.copy()
        return twin

    def begin(self, step: int, answers: Constraints, log: Sequence[Reply]) -> Clustering:
        """The fit that a step begins with."""
        clustering = self._at(step, answers, log)
        clusterer = self.rows.clusterer
        if step in clusterer.checkpoints(step + 1):
            self._kept[step] = clusterer.remember(clustering)
        return clustering

    def conclude(self, step: int, answers: Constraints, log: Sequence[Reply], reached: Any) -> Clustering:
        """The fit for the result, `step` being the one after the last answer."""
        state = self._state(step, log, reached)
        concluded = self.rows.clusterer.conclude(self.problem(step, answers, log), state)
        return self._at(step, answers, log) if concluded is None else concluded

    def _at(self, step: int, answers: Constraints, log: Sequence[Reply]) -> Clustering:
        key = (step, len(answers.answers))
        if self._latest is None or self._latest[0] != key:
            self._latest = key, self._fit(step, answers, log)
        return self._latest[1]

    def _fit(self, step: int, answers: Constraints, log: Sequence[Reply]) -> Clustering:
        return self.rows.clusterer.cluster(self.problem(step, answers, log), self._state(step, log))

    def problem(self, step: int, answers: Constraints, log: Sequence[Reply]) -> Problem:
        """What there is to cluster at a step."""
        rows, people = self.rows, annotators_of(log)
        return Problem(
            rows.X,
            answers,
            rows.closure.n_clusters,
            rows.scale,
            rows.seed,
            step=step,
            n_answers=len(log),
            annotators=people[: len(answers.answers)] if len(set(people)) > 1 else (),
        )

    def _state(self, step: int, log: Sequence[Reply], reached: Any = None) -> State:
        wanted = list(self.rows.clusterer.checkpoints(step))
        missing = [at for at in wanted if at not in self._kept]
        for at, answers in self.rows.closure.before_steps(log, missing):
            problem = self.problem(at, answers, log)
            self._kept[at] = self.rows.clusterer.checkpoint(problem, self._state(at, log))
        return State(self.rows.prepared, [self._kept[at] for at in wanted], reached)
