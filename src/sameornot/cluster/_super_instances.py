"""Super-instances: small sets of rows that are taken to be of one kind, so that one question speaks for all.

    distance(A, B) = min ||centre_a − centre_b||  over the super-instances a of group A and b of group B

What COBRA and COBRAS share. Questions are about representatives, the row of a super-instance that is nearest
to its centre. A flow is a generator that yields pairs and receives answers; `follow` leads it through answers
that are known, which is how a session's log becomes groups again. The flows are in `_cobra.py`, `_cobras.py`.
"""

import warnings
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from sameornot._types import Answer, Pair
from sameornot._validation import check_count
from sameornot.cluster.clustering import squared_distances
from sameornot.cluster.method import Method, Progress
from sameornot.constraints import Constraints
from sameornot.metric.learn import Metric, identity_metric

Flow = Generator[Pair, Answer, None]


@dataclass(frozen=True, eq=False)
class SuperInstance:
    """Rows taken together; `is_uniform` when they are all equal, so that nothing could part them."""

    rows: np.ndarray
    center: np.ndarray
    representative: int
    is_uniform: bool


def super_instance(X: np.ndarray, rows: np.ndarray) -> SuperInstance:
    """Take rows together and find the one that stands for them."""
    members = X[rows]
    center = members.mean(axis=0)
    distance = ((members - center) ** 2).sum(axis=1)
    # Two rows are always equally far from their mean: rounding must not decide between them.
    nearest = np.round(distance / max(distance.max(), 1e-300), 6).argmin()
    return SuperInstance(rows, center, int(rows[nearest]), not (members != members[0]).any())


def split(
    X: np.ndarray, whole: SuperInstance, n_parts: int, rng: np.random.Generator, *, n_init: int
) -> list[SuperInstance]:
    """Part a super-instance by K-means; into fewer than `n_parts` where it has fewer distinct rows."""
    members = X[whole.rows] - whole.center
    distinct, part = np.unique(members, axis=0, return_inverse=True)
    if len(distinct) > n_parts:
        kmeans = KMeans(n_parts, n_init=n_init, random_state=int(rng.integers(2**31)))
        with warnings.catch_warnings():
            # rows that differ by rounding alone may leave a centre without rows: one part less
            warnings.simplefilter("ignore", ConvergenceWarning)
            part = kmeans.fit(members / np.abs(members).max()).labels_
    part = part.ravel()
    return [super_instance(X, whole.rows[part == p]) for p in np.unique(part)]


class Pieces:
    """Super-instances in groups, and what is known between them.

    `group` numbers the group of each; `apart` marks those known to differ, `aside` those about which the
    expert is unsure. "Different" passes through "same", "unsure" does not.
    """

    def __init__(self, parts: list[SuperInstance]) -> None:
        n_parts = len(parts)
        self.parts = parts
        self.group = np.arange(n_parts)
        self.apart = np.zeros((n_parts, n_parts), dtype=bool)
        self.aside = np.zeros((n_parts, n_parts), dtype=bool)
        centers = np.array([part.center for part in parts])
        self._distance = cdist(centers, centers)

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(np.unique(self.group))

    @property
    def answered(self) -> np.ndarray:
        """Whether some "same" or "different" speaks of each super-instance."""
        alone = (self.group[:, None] == self.group).sum(axis=1) == 1
        return ~alone | self.apart.any(axis=1)

    def replace(self, old: int, parts: list[SuperInstance]) -> "Pieces":
        """The same with one super-instance parted; each part is a group of which nothing is known."""
        kept = np.delete(np.arange(len(self)), old)
        finer = Pieces([self.parts[i] for i in kept] + parts)
        finer.group += len(self)  # numbers that no kept group has
        finer.group[: len(kept)] = self.group[kept]
        finer.apart[: len(kept), : len(kept)] = self.apart[np.ix_(kept, kept)]
        finer.aside[: len(kept), : len(kept)] = self.aside[np.ix_(kept, kept)]
        return finer

    def closest_open(self) -> tuple[int, int] | None:
        """The closest two super-instances of different groups of which nothing is known."""
        shut = self.apart | self.aside | (self.group[:, None] == self.group)
        closest = int(np.where(shut, np.inf, self._distance).argmin())
        i, j = divmod(closest, len(self))
        return None if shut[i, j] else (i, j)

    def hear(self, i: int, j: int, answer: Answer) -> None:
        """Take in what the expert says of the groups of two super-instances."""
        left, right = self.group == self.group[i], self.group == self.group[j]
        if answer is Answer.SAME:
            both = left | right
            self.group[both] = self.group[i]
            far = self.apart[both].any(axis=0)
            self.apart[np.ix_(both, far)] = self.apart[np.ix_(far, both)] = True
        else:
            known = self.apart if answer is Answer.DIFFERENT else self.aside
            known[np.ix_(left, right)] = known[np.ix_(right, left)] = True

    def join_nearest(self, n_groups: int) -> None:
        """Join the closest groups that are not known to differ until so many are left."""
        self.aside[:] = False
        while self.n_groups > n_groups and (closest := self.closest_open()) is not None:
            self.hear(*closest, Answer.SAME)


def merge(pieces: Pieces) -> Generator[Pair, Answer, bool]:
    """Ask about the closest open groups until none are open; returns whether any answer was known."""
    learned = False
    while (closest := pieces.closest_open()) is not None:
        i, j = closest
        answer = yield Pair(pieces.parts[i].representative, pieces.parts[j].representative)
        pieces.hear(i, j, answer)
        learned |= answer is not Answer.UNSURE
    return learned


def follow(flow: Flow, answer_of: Callable[[Pair], Answer | None]) -> None:
    """Lead a flow through known answers, until it ends or there is none."""
    pair = next(flow, None)
    while pair is not None and (answer := answer_of(pair)) is not None:
        try:
            pair = flow.send(answer)
        except StopIteration:
            return


@dataclass(frozen=True)
class SuperInstanceGrouping:
    """Groups of super-instances; `centers` and `known` live in the space of `metric`.

    `group` is that of each centre. `known` are the representatives of which an answer speaks.
    """

    labels: np.ndarray
    metric: Metric
    centers: np.ndarray
    group: np.ndarray
    known: np.ndarray

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The group of the nearest super-instance, by its centre."""
        return np.asarray(
            self.group[squared_distances(self.metric.transform(X), self.centers).argmin(axis=1)]
        )

    def confidence(self, X: np.ndarray) -> np.ndarray:
        """1 for the representatives that were asked about, else a share of 1/d², as in fuzzy c-means.

        d is the distance to the nearest centre of each group.
        """
        rows = self.metric.transform(X)
        squares = squared_distances(rows, self.centers)
        nearest = squares.min(axis=1)
        total = np.zeros(len(X))
        for g in np.unique(self.group):
            square = squares[:, self.group == g].min(axis=1)
            total += np.divide(nearest, square, out=np.ones(len(X)), where=square > 0)
        asked = {row.tobytes() for row in self.known}
        return np.where([row.tobytes() in asked for row in rows], 1.0, 1.0 / total)


def grouping(X: np.ndarray, pieces: Pieces, metric: Metric) -> SuperInstanceGrouping:
    """Number the groups by their first row; `X` are the rows in the space of `metric`."""
    labels = np.empty(len(X), dtype=np.intp)
    for part, group in zip(pieces.parts, pieces.group, strict=True):
        labels[part.rows] = group
    found, first = np.unique(labels, return_index=True)
    number = np.empty(found.max() + 1, dtype=np.intp)
    number[found[np.argsort(first)]] = np.arange(len(found))
    centers = np.array([part.center for part in pieces.parts])
    asked = [part.representative for part, said in zip(pieces.parts, pieces.answered, strict=True) if said]
    return SuperInstanceGrouping(number[labels], metric, centers, number[pieces.group], X[asked])


@dataclass(frozen=True)
class SuperInstanceSettings(Method):
    """What the settings of COBRA and COBRAS have in common: `flow` is the method itself."""

    n_init: int = 10

    is_flow: ClassVar[bool] = True

    def check(self) -> Self:
        """Raise a ValueError that names the first setting that cannot be used."""
        check_count("n_init", self.n_init)
        return self

    def flow(self, X: np.ndarray, rng: np.random.Generator, progress: Progress) -> Flow:
        """The questions about rows in their own space."""
        raise NotImplementedError

    def ask(self, X: np.ndarray, scale: np.ndarray, rng: np.random.Generator, progress: Progress) -> Flow:
        """The questions about rows that are divided by `scale` first."""
        return self.flow(identity_metric(scale).transform(X), rng, progress)

    def fit_step(
        self,
        X: np.ndarray,
        constraints: Constraints,
        n_clusters: int,
        scale: np.ndarray,
        rng: np.random.Generator,
    ) -> SuperInstanceGrouping:
        """Go through the questions again with the answers that were given, up to the first without one."""

        def answer_of(pair: Pair) -> Answer | None:
            return Answer.UNSURE if constraints.is_unsure(*pair) else constraints.relation(*pair)

        progress = Progress()
        follow(self.ask(X, scale, rng, progress), answer_of)
        return self.fit_live(X, scale, progress)

    def fit_live(self, X: np.ndarray, scale: np.ndarray, progress: Progress) -> SuperInstanceGrouping:
        """The groups that a flow has led to so far."""
        metric = identity_metric(scale)
        return grouping(metric.transform(X), progress.pieces, metric)
