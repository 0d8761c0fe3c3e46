"""Aggregation over the steps with a selective penalty (§3.2).

Rank the eigenvalues of each step's metric A^t in ascending order, average the ranks over the steps, and put
γ on the budget of the q axes with the smallest average. For a diagonal metric an axis is a feature. A full
metric has axes of its own at each step, so every A^t is read along the axes of the last one.
"""

from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata

from sameornot.metric.learn import Metric

# γ is added to costs that are near 1 for standardised features: from no penalty to none of the weight.
GAMMA_GRID = (0.0, 0.3, 1.0, 3.0, 10.0, 100.0)


def eigenvalues_along(metric: Metric, axes: np.ndarray | None) -> np.ndarray:
    """diag(Pᵀ A P): the metric's eigenvalues, read along the axes P of another (None: the features)."""
    if axes is None:
        rotation = metric.rotation
        return metric.weights if rotation is None else np.asarray(rotation**2 @ metric.weights)
    if metric.rotation is None:
        return np.asarray(metric.weights @ axes**2)
    return np.asarray(metric.weights @ (metric.rotation.T @ axes) ** 2)


def penalised_axes(history: Sequence[Metric], axes: np.ndarray | None, q: int | None = None) -> np.ndarray:
    """The q axes whose eigenvalues rank lowest on average; q from the elbow where it is not given."""
    values = np.array([eigenvalues_along(metric, axes) for metric in history])
    if q is None:
        q = elbow(values.mean(axis=0))
    average_rank = rankdata(values, axis=1).mean(axis=0)
    return np.argsort(average_rank, kind="stable")[:q]


def elbow(values: np.ndarray) -> int:
    """How many values lie past the bend of their descending curve, its largest distance below the chord."""
    descending = np.sort(values)[::-1]
    span = descending[0] - descending[-1]
    if len(values) < 3 or span <= 0:
        return 0
    across = np.linspace(0.0, 1.0, len(values))
    below_chord = 1.0 - across - (descending - descending[-1]) / span
    bend = int(np.argmax(below_chord))
    return len(values) - bend if below_chord[bend] > 1e-9 else 0
