"""From weighted pairs to a metric: the one door to `diagonal.py` and `full.py`."""

from dataclasses import dataclass

import numpy as np

from sameornot._types import TrainingPairs, WeightedPairs
from sameornot.metric.diagonal import exact_weights, separable_weights
from sameornot.metric.full import subspace

KINDS = ("exact", "full", "separable")

# With this many independent facts, pairs of answered rows weigh as much as the data at large. With fewer, a
# feature in which the first few pairs happen to agree or to differ would take all the weight.
PRIOR_FACTS = 4.0


def trust(n_facts: int, prior: float) -> float:
    """Weight of what n facts say against what is known without any: pairs grow with n², and so does this."""
    return n_facts**2 / (n_facts**2 + prior**2)


@dataclass(frozen=True)
class Metric:
    """A learned Mahalanobis metric A = Q diag(a) Qᵀ on rows divided by `scale`.

    `rotation` (Q) is None for a diagonal metric. `weights` (a) belong to the columns of Q.
    """

    scale: np.ndarray
    weights: np.ndarray
    rotation: np.ndarray | None = None

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Rows whose plain Euclidean distances are the learned ones."""
        return self.rotate(X) * np.sqrt(self.weights)

    def rotate(self, X: np.ndarray) -> np.ndarray:
        """Rows in the metric's own axes, without its weights."""
        scaled = np.asarray(X, dtype=np.float64) / self.scale
        return scaled if self.rotation is None else scaled @ self.rotation

    @property
    def matrix(self) -> np.ndarray:
        """A (p × p) for the rows as they were given."""
        half = (
            np.diag(np.sqrt(self.weights)) if self.rotation is None else self.rotation * np.sqrt(self.weights)
        )
        half = half / self.scale[:, None]
        return np.asarray(half @ half.T)

    @property
    def feature_weights(self) -> np.ndarray:
        """Share of each feature in the metric, per standard deviation; sums to 1."""
        weights = self.weights if self.rotation is None else self.rotation**2 @ self.weights
        total = weights.sum()
        return np.asarray(weights / total if total > 0 else weights)


def feature_scale(X: np.ndarray, *, standardize: bool = True) -> np.ndarray:
    """Standard deviation of each feature; infinite where it is constant, so that it weighs nothing."""
    deviation = X.std(axis=0)
    noise = 1e-12 * np.abs(X).max(axis=0)  # rounding alone leaves this much in a constant column
    constant = deviation <= noise
    return np.where(constant, np.inf, deviation if standardize else 1.0)


def identity_metric(scale: np.ndarray) -> Metric:
    """Every feature that varies weighs the same."""
    return Metric(scale, np.isfinite(scale).astype(float))


def learn_metric(
    X: np.ndarray,
    pairs: TrainingPairs,
    *,
    kind: str = "separable",
    scale: np.ndarray,
    prior: float = PRIOR_FACTS,
) -> Metric:
    """The metric that keeps similar pairs near and different pairs far; the identity while none are far."""
    scaled = X / scale
    if not pairs.different.differences(scaled).any():
        return identity_metric(scale)
    rotation = None
    if kind == "full":
        scatter = within_scatter(scaled, pairs, prior)
        different = far_pairs(pairs, prior)
        rotation = subspace(different.differences(scaled), different.weight, scatter)
    return weigh_axes(X, pairs, Metric(scale, np.empty(0), rotation), kind=kind, prior=prior)


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
    rotated = axes.rotate(X)
    cost = within_cost(rotated, pairs, prior)
    if penalised is not None:
        cost[penalised] += gamma
    different = far_pairs(pairs, prior)
    differences, weight = different.differences(rotated), different.weight
    if kind == "exact":
        weights = exact_weights(differences**2, weight, cost).weights
    else:  # in the axes of a full metric too: there as on the features, `exact` leaves too few of them
        weights = separable_weights(weight @ np.abs(differences), cost)
    return Metric(axes.scale, weights, axes.rotation)


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
    differences = pairs.similar.differences(scaled)
    observed = (differences.T * pairs.similar.weight) @ differences
    facts = pairs.n_similar
    return np.asarray((facts * observed + n_features * target) / (facts + n_features))
