"""Groups by several centres each: where new rows belong when groups are not round.

The space is that of the discriminant of the finished groups, by the features as they are or by axes along
which rows vary alike, or that of the features weighed by what they tell: whichever tells half of the rows
better from the other half. In it each group is covered by the centres of a K-means of its own rows, as many
as tell most in the same way.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from sklearn.cluster import KMeans

from sameornot.cluster.clustering import Clustering, nearest_share, squared_distances
from sameornot.ensemble.discriminant import classify, whitening
from sameornot.metric.learn import Metric

# A centre for each so many rows of a group, up to one of these numbers. More centres follow odd shapes, fewer
# are steadier where groups overlap.
ROWS_A_CENTRE = 4
MOST_CENTRES = (1, 3, 6, 20)
# Widths that are tried.
N_WIDTHS = 60

MakeSpace = Callable[[np.ndarray, np.ndarray], Metric]


@dataclass(frozen=True)
class Prototypes(Clustering):
    """Centres of which `owners[c]` is the group of centre c; a row is of the group with the nearest."""

    owners: np.ndarray
    told: "HalfTold | None" = None

    def width(self, X: np.ndarray) -> float:
        """The width at which rows are as sure as half of them were right about the other half."""
        return super().width(X) if self.told is None else self.told.find_width(super().width(X))

    def distances(self, X: np.ndarray) -> np.ndarray:
        """Squared distance of each row to the nearest centre of each group."""
        squares = squared_distances(self.metric.transform(X), self.centers)
        return np.column_stack(
            [squares[:, self.owners == m].min(axis=1) for m in range(int(self.owners.max()) + 1)]
        )


@dataclass(frozen=True)
class HalfTold:
    """Squared distances of every second row to the groups of the other rows, and the reverse.

    `labels` are the groups that they are of. One that has no row in the other half is infinitely far.
    """

    squares: np.ndarray
    labels: np.ndarray

    @property
    def share(self) -> float:
        """How many are nearest to their own group."""
        return float((self.squares.argmin(axis=1) == self.labels).mean()) if len(self.labels) else 0.0

    def find_width(self, plain: float) -> float:
        """The width, a tenth to 1,000 times a plain one, that best makes rows as sure as they are right."""
        if plain == 0.0 or len(self.labels) == 0:
            return plain
        widths = plain * np.geomspace(0.1, 1e3, N_WIDTHS)
        sure = [float(nearest_share(self.squares, width).mean()) for width in widths]
        return float(widths[np.abs(np.array(sure) - self.share).argmin()])


@dataclass(frozen=True)
class Covered:
    """Groups of the rows X, however they were found; new rows find theirs by centres."""

    labels: np.ndarray
    metric: Metric
    X: np.ndarray

    @cached_property
    def rule(self) -> Prototypes:
        """Where new rows belong."""
        return cover(self.X, self.metric, self.labels, np.random.default_rng(0))

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The group with the nearest centre."""
        return self.rule.predict(X)

    def confidence(self, X: np.ndarray) -> np.ndarray:
        """Share of that group in a mixture of clouds around the centres."""
        return self.rule.confidence(X)


def cover(X: np.ndarray, weighed: Metric, labels: np.ndarray, rng: np.random.Generator) -> Prototypes:
    """Centres for groups 0, 1, …, each of which has at least one row; `weighed` says what features tell."""
    seed = int(rng.integers(2**31))
    spaces: list[MakeSpace] = [
        lambda rows, groups: discriminant_metric(rows, weighed.scale, groups),
        lambda rows, groups: discriminant_metric(rows, weighed.scale, groups, whitened=True),
        lambda rows, groups: weighed,
    ]
    ways = list(product(spaces, MOST_CENTRES))
    told = [tell_halves(X, labels, make_space, most, seed) for make_space, most in ways]
    best = max(range(len(ways)), key=lambda way: told[way].share)
    make_space, most = ways[best]
    metric = make_space(X, labels)
    centers, owners = spread_centers(metric.transform(X), labels, most, seed)
    return Prototypes(labels, centers, metric, 0, owners, told[best])


def spread_centers(
    space: np.ndarray, labels: np.ndarray, most: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Up to so many centres for each group that has rows, and their groups."""
    centers, owners = [], []
    for m in np.unique(labels).tolist():
        own = space[labels == m]
        n_centers = min(1 + len(own) // ROWS_A_CENTRE, most, len(np.unique(own, axis=0)))
        centers.append(KMeans(n_centers, n_init=1, random_state=seed).fit(own).cluster_centers_)
        owners += [m] * n_centers
    return np.vstack(centers), np.array(owners)


def tell_halves(X: np.ndarray, labels: np.ndarray, make_space: MakeSpace, most: int, seed: int) -> HalfTold:
    """How far every second row is from the groups of the other rows, and the reverse."""
    squares, halves = [], (slice(0, None, 2), slice(1, None, 2))
    for half, rest in (halves, halves[::-1]) if len(X) > 1 else ():
        metric = make_space(X[half], labels[half])
        centers, owners = spread_centers(metric.transform(X[half]), labels[half], most, seed)
        far = squared_distances(metric.transform(X[rest]), centers)
        nearest = np.full((len(far), int(labels.max()) + 1), np.inf)
        for m in np.unique(owners).tolist():
            nearest[:, m] = far[:, owners == m].min(axis=1)
        squares.append(nearest)
    if not squares:
        return HalfTold(np.empty((0, 1)), np.empty(0, dtype=np.intp))
    return HalfTold(np.vstack(squares), np.concatenate([labels[1::2], labels[::2]]))


def discriminant_metric(
    X: np.ndarray, scale: np.ndarray, labels: np.ndarray, *, whitened: bool = False
) -> Metric:
    """Distances along what tells the groups apart, in units of what varies within them.

    Whitened first, directions in which rows hardly vary can tell groups apart too: those of mixed features.
    """
    rows = X / scale
    rows = rows - rows.mean(axis=0)
    to_space = whitening(rows) if whitened else np.eye(rows.shape[1])
    n_groups = int(labels.max()) + 1
    axes = np.empty((rows.shape[1], 0))
    if n_groups > 1:
        axes = to_space @ classify(rows @ to_space, np.eye(n_groups)[labels]).axes
    if axes.shape[1] == 0:
        axes = np.zeros((rows.shape[1], 1))
    return Metric(scale, np.ones(axes.shape[1]), axes)
