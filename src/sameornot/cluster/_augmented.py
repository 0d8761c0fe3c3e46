"""The paper's clusterer (AQM): augment the answers, learn a metric, cluster under it.

`fit_step` is what the query loop needs at each step (Algorithm 1, step 1d): a metric without penalty and a
clustering under it (§3.1). `fit_final` adds the selective penalty (steps 2 and 3, §3.2).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.metrics import calinski_harabasz_score

from sameornot._types import TrainingPairs
from sameornot._validation import check_count, check_number, check_option
from sameornot.augmentation.memberships import augment
from sameornot.augmentation.pairs import training_pairs
from sameornot.cluster._pckmeans import PCKMeansSettings, cluster_under
from sameornot.cluster.clustering import Clustering
from sameornot.constraints import Constraints
from sameornot.metric.kernel import KERNELS
from sameornot.metric.learn import KINDS, Metric, learn_metric, weigh_axes
from sameornot.metric.penalty import GAMMA_GRID, penalised_axes


@dataclass(frozen=True)
class AugmentedSettings(PCKMeansSettings):
    """How to learn the metric and how to cluster (`clusterer="augmented"` of a session).

    Parameters
    ----------
    metric : {"separable", "exact", "full"}
        Which metric is learned.
    penalty : None, "auto", γ, or (γ, q)
        Selective penalty of the final metric: its strength γ and the number q of axes that it falls on.
        Either may be "auto": q by the elbow of the average eigenvalues, γ by the Calinski–Harabasz index.
    separation : float or "cv"
        λ of the augmentation, or "cv" to choose it by 5-fold cross-validation over the answers.
    augmentation : bool
        Whether to train on augmented pairs too; without them the metric is Xing's.
    kernel : None or "additive"
        Learn the metric on curves along each feature, for groups that no ellipsoid holds: crescents, rings.
        Its axes are always those of a full metric, weighed as `metric` says ("full" as "separable").
    emphasis : float
        For how many rows one that the answers speak of counts in its centre; 1 is the paper's PCKMeans.
    weight, n_init, max_iter
        As for `PCKMeansSettings`.
    """

    metric: str = "separable"
    penalty: Any = None
    separation: float | str = 0.5
    augmentation: bool = True
    kernel: str | None = None
    emphasis: float = 5.0

    def check(self) -> Self:
        """Raise a ValueError that names the first setting that cannot be used."""
        check_option("metric", self.metric, KINDS)
        parse_penalty(self.penalty)
        if self.separation != "cv":
            check_number("separation", self.separation)
        if self.kernel is not None:
            check_option("kernel", self.kernel, KERNELS)
        return super().check()

    @property
    def aggregates(self) -> bool:
        """The selective penalty falls on what mattered least over all steps."""
        return self.penalty is not None

    def fit_step(
        self,
        X: np.ndarray,
        constraints: Constraints,
        n_clusters: int,
        scale: np.ndarray,
        rng: np.random.Generator,
    ) -> Clustering:
        """Algorithm 1, step 1d."""
        return fit_step(X, constraints, n_clusters, scale, self, rng)

    def fit_metric(
        self,
        X: np.ndarray,
        constraints: Constraints,
        n_clusters: int,
        scale: np.ndarray,
        rng: np.random.Generator,
    ) -> Metric:
        """The metric of a step (A^t)."""
        return fit_metric(X, constraints, n_clusters, scale, self, rng)

    def fit_final(
        self,
        X: np.ndarray,
        constraints: Constraints,
        n_clusters: int,
        scale: np.ndarray,
        rng: np.random.Generator,
        history: Sequence[Metric] = (),
    ) -> Clustering:
        """Algorithm 1, steps 2 and 3."""
        return fit_final(X, constraints, n_clusters, scale, self, history, rng)


def parse_penalty(penalty: Any) -> tuple[float | None, int | None]:
    """(γ, q), with None for what is to be chosen; γ = 0 is no penalty."""
    if penalty is None:
        return 0.0, 0
    gamma, q = penalty if isinstance(penalty, tuple) and len(penalty) == 2 else (penalty, "auto")
    return (
        None if isinstance(gamma, str) and gamma == "auto" else check_number("penalty", gamma),
        None if isinstance(q, str) and q == "auto" else check_count("penalty's q", q, at_least=0),
    )


def fit_step(
    X: np.ndarray,
    constraints: Constraints,
    n_clusters: int,
    scale: np.ndarray,
    settings: AugmentedSettings,
    rng: np.random.Generator,
) -> Clustering:
    """Learn the metric without penalty and cluster under it."""
    metric = fit_metric(X, constraints, n_clusters, scale, settings, rng)
    return cluster_under(X, constraints, n_clusters, metric, settings, rng)


def fit_metric(
    X: np.ndarray,
    constraints: Constraints,
    n_clusters: int,
    scale: np.ndarray,
    settings: AugmentedSettings,
    rng: np.random.Generator,
) -> Metric:
    """The metric of one step (A^t)."""
    pairs = fit_pairs(constraints, n_clusters, settings, rng)
    return learn_metric(X, pairs, kind=settings.metric, scale=scale, kernel=settings.kernel)


def fit_pairs(
    constraints: Constraints, n_clusters: int, settings: AugmentedSettings, rng: np.random.Generator
) -> TrainingPairs:
    """The answered pairs and, with augmentation, the inferred ones."""
    if not settings.augmentation:
        return training_pairs(constraints, None, rng)
    memberships = augment(constraints, n_clusters, rng, separation=settings.separation)
    return training_pairs(constraints, memberships, rng)


def fit_final(
    X: np.ndarray,
    constraints: Constraints,
    n_clusters: int,
    scale: np.ndarray,
    settings: AugmentedSettings,
    history: Sequence[Metric],
    rng: np.random.Generator,
) -> Clustering:
    """Aggregate the metrics of the earlier steps into a selective penalty, and cluster under the result."""
    gamma, q = parse_penalty(settings.penalty)
    pairs = fit_pairs(constraints, n_clusters, settings, rng)
    metric = learn_metric(X, pairs, kind=settings.metric, scale=scale, kernel=settings.kernel)
    plain = cluster_under(X, constraints, n_clusters, metric, settings, rng)
    if gamma == 0.0 or not pairs.different.differences(X / scale).any():
        return plain
    penalised = penalised_axes([*history, metric], metric.rotation, q)
    trials = [plain] if gamma is None else []
    for strength in GAMMA_GRID if gamma is None else (gamma,):
        tried = weigh_axes(X, pairs, metric, kind=settings.metric, penalised=penalised, gamma=strength)
        trials.append(cluster_under(X, constraints, n_clusters, tried, settings, rng))
    return max(trials, key=lambda clustering: calinski_harabasz(X, clustering))


def calinski_harabasz(X: np.ndarray, clustering: Clustering) -> float:
    """Variance between clusters over variance within, under the metric; −∞ for a single cluster."""
    n_found = len(np.unique(clustering.labels))
    if not 2 <= n_found < len(X):
        return -np.inf
    return float(calinski_harabasz_score(clustering.metric.transform(X), clustering.labels))
