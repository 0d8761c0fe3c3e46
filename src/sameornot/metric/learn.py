"""Learn a metric from weighted pairs (§3.1; Xing et al. 2002), by `diagonal.py`, `full.py` and `kernel.py`.

Similar pairs are to be near and different pairs far. While answers are few, both sides are shrunk towards
what the data alone say, as if a number of answers (pseudo-counts) had been seen before.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sameornot._types import TrainingPairs, WeightedPairs
from sameornot.metric.diagonal import exact_weights, separable_weights
from sameornot.metric.full import subspace
from sameornot.metric.kernel import KERNELS, AdditiveMap

# Weights of features by their own objective or the separable one; the same in the axes of a full metric; and
# what the authors' code solves, separable with other pairs (`augmentation/released.py`).
KINDS = ("exact", "full", "full_exact", "released", "separable")
EXACT = ("exact", "full_exact")
FULL = ("full", "full_exact")

# Without a prior, an axis in which similar pairs never differ would cost nothing. It costs this share of its
# variance.
LOWEST_COST = 1e-6

# Pseudo-count of the prior: with this many independent answers, answered pairs weigh as much as the data at
# large. With fewer, a feature in which the first few pairs happen to agree or to differ would take all
# weight.
PRIOR_COUNT = 4.0

# For metrics on curves: the pseudo-count of smoothness, how often the relevance of features is estimated
# again, and the number of answers at which half of an estimate is used. On rings and crescents pseudo-counts
# of 0.3 to 3 and more rounds make little difference; without the last, four answers would single out a
# feature.
SMOOTHNESS_COUNT = 1.0
N_ROUNDS = 4
RELEVANCE_COUNT = 8.0


def evidence_share(n_answers: int, prior: float) -> float:
    """Weight of n independent answers against a prior: pairs grow with n², and so does this."""
    if prior == 0.0:
        return 1.0
    return n_answers**2 / (n_answers**2 + prior**2)


@dataclass(frozen=True)
class Metric:
    """A learned Mahalanobis metric A = Q diag(a) Qᵀ on rows divided by `scale`.

    `rotation` (Q) is None for a diagonal metric. `weights` (a) belong to the columns of Q. With a `mapping`
    the rows are mapped after the division, and A is a metric of the mapped rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sameornot import Metric
    >>> metric = Metric(scale=np.array([1.0, 2.0]), weights=np.array([1.0, 0.0]))
    >>> metric.transform(np.array([[3.0, 4.0]])).tolist()
    [[3.0, 0.0]]
    >>> metric.feature_weights.tolist()
    [1.0, 0.0]
    """

    scale: np.ndarray
    weights: np.ndarray
    rotation: np.ndarray | None = None
    mapping: AdditiveMap | None = None

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Rows whose plain Euclidean distances are the learned ones."""
        return self.rotate(X) * np.sqrt(self.weights)

    def rotate(self, X: np.ndarray) -> np.ndarray:
        """Rows in the metric's own axes, without its weights."""
        rows = np.asarray(X, dtype=np.float64) / self.scale
        if self.mapping is not None:
            rows = self.mapping.transform(rows)
        return rows if self.rotation is None else rows @ self.rotation

    @property
    def matrix(self) -> np.ndarray:
        """A (p × p) for the rows as they were given; with a mapping, for ``mapping.transform(X / scale)``."""
        half = (
            np.diag(np.sqrt(self.weights)) if self.rotation is None else self.rotation * np.sqrt(self.weights)
        )
        if self.mapping is None:
            half = half / self.scale[:, None]
        return np.asarray(half @ half.T)

    @property
    def feature_weights(self) -> np.ndarray:
        """Share of each feature in the metric, per standard deviation; sums to 1."""
        weights = self.weights if self.rotation is None else self.rotation**2 @ self.weights
        if self.mapping is not None:
            weights = self.mapping.sum_by_feature(weights)
        total = weights.sum()
        return np.asarray(weights / total if total > 0 else weights)


class SelectivePenalty(NamedTuple):
    """γ on the cost of some axes (§3.2)."""

    axes: np.ndarray
    gamma: float


def feature_scale(X: np.ndarray, *, standardize: bool = True) -> np.ndarray:
    """Standard deviation of each feature; infinite where it is constant, so that it weighs nothing."""
    deviation = X.std(axis=0)
    noise = 1e-12 * np.abs(X).max(axis=0)  # rounding alone leaves this much in a constant column
    constant = deviation <= noise
    return np.where(constant, np.inf, deviation if standardize else 1.0)


def identity_metric(scale: np.ndarray, mapping: AdditiveMap | None = None) -> Metric:
    """Every feature that varies weighs the same."""
    varies = np.isfinite(scale).astype(float)
    return Metric(scale, varies if mapping is None else varies[mapping.feature], mapping=mapping)


def learn_metric(
    X: np.ndarray,
    pairs: TrainingPairs,
    *,
    kind: str = "separable",
    scale: np.ndarray,
    prior: float = PRIOR_COUNT,
    kernel: str | None = None,
    unit: str = "cost",
) -> Metric:
    """The metric that keeps similar pairs near and different pairs far; the identity while there are none.

    `unit` is its scale: "cost" has c·a = 1 (formula 9), "separation" F(a) = 1 (formula 3), "norm" ||a|| = 1.

    With a kernel the axes are those of `curved_axes`, whatever the kind: a single mapped axis has no meaning.
    """
    scaled = X / scale
    mapping = None if kernel is None else KERNELS[kernel](scaled)
    if not pairs.different.differences(scaled).any():
        return identity_metric(scale, mapping)
    rotation = None
    if mapping is not None:
        rotation = curved_axes(scaled, pairs, mapping, prior)
    elif kind in FULL:
        scatter = within_scatter(scaled, pairs, prior)
        different = far_pairs(pairs, prior)
        # §3.2 counts all eigenvalues; separable weights would give weight to the axes that have none
        complete = kind == "full_exact"
        rotation = subspace(different.differences(scaled), different.weight, scatter, complete=complete)
    axes = Metric(scale, np.empty(0), rotation, mapping)
    return weigh_axes(X, pairs, axes, kind=kind, prior=prior, unit=unit)


def curved_axes(
    scaled: np.ndarray, pairs: TrainingPairs, mapping: AdditiveMap, prior: float = PRIOR_COUNT
) -> np.ndarray:
    """Orthonormal axes of the full metric on mapped rows, in rounds that stretch features by relevance.

    A feature's share in the metric stretches its axes in the next round, which makes curves along it cheaper:
    a few relevant features stand out among many, as in the adaptive group lasso (Wang and Leng 2008).
    """
    rows = mapping.transform(scaled)
    different = far_pairs(pairs, prior)
    share = evidence_share(pairs.n_different, RELEVANCE_COUNT)
    stretch = np.ones(rows.shape[1])
    for _ in range(N_ROUNDS):
        stretched = rows * stretch
        basis = row_space(stretched)  # with few rows in many mapped axes, nothing lies outside it
        inner = stretched @ basis
        scatter = smooth_scatter(inner, pairs, scaled.shape[1], prior)
        rotation = basis @ subspace(different.differences(inner), different.weight, scatter)
        weights = solve_weights(stretched @ rotation, pairs, "separable", prior)
        half = stretch[:, None] * rotation * np.sqrt(weights)
        relevance = mapping.sum_by_feature((half**2).sum(axis=1))
        stretch = ((relevance / relevance.max()) ** (share / 2))[mapping.feature]
    left, strength, _ = np.linalg.svd(half, full_matrices=False)
    return np.asarray(left[:, strength > 1e-6 * strength[0]])


def row_space(rows: np.ndarray) -> np.ndarray:
    """Orthonormal axes in which all differences of rows lie: no more than there are rows."""
    if rows.shape[1] <= len(rows):
        return np.eye(rows.shape[1])
    return np.asarray(np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2].T)


def weigh_axes(
    X: np.ndarray,
    pairs: TrainingPairs,
    axes: Metric,
    *,
    kind: str,
    prior: float = PRIOR_COUNT,
    penalty: SelectivePenalty | None = None,
    unit: str = "cost",
) -> Metric:
    """Solve the diagonal problem in the axes of a metric."""
    weights = solve_weights(axes.rotate(X), pairs, kind, prior, penalty)
    solved = replace(axes, weights=weights)
    if unit == "norm":
        return replace(solved, weights=weights / (np.linalg.norm(weights) or 1.0))
    if unit == "separation":
        apart = mean_separation(solved.rotate(X), weights, far_pairs(pairs, prior), kind)
        return replace(solved, weights=weights / (apart**2 or 1.0))
    return solved


def mean_separation(rotated: np.ndarray, weights: np.ndarray, different: WeightedPairs, kind: str) -> float:
    """F(a): the weighted sum of distances of different pairs, or what the separable objective has for it."""
    differences = different.differences(rotated)
    if kind in EXACT:
        return float(different.weight @ np.sqrt(differences**2 @ weights))
    return float(different.weight @ np.abs(differences) @ np.sqrt(weights))


def solve_weights(
    rotated: np.ndarray,
    pairs: TrainingPairs,
    kind: str,
    prior: float,
    penalty: SelectivePenalty | None = None,
) -> np.ndarray:
    """Weights of the axes (a) that rows are given in, with c·a = 1."""
    cost = within_cost(rotated, pairs, prior)
    if penalty is not None:
        cost[penalty.axes] += penalty.gamma
    different = far_pairs(pairs, prior)
    differences, weight = different.differences(rotated), different.weight
    if kind in EXACT:
        return exact_weights(differences**2, weight, cost).weights
    return separable_weights(weight @ np.abs(differences), cost)


def far_pairs(pairs: TrainingPairs, prior: float) -> WeightedPairs:
    """The different pairs, shrunk towards random ones while answers are few."""
    different, background = pairs.different, pairs.background
    share = evidence_share(pairs.n_different, prior)
    return WeightedPairs(
        np.r_[different.left, background.left],
        np.r_[different.right, background.right],
        np.r_[share * different.weight, (1.0 - share) * different.weight.sum() * background.weight],
    )


def within_cost(rotated: np.ndarray, pairs: TrainingPairs, prior: float) -> np.ndarray:
    """Cost of a unit of weight on each axis (c), shrunk to the overall variance while answers are few."""
    overall = 2.0 * rotated.var(axis=0)
    similar = pairs.similar
    if len(similar) == 0:
        return np.asarray(overall)
    observed = similar.weight @ similar.differences(rotated) ** 2
    if pairs.scatter is not None:
        observed = observed + pairs.scatter
    if prior == 0.0:
        return np.maximum(observed, LOWEST_COST * overall)
    share = evidence_share(pairs.n_similar, prior)
    return np.asarray(share * observed + (1.0 - share) * similar.weight.sum() * overall)


def within_scatter(scaled: np.ndarray, pairs: TrainingPairs, prior: float) -> np.ndarray:
    """The full form of `within_cost` (C), shrunk to a diagonal with a pseudo-count of p: never singular.

    Without a prior it is not shrunk, and a small share of the variance keeps it from being singular.
    """
    cost = within_cost(scaled, pairs, prior)
    if prior == 0.0 and len(pairs.similar):
        overall = np.where(cost > 0, 2.0 * scaled.var(axis=0), 1.0)
        return similar_scatter(scaled, pairs) + LOWEST_COST * np.diag(overall)
    n_features = np.count_nonzero(cost)
    target = np.diag(np.where(cost > 0, cost, 1.0))
    n = pairs.n_similar
    return np.asarray((n * similar_scatter(scaled, pairs) + n_features * target) / (n + n_features))


def smooth_scatter(rows: np.ndarray, pairs: TrainingPairs, n_features: int, prior: float) -> np.ndarray:
    """The scatter of mapped rows, shrunk to the same cost in every direction, that of a mean feature.

    In the mapped space a plain ridge penalises roughness: what varies little along φ takes a long vector.
    """
    target = (within_cost(rows, pairs, prior).sum() or 1.0) / n_features * np.eye(rows.shape[1])
    n = pairs.n_similar
    total = n * similar_scatter(rows, pairs) + SMOOTHNESS_COUNT * target
    return np.asarray(total / (n + SMOOTHNESS_COUNT))


def similar_scatter(rows: np.ndarray, pairs: TrainingPairs) -> np.ndarray:
    """Weighted sum of d dᵀ over the similar pairs."""
    differences = pairs.similar.differences(rows)
    return np.asarray((differences.T * pairs.similar.weight) @ differences)
