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
            yield from sweep(view, self.pick(view, candidates, rng))

    @abstractmethod
    def pick(self, view: View, candidates: np.ndarray, rng: np.random.Generator) -> Pick:
        """The candidate to place."""


def sweep(view: View, pick: Pick) -> Questions:
    """Ask until "same"; a point that differs from all neighbourhoods is a neighbourhood of its own then."""
    proba = None if pick.proba is None else view.proba_by_member(pick.proba)
    for m in np.argsort(-pick.scores, kind="stable").tolist():
        member = view.representative(m, pick.point)
        if member is not None and (yield Question(pick.point, member, proba=proba)) is Answer.SAME:
            return
