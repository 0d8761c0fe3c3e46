"""Groups by several centres each: where new rows belong when groups are not round.

The space is that of the discriminant of the finished groups; in it each group is covered by the centres of a
K-means of its own rows.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans

from sameornot.cluster.clustering import Clustering, squared_distances
from sameornot.membership.discriminant import classify
from sameornot.metric.learn import Metric

# A centre for each so many rows of a group, up to one of these numbers: what tells half of the rows best from
# the other half. More centres follow odd shapes, fewer are steadier where groups overlap.
ROWS_A_CENTRE = 10
MOST_CENTRES = (1, 3, 6)


@dataclass(frozen=True)
class Prototypes(Clustering):
    """Centres of which `owners[c]` is the group of centre c; a row is of the group with the nearest."""

    owners: np.ndarray

    def distances(self, X: np.ndarray) -> np.ndarray:
        """Squared distance of each row to the nearest centre of each group."""
        squares = squared_distances(self.metric.transform(X), self.centers)
        return np.column_stack(
            [squares[:, self.owners == m].min(axis=1) for m in range(int(self.owners.max()) + 1)]
        )


def cover(X: np.ndarray, scale: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> Prototypes:
    """Centres for groups 0, 1, …, each of which has at least one row."""
    rows = X / scale
    metric = discriminant_metric(rows - rows.mean(axis=0), scale, labels)
    space = metric.transform(X)
    seed = int(rng.integers(2**31))
    most = max(MOST_CENTRES, key=lambda most: half_told(space, labels, most, seed))
    centers, owners = spread_centers(space, labels, most, seed)
    return Prototypes(labels, centers, metric, 0, owners)


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


def half_told(space: np.ndarray, labels: np.ndarray, most: int, seed: int) -> float:
    """Share of every second row whose group the nearest centre of the other rows tells, and the reverse."""
    if len(space) < 2:
        return 0.0
    told = []
    for half in (slice(0, None, 2), slice(1, None, 2)):
        rest = np.ones(len(space), dtype=bool)
        rest[half] = False
        centers, owners = spread_centers(space[half], labels[half], most, seed)
        told.append(owners[squared_distances(space[rest], centers).argmin(axis=1)] == labels[rest])
    return float(np.concatenate(told).mean())


def discriminant_metric(rows: np.ndarray, scale: np.ndarray, labels: np.ndarray) -> Metric:
    """Distances along what tells the groups apart, in units of what varies within them."""
    n_groups = int(labels.max()) + 1
    axes = classify(rows, np.eye(n_groups)[labels]).axes if n_groups > 1 else np.empty((rows.shape[1], 0))
    if axes.shape[1] == 0:
        axes = np.zeros((rows.shape[1], 1))
    return Metric(scale, np.ones(axes.shape[1]), axes)
