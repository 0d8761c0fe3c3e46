"""From weighted pairs to a metric: the one door to `diagonal.py`, `full.py` and `kernel.py`."""

from dataclasses import dataclass, replace

import numpy as np

from sameornot._types import TrainingPairs, WeightedPairs
from sameornot.metric.diagonal import exact_weights, separable_weights
from sameornot.metric.full import subspace
from sameornot.metric.kernel import KERNELS, AdditiveMap

KINDS = ("exact", "full", "separable")

# With this many independent facts, pairs of answered rows weigh as much as the data at large. With fewer, a
# feature in which the first few pairs happen to agree or to differ would take all the weight.
PRIOR_FACTS = 4.0

# Curves: how many facts their smoothness is worth, how often relevant features are told apart anew, and with
# how many facts half of what a round finds is believed. On rings and crescents 0.3 to 3 facts of smoothness
# and more rounds make little difference; without the last, four answers would single out a feature.
SMOOTH_FACTS = 1.0
N_ROUNDS = 4
RELEVANCE_FACTS = 8.0


def trust(n_facts: int, prior: float) -> float:
    """Weight of what n facts say against what is known without any: pairs grow with n², and so does this."""
    return n_facts**2 / (n_facts**2 + prior**2)


@dataclass(frozen=True)
class Metric:
    """A learned Mahalanobis metric A = Q diag(a) Qᵀ on rows divided by `scale`.

    `rotation` (Q) is None for a diagonal metric. `weights` (a) belong to the columns of Q. With a `mapping`
    the rows are mapped after the division, and A is a metric of the mapped rows.
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
    prior: float = PRIOR_FACTS,
    kernel: str | None = None,
) -> Metric:
    """The metric that keeps similar pairs near and different pairs far; the identity while none are far.

    With a kernel the axes are those of `curved_axes`, whatever the kind: a mapped axis means nothing alone.
    """
    scaled = X / scale
    mapping = None if kernel is None else KERNELS[kernel](scaled)
    if not pairs.different.differences(scaled).any():
        return identity_metric(scale, mapping)
    rotation = None
    if mapping is not None:
        rotation = curved_axes(scaled, pairs, mapping, prior)
    elif kind == "full":
        scatter = within_scatter(scaled, pairs, prior)
        different = far_pairs(pairs, prior)
        rotation = subspace(different.differences(scaled), different.weight, scatter)
    axes = Metric(scale, np.empty(0), rotation, mapping)
    return weigh_axes(X, pairs, axes, kind=kind, prior=prior)


def curved_axes(
    scaled: np.ndarray, pairs: TrainingPairs, mapping: AdditiveMap, prior: float = PRIOR_FACTS
) -> np.ndarray:
    """Orthonormal axes of the full metric on mapped rows, learned anew with features stretched by relevance.

    A feature's share in the metric stretches its axes in the next round, where curves along it are the
    cheaper: what is relevant for a few features stands out against many, as in an adaptive group lasso.
    """
    rows = mapping.transform(scaled)
    different = far_pairs(pairs, prior)
    belief = trust(pairs.n_different, RELEVANCE_FACTS)
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
        stretch = ((relevance / relevance.max()) ** (belief / 2))[mapping.feature]
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
    prior: float = PRIOR_FACTS,
    penalised: np.ndarray | None = None,
    gamma: float = 0.0,
) -> Metric:
    """Solve the diagonal problem in the axes of a metric, with γ on the budget of the `penalised` ones."""
    return replace(axes, weights=solve_weights(axes.rotate(X), pairs, kind, prior, penalised, gamma))


def solve_weights(
    rotated: np.ndarray,
    pairs: TrainingPairs,
    kind: str,
    prior: float,
    penalised: np.ndarray | None = None,
    gamma: float = 0.0,
) -> np.ndarray:
    """Weights of the axes (a) that rows are given in."""
    cost = within_cost(rotated, pairs, prior)
    if penalised is not None:
        cost[penalised] += gamma
    different = far_pairs(pairs, prior)
    differences, weight = different.differences(rotated), different.weight
    if kind == "exact":
        return exact_weights(differences**2, weight, cost).weights
    # In the axes of a full metric too: there as on the features, `exact` leaves too few of them.
    return separable_weights(weight @ np.abs(differences), cost)


def far_pairs(pairs: TrainingPairs, prior: float) -> WeightedPairs:
    """The different pairs, shrunk towards random ones while facts are few."""
    known, background = pairs.different, pairs.background
    share = trust(pairs.n_different, prior)
    return WeightedPairs(
        np.r_[known.left, background.left],
        np.r_[known.right, background.right],
        np.r_[share * known.weight, (1.0 - share) * known.weight.sum() * background.weight],
    )


def within_cost(rotated: np.ndarray, pairs: TrainingPairs, prior: float) -> np.ndarray:
    """Cost of a unit of weight on each axis (c), shrunk towards the overall variance while facts are few."""
    overall = 2.0 * rotated.var(axis=0)
    similar = pairs.similar
    if len(similar) == 0:
        return np.asarray(overall)
    observed = similar.weight @ similar.differences(rotated) ** 2
    share = trust(pairs.n_similar, prior)
    return np.asarray(share * observed + (1.0 - share) * similar.weight.sum() * overall)


def within_scatter(scaled: np.ndarray, pairs: TrainingPairs, prior: float) -> np.ndarray:
    """The full form of `within_cost` (C), shrunk to a diagonal worth p facts: never singular."""
    cost = within_cost(scaled, pairs, prior)
    n_features = np.count_nonzero(cost)
    target = np.diag(np.where(cost > 0, cost, 1.0))
    facts = pairs.n_similar
    return np.asarray((facts * similar_scatter(scaled, pairs) + n_features * target) / (facts + n_features))


def smooth_scatter(rows: np.ndarray, pairs: TrainingPairs, n_features: int, prior: float) -> np.ndarray:
    """The scatter of mapped rows, shrunk to the same cost in every direction, that of a mean feature.

    In the mapped space a plain ridge is a price of roughness: what varies little along φ takes a long vector.
    """
    target = (within_cost(rows, pairs, prior).sum() or 1.0) / n_features * np.eye(rows.shape[1])
    facts = pairs.n_similar
    return np.asarray((facts * similar_scatter(rows, pairs) + SMOOTH_FACTS * target) / (facts + SMOOTH_FACTS))


def similar_scatter(rows: np.ndarray, pairs: TrainingPairs) -> np.ndarray:
    """Weighted sum of d dᵀ over the similar pairs."""
    differences = pairs.similar.differences(rows)
    return np.asarray((differences.T * pairs.similar.weight) @ differences)
