"""What a strategy may look at while it decides what to ask.

A strategy is a generator function: given a `Problem` and a random generator it yields pairs and receives
answers. When it returns, the session learns from the answers and starts it anew; when it returns without
having asked anything, nothing is left to ask. Pairs that the answers already settle, and pairs put aside as
unsure, may be yielded too: the session replies itself and asks no one.
"""

from collections.abc import Callable, Generator, Iterable
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from sameornot._types import Answer, Pair
from sameornot.cluster import Grouping, Method, Progress
from sameornot.constraints import Constraints

Questions = Generator[Pair, Answer, None]


class Found(NamedTuple):
    """A value, and the state of the generator before and after it was computed."""

    value: Any
    before: Any
    after: Any


@dataclass(frozen=True)
class Problem:
    """The data, the answers so far, and the clustering that they lead to.

    `constraints` is live: it grows with each answer. `hoods` and `clustering` are those of the step's start.
    `order` is the random order in which points are taken where nothing better is known; features are divided
    by `scale`; `method` holds the settings of the session's clusterer. `progress` is for strategies that
    are flows: where they leave the groups that their own questions lead to. In `odds` a strategy may leave
    how likely it holds a point to be of each of `hoods`, so that a person can be told why it is asked.
    `found` is shared by all who go through the same step: see `once`. The questions of `others` are open
    too, and points that they are to place, `held`, are no candidates: see `beside`.
    """

    X: np.ndarray
    constraints: Constraints
    n_clusters: int | None
    order: np.ndarray
    scale: np.ndarray
    method: Method
    fit: Callable[[], Grouping]
    progress: Progress = field(default_factory=Progress)
    odds: dict[int, np.ndarray] = field(default_factory=dict)
    found: dict[str, Found] = field(default_factory=dict)
    held: frozenset[int] = frozenset()
    others: tuple[Pair, ...] = ()

    @cached_property
    def clustering(self) -> Grouping:
        """Labels and metric at the start of the step, fitted when first asked for."""
        grouping: Grouping = self.once("clustering", None, self.fit)
        return grouping

    def beside(self, pairs: Iterable[Pair]) -> "Problem":
        """The same problem for one more person, while others look at these pairs."""
        twin, others = copy(self), tuple(pairs)
        held = frozenset(row for pair in others for row in pair if not self.placed[row])
        twin.__dict__.update(held=held, others=others)
        return twin

    def once(self, name: str, rng: np.random.Generator | None, compute: Callable[[], Any]) -> Any:
        """What `compute` gives; a fork that goes through the step again is given what was found then.

        The generator that `compute` draws from has to stand where it stood, and is left where it was left.
        """
        before = None if rng is None else rng.bit_generator.state
        if name not in self.found or self.found[name].before != before:
            value = compute()
            self.found[name] = Found(value, before, None if rng is None else rng.bit_generator.state)
        found = self.found[name]
        if rng is not None:
            rng.bit_generator.state = found.after
        return found.value

    @cached_property
    def space(self) -> np.ndarray:
        """The rows in the space of the current clustering."""
        return self.clustering.metric.transform(self.X)

    @cached_property
    def hoods(self) -> list[np.ndarray]:
        """The neighbourhoods; before the first answer, one that holds a single random point."""
        found = self.method.neighbourhoods(self.constraints, self.n_clusters)
        if found:
            return found
        n_others = len(self.X) - 1
        open_points = self.order[self.constraints.unsure_counts()[self.order] < n_others]
        return [open_points[:1]] if len(open_points) else []

    @cached_property
    def placed(self) -> np.ndarray:
        """Whether each point is in a neighbourhood."""
        placed = np.zeros(len(self.X), dtype=bool)
        for members in self.hoods:
            placed[members] = True
        return placed

    @cached_property
    def ruled_out(self) -> np.ndarray:
        """Whether each point (rows) is known to differ from each neighbourhood (columns)."""
        return self.constraints.known_apart(self.hoods)

    def candidates(self) -> np.ndarray:
        """Points that can still be placed by asking; of those, the ones with the fewest "unsure" answers."""
        waiting = np.flatnonzero(~self.placed & ~self.ruled_out.all(axis=1))
        waiting = np.setdiff1d(waiting, np.array(sorted(self.held), dtype=np.intp))
        unsure = self.constraints.unsure_counts()[waiting]
        for level in np.unique(unsure):
            group = waiting[unsure == level]
            if level > 0:
                group = group[[self._can_be_asked(point) for point in group.tolist()]]
            if len(group):
                return group
        return waiting[:0]

    def representative(self, hood: int, point: int) -> int | None:
        """The most typical member that was not put aside with this point; people meet it again and again."""
        members = self.hoods[hood]
        space = self.space[members]
        distance = ((space - space.mean(axis=0)) ** 2).sum(axis=1)
        # Two members are always equally far from their mean: rounding must not decide between them.
        typical = np.argsort(np.round(distance / max(distance.max(), 1e-300), 6), kind="stable")
        ranked = members[typical].tolist()
        return next((member for member in ranked if not self.constraints.is_unsure(point, member)), None)

    def _can_be_asked(self, point: int) -> bool:
        return any(
            not self.ruled_out[point, m]
            and any(not self.constraints.is_unsure(point, int(i)) for i in members)
            for m, members in enumerate(self.hoods)
        )
