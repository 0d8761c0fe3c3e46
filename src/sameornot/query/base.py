"""The contract of a strategy: an object that decides what to ask, and the view that it decides by.

`Strategy.ask` is a generator: it yields questions and receives answers. When it returns, the session learns
from the answers and calls it again in the next step; when it returns without having asked anything, nothing
is left to ask. Pairs that the answers already settle, and pairs answered "unsure", may be yielded too: the
session replies by itself and asks nobody.

A new strategy subclasses `Strategy`, implements `ask`, and is registered under a name in `query/__init__.py`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Hashable, Iterable
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from sameornot._types import Answer, Pair, Question
from sameornot.cluster.augmented import AugmentedClustering
from sameornot.cluster.base import Clusterer, Clustering
from sameornot.constraints import Constraints

Questions = Generator[Question, Answer, Any]


class Appraisal(NamedTuple):
    """What a question is for, and what its strategy expects of it.

    `purpose` is "place" (find the group of the left row) or "count" (find out how many groups there are).
    Placing the row is worth `gain` in some `unit`, and takes `cost` questions on average; None if the
    strategy does not compute them.
    """

    purpose: str = "place"
    gain: float | None = None
    unit: str = ""
    cost: float | None = None


@dataclass(frozen=True)
class View:
    """What a strategy may look at: the rows, the answers so far, and the clustering that they lead to.

    Attributes
    ----------
    X : ndarray
        The rows; features are divided by `scale` before they are compared.
    answers : Constraints
        What the answers imply. It grows with each answer; what is derived from it is as of its first use.
    n_clusters : int or None
    clusterer : Clusterer
    order : ndarray
        A random order of the rows, for where nothing better is known.
    clustering : Clustering or None
        The fit at the start of the step; None for strategies that require none.
    seed : int
        The session's seed.
    pending : tuple of Pair
        Questions that other people are looking at.
    shared : dict
        Intermediate results of this step, see `cached`.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from sameornot import ActiveSession, Question, Strategy
    >>> @dataclass(frozen=True)
    ... class OpenRows(Strategy):
    ...     def ask(self, view, rng):
    ...         waiting = view.candidates()
    ...         if len(waiting) > 1:
    ...             yield Question(int(waiting[0]), int(waiting[1]))
    >>> session = ActiveSession([[0.0], [0.1], [9.0]], n_clusters=2, strategy=OpenRows(), random_state=0)
    >>> len(session.ask())
    2
    """

    X: np.ndarray
    scale: np.ndarray
    answers: Constraints
    n_clusters: int | None
    clusterer: Clusterer
    order: np.ndarray
    clustering: Any = None
    seed: int = 0
    pending: tuple[Pair, ...] = ()
    shared: dict[Hashable, Any] = field(default_factory=dict)

    def beside(self, pairs: Iterable[Pair]) -> "View":
        """The same view for one more person, while others look at these pairs."""
        twin = copy(self)  # with what was computed at the start of the step
        twin.__dict__.update(pending=tuple(pairs))
        twin.__dict__.pop("pending_points", None)
        return twin

    def cached(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """The result of `compute`, kept for all who go through the same step."""
        if key not in self.shared:
            self.shared[key] = compute()
        return self.shared[key]

    @cached_property
    def space(self) -> np.ndarray:
        """The rows in the space of the current metric."""
        return np.asarray(self.clustering.metric.transform(self.X))

    @cached_property
    def neighbourhoods(self) -> list[np.ndarray]:
        """The known neighbourhoods (N_1 … N_L); before the first answer, one with a single random point."""
        known = self.clusterer.neighbourhoods(self.answers, self.n_clusters)
        if known:
            return known
        n_others = len(self.X) - 1
        open_points = self.order[self.answers.unsure_counts()[self.order] < n_others]
        return [open_points[:1]] if len(open_points) else []

    @cached_property
    def placed(self) -> np.ndarray:
        """Whether each point is in a neighbourhood."""
        placed = np.zeros(len(self.X), dtype=bool)
        for members in self.neighbourhoods:
            placed[members] = True
        return placed

    @cached_property
    def pending_points(self) -> frozenset[int]:
        """Points that the pending questions are to place: they are no candidates."""
        return frozenset(point for pair in self.pending for point in pair if not self.placed[point])

    @cached_property
    def ruled_out(self) -> np.ndarray:
        """Whether each point (rows) is known to differ from each neighbourhood (columns)."""
        return self.answers.known_apart(self.neighbourhoods)

    def candidates(self) -> np.ndarray:
        """Points that questions can still place; of those, the ones with the fewest "unsure" answers."""
        waiting = np.flatnonzero(~self.placed & ~self.ruled_out.all(axis=1))
        waiting = np.setdiff1d(waiting, np.array(sorted(self.pending_points), dtype=np.intp))
        unsure = self.answers.unsure_counts()[waiting]
        for level in np.unique(unsure):
            group = waiting[unsure == level]
            if level > 0:
                group = group[[self._can_be_asked(point) for point in group.tolist()]]
            if len(group):
                return group
        return waiting[:0]

    def representative(self, m: int, point: int) -> int | None:
        """The most typical member of neighbourhood m whose pair with the point was not "unsure".

        People meet it again and again, so it should be easy to compare with.
        """
        ranked = most_typical(self.neighbourhoods[m], self.space)
        return next((member for member in ranked if not self.answers.is_unsure(point, member)), None)

    def askable_members(self, m: int, point: int) -> list[int]:
        """The members of neighbourhood m whose pair with the point was not "unsure", first answered first."""
        members = sorted(self.neighbourhoods[m].tolist(), key=self.first_answered.__getitem__)
        return [member for member in members if not self.answers.is_unsure(point, member)]

    @cached_property
    def first_answered(self) -> np.ndarray:
        """The place of each point among those that answers are about; in a question, the left one is new."""
        place = np.full(len(self.X), np.iinfo(np.intp).max)
        points = [point for (left, right), _ in self.answers.facts for point in (right, left)]
        for at in reversed(range(len(points))):
            place[points[at]] = at
        return place

    @cached_property
    def founding_order(self) -> np.ndarray:
        """The neighbourhoods in the order in which they were found."""
        return np.argsort([self.first_answered[members].min() for members in self.neighbourhoods])

    def proba_by_member(self, proba: np.ndarray) -> dict[int, float]:
        """Probabilities of the neighbourhoods, each under the first member of its own."""
        first = (int(members[0]) for members in self.neighbourhoods)
        return dict(zip(first, proba.tolist(), strict=True))

    def _can_be_asked(self, point: int) -> bool:
        return any(
            not self.ruled_out[point, m] and any(not self.answers.is_unsure(point, int(i)) for i in members)
            for m, members in enumerate(self.neighbourhoods)
        )


class Strategy(ABC):
    """How questions are chosen; subclasses are frozen dataclasses whose fields are the parameters.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from sameornot import ActiveSession, Question, Strategy
    >>> @dataclass(frozen=True)
    ... class Neighbours(Strategy):
    ...     def ask(self, view, rng):
    ...         for row in range(len(view.X) - 1):
    ...             yield Question(row, row + 1)
    >>> session = ActiveSession([[0.0], [0.1], [9.0]], n_clusters=2, strategy=Neighbours(), random_state=0)
    >>> tuple(session.ask())
    (0, 1)
    """

    requires: ClassVar[type | None] = Clustering
    """The type of fit that the strategy reads; None if it reads none, and no step needs a fit."""

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        return self

    @abstractmethod
    def ask(self, view: View, rng: np.random.Generator) -> Questions:
        """Yield the questions of one step and receive their answers."""

    def ask_beside(self, view: View, rng: np.random.Generator) -> Questions:
        """The same for one more person, while ``view.pending`` questions are open."""
        return self.ask(view, rng)

    def appraise(self, view: View, question: Question, rng: np.random.Generator) -> Appraisal:
        """What a question of `ask` is for and worth; `rng` is in the state that `ask` was called with."""
        return Appraisal()

    def default_clusterer(self) -> Clusterer:
        """The clusterer that a session takes where none is named."""
        return AugmentedClustering()


def most_typical(members: np.ndarray, space: np.ndarray) -> list[int]:
    """The members of a group by their distance to its mean, the most typical first."""
    distance = ((space[members] - space[members].mean(axis=0)) ** 2).sum(axis=1)
    # Two members are always equally far from their mean: rounding must not decide between them.
    typical = np.argsort(np.round(distance / max(distance.max(), 1e-300), 6), kind="stable")
    ranked: list[int] = members[typical].tolist()
    return ranked


def pick_best(candidates: np.ndarray, score: np.ndarray, rng: np.random.Generator) -> int:
    """The candidate with the highest score; one of those that differ from it by rounding alone."""
    best = score.max()
    return int(rng.choice(candidates[score >= best - 1e-9 * max(abs(best), 1.0)]))
