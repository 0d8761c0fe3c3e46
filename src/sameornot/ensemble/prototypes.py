"""Prototypes: several centres a group, by which new rows are assigned where groups are not round.

A group's centres are those of a K-means of its own rows (prototype methods: Hastie et al. 2009, §13.2). The
space is that of LDA on the finished groups, in the given or in whitened axes, or that of the features
weighted by their Fisher ratio. Space and number of centres are chosen by split halves: whichever assigns each
half of the rows best by the other half.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans

from sameornot.cluster.base import Assignment, Clustering
from sameornot.cluster.clustering import CenterClustering, group_shares, nearest_share, squared_distances
from sameornot.ensemble.config import EnsembleConfig, PrototypeConfig
from sameornot.ensemble.lda import fit_lda
from sameornot.ensemble.whitening import whitening_matrix
from sameornot.metric.learn import Metric

MakeSpace = Callable[[np.ndarray, np.ndarray], Metric]


@dataclass(frozen=True)
class Prototypes(CenterClustering):
    """Centres of which `owners[c]` is the group of centre c; a row is in the group with the nearest."""

    owners: np.ndarray
    halves: "SplitHalves | None" = None

    def groups_of_centers(self) -> np.ndarray:
        """The group of each centre."""
        return self.owners

    def width(self, X: np.ndarray) -> float:
        """The width at which rows are as confident as the split halves were accurate."""
        plain = super().width(X)
        return plain if self.halves is None else self.halves.calibrate_width(plain)

    def distances(self, X: np.ndarray) -> np.ndarray:
        """Squared distance of each row to the nearest centre of each group; infinite if it has none."""
        squares = squared_distances(self.metric.transform(X), self.centers)
        groups = range(int(self.owners.max()) + 1)
        return np.column_stack([squares[:, self.owners == m].min(axis=1, initial=np.inf) for m in groups])


@dataclass(frozen=True)
class SplitHalves:
    """Squared distances of every second row to the groups of the other rows, and the reverse.

    `labels` are the groups of these rows. A group without rows in the other half is infinitely far. Widths
    are tried at `n_widths` values.
    """

    squares: np.ndarray
    labels: np.ndarray
    n_widths: int

    @property
    def accuracy(self) -> float:
        """Share of rows that are nearest to their own group."""
        return float((self.squares.argmin(axis=1) == self.labels).mean()) if len(self.labels) else 0.0

    def calibrate_width(self, plain: float) -> float:
        """The width, a tenth to 1,000 times a plain one, at which mean confidence is nearest to accuracy."""
        if plain == 0.0 or len(self.labels) == 0:
            return plain
        widths = plain * np.geomspace(0.1, 1e3, self.n_widths)
        confidence = [float(nearest_share(self.squares, width).mean()) for width in widths]
        return float(widths[np.abs(np.array(confidence) - self.accuracy).argmin()])


@dataclass(frozen=True)
class PrototypeClustering(Clustering, ABC):
    """Groups of the rows X, however they were found; new rows are assigned by prototypes.

    `proba` (n × K) are the probabilities of the fitted rows.
    """

    labels: np.ndarray
    metric: Metric
    X: np.ndarray
    proba: np.ndarray

    @property
    @abstractmethod
    def prototypes(self) -> Prototypes:
        """What new rows are assigned by."""

    @cached_property
    def width(self) -> float:
        """Width of the groups among the fitted rows."""
        return self.prototypes.width(self.X)

    @property
    def fitted_confidence(self) -> np.ndarray:
        """How likely each fitted row is to belong to its group."""
        return np.asarray(self.proba.max(axis=1))

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The group with the nearest prototype."""
        return self.prototypes.predict(X)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Share of each group in a mixture of spherical Gaussians around the nearest prototypes."""
        shares = group_shares(self.prototypes.distances(X), self.width)
        n_without = self.proba.shape[1] - shares.shape[1]  # the last groups may have no row
        return np.pad(shares, ((0, 0), (0, n_without)))

    def assign(self, X: np.ndarray, neighbourhoods: list[np.ndarray]) -> Assignment:
        """The groups as they are: the fit has weighed the answers already."""
        return Assignment(self.labels.copy(), self.fitted_confidence, neighbourhoods)

    def as_centers(self) -> Prototypes:
        """The prototypes."""
        return self.prototypes


class CenterPlan(NamedTuple):
    """One centre for so many rows of a group, up to a largest number; and the seed of K-means."""

    rows_per_center: int
    max_centers: int
    seed: int


def fit_prototypes(
    X: np.ndarray, labels: np.ndarray, weighted: Metric, config: EnsembleConfig, rng: np.random.Generator
) -> Prototypes:
    """Prototypes of groups 0, 1, …; `weighted` is the metric of the weighted features."""
    seed, scale = int(rng.integers(2**31)), weighted.scale
    spaces: list[MakeSpace] = [
        lambda rows, groups: lda_metric(rows, groups, scale, config),
        lambda rows, groups: lda_metric(rows, groups, scale, config, whitened=True),
        lambda rows, groups: weighted,
    ]
    plans = [CenterPlan(config.prototypes.rows_per_center, n, seed) for n in config.prototypes.max_centers]
    ways = list(product(spaces, plans))
    halves = [split_halves(X, labels, make_space, plan, config.prototypes) for make_space, plan in ways]
    best = max(range(len(ways)), key=lambda way: halves[way].accuracy)
    make_space, plan = ways[best]
    metric = make_space(X, labels)
    centers, owners = place_centers(metric.transform(X), labels, plan)
    return Prototypes(labels, centers, metric, 0, owners, halves[best])


def place_centers(space: np.ndarray, labels: np.ndarray, plan: CenterPlan) -> tuple[np.ndarray, np.ndarray]:
    """The centres of all groups that have rows, and the group of each."""
    centers, owners = [], []
    for m in np.unique(labels).tolist():
        own = space[labels == m]
        n_centers = min(1 + len(own) // plan.rows_per_center, plan.max_centers)
        if n_centers > 1:
            n_centers = min(n_centers, len(np.unique(own, axis=0)))
        if n_centers == 1:
            centers.append(own.mean(axis=0, keepdims=True))
        else:
            centers.append(KMeans(n_centers, n_init=1, random_state=plan.seed).fit(own).cluster_centers_)
        owners += [m] * n_centers
    return np.vstack(centers), np.array(owners)


def split_halves(
    X: np.ndarray, labels: np.ndarray, make_space: MakeSpace, plan: CenterPlan, config: PrototypeConfig
) -> SplitHalves:
    """How far every second row is from the groups of the other rows, and the reverse."""
    squares, halves = [], (slice(0, None, 2), slice(1, None, 2))
    for half, rest in (halves, halves[::-1]) if len(X) > 1 else ():
        metric = make_space(X[half], labels[half])
        centers, owners = place_centers(metric.transform(X[half]), labels[half], plan)
        to_centers = squared_distances(metric.transform(X[rest]), centers)
        to_groups = np.full((len(to_centers), int(labels.max()) + 1), np.inf)
        for m in np.unique(owners).tolist():
            to_groups[:, m] = to_centers[:, owners == m].min(axis=1)
        squares.append(to_groups)
    if not squares:
        return SplitHalves(np.empty((0, 1)), np.empty(0, dtype=np.intp), config.n_widths)
    return SplitHalves(np.vstack(squares), np.concatenate([labels[1::2], labels[::2]]), config.n_widths)


def lda_metric(
    X: np.ndarray, labels: np.ndarray, scale: np.ndarray, config: EnsembleConfig, *, whitened: bool = False
) -> Metric:
    """Euclidean distances along the discriminant axes of the groups.

    Whitened first, directions in which rows hardly vary can separate groups too: linear mixtures of features.
    """
    rows = X / scale
    rows = rows - rows.mean(axis=0)
    to_space = whitening_matrix(rows, config.lda.whitening_floor) if whitened else np.eye(rows.shape[1])
    n_groups = int(labels.max()) + 1
    axes = np.empty((rows.shape[1], 0))
    if n_groups > 1:
        axes = to_space @ fit_lda(rows @ to_space, np.eye(n_groups)[labels], config.lda.prior_rows).axes
    if axes.shape[1] == 0:
        axes = np.zeros((rows.shape[1], 1))
    return Metric(scale, np.ones(axes.shape[1]), axes)
