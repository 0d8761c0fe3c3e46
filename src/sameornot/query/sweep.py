"""Placing one point: ask it against each neighbourhood, likeliest first (Algorithm 1, steps 1a to 1c)."""

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from sameornot._types import Answer, Question
from sameornot.query.base import Questions, Strategy, View


class Pick(NamedTuple):
    """The point to place next, and a score for each neighbourhood: the highest is asked first.

    `proba` holds the probabilities of the neighbourhoods, if the scores are that.
    """

    point: int
    scores: np.ndarray
    proba: np.ndarray | None = None


class PointStrategy(Strategy):
    """A strategy that places one point in each step."""

    def ask(self, view: View, rng: np.random.Generator) -> Questions:
        """Pick a candidate and sweep over the neighbourhoods."""
        candidates = view.candidates()
        if len(candidates):
            yield from self.sweep(view, self.pick(view, candidates, rng), rng)

    def sweep(self, view: View, pick: Pick, rng: np.random.Generator) -> Questions:
        """Ask until "same"; a point that differs from all neighbourhoods is one of its own then."""
        proba = None if pick.proba is None else view.proba_by_member(pick.proba)
        for m in np.argsort(-pick.scores, kind="stable").tolist():
            member = self.member(view, m, pick.point, rng)
            if member is not None and (yield Question(pick.point, member, proba=proba)) is Answer.SAME:
                return

    def member(self, view: View, m: int, point: int, rng: np.random.Generator) -> int | None:
        """The member of a neighbourhood to compare the point with; None if all these pairs were "unsure"."""
        return view.representative(m, point)

    @abstractmethod
    def pick(self, view: View, candidates: np.ndarray, rng: np.random.Generator) -> Pick:
        """The candidate to place."""
