"""The metric that answers train (§3.1), with the settings that several clusterers share."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from sameornot._types import TrainingPairs
from sameornot._validation import check_count, check_flag, check_number, check_option
from sameornot.augmentation.memberships import augment
from sameornot.augmentation.pairs import MAX_PAIRS, training_pairs
from sameornot.augmentation.released import released_pairs
from sameornot.cluster.base import Problem
from sameornot.metric.kernel import KERNELS
from sameornot.metric.learn import KINDS, PRIOR_COUNT, Metric, learn_metric


@dataclass(frozen=True)
class MetricSettings:
    """How a metric is learned from the answers: parameters of `AugmentedClustering`, by the same names."""

    metric: str
    separation: float | str
    augmentation: bool
    kernel: str | None = None
    closure: bool = False
    shared_memberships: bool = True
    prior_count: float = PRIOR_COUNT
    max_pairs: int | None = MAX_PAIRS
    pair_weight: float = 1000.0
    weight_unit: str = "variance"

    @property
    def objective(self) -> dict[str, Any]:
        """What the metric maximises, and its scale, as arguments of `learn_metric` and `weigh_axes`."""
        unit = "cost"
        if self.weight_unit == "metric":
            unit = "norm" if self.metric == "released" else "separation"
        return {"kind": self.metric, "prior": self.prior_count, "unit": unit}


def settings_of(estimator: Any) -> MetricSettings:
    """The settings among an estimator's parameters; those that it does not have keep their defaults."""
    names = [field.name for field in fields(MetricSettings) if hasattr(estimator, field.name)]
    return MetricSettings(**{name: getattr(estimator, name) for name in names})


def check_metric(settings: MetricSettings) -> None:
    """Raise a ValueError that names the first of them that cannot be used."""
    check_option("metric", settings.metric, KINDS)
    if settings.separation != "cv":
        check_number("separation", settings.separation)
    if settings.kernel is not None:
        check_option("kernel", settings.kernel, KERNELS)
    if settings.metric == "released" and (settings.kernel is not None or not settings.augmentation):
        raise ValueError(
            'metric="released" has no kernel, and it augments the answers: leave these parameters out'
        )
    for name in ("closure", "shared_memberships", "augmentation"):
        check_flag(name, getattr(settings, name))
    for name in ("prior_count", "pair_weight"):
        check_number(name, getattr(settings, name))
    if settings.max_pairs is not None:
        check_count("max_pairs", settings.max_pairs)


def fit_metric(problem: Problem, settings: MetricSettings, rng: np.random.Generator) -> Metric:
    """The metric without penalty that the answers so far train (A^t)."""
    pairs = fit_pairs(problem, settings, rng)
    return learn_metric(problem.X, pairs, scale=problem.scale, kernel=settings.kernel, **settings.objective)


def fit_pairs(problem: Problem, settings: MetricSettings, rng: np.random.Generator) -> TrainingPairs:
    """The must-links and cannot-links and, with augmentation, the inferred ones."""
    answers, closure, max_pairs = problem.answers, settings.closure, settings.max_pairs
    without = not settings.augmentation or (settings.metric == "released" and not len(answers.cannot_link))
    if without:
        return training_pairs(answers, None, rng, closure=closure, max_pairs=max_pairs)
    memberships = augment(
        answers,
        problem.n_groups,
        rng,
        separation=settings.separation,
        shared=settings.shared_memberships,
        closure=closure,
    )
    if settings.metric == "released":
        return released_pairs(problem.X / problem.scale, answers, memberships, rng, settings.pair_weight)
    return training_pairs(answers, memberships, rng, closure=closure, max_pairs=max_pairs)
