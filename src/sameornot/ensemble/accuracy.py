"""Share of rows in the right group, with an interval, from predictions that answers tested.

How far the confidences of the mixture can be trusted follows Platt (1999),

    logit P(correct) = shift + slope · logit(confidence)

with the posterior over a grid of both. Later tests count for more: learners that knew less had confidences of
another kind (`stacking.py`).
"""

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from sameornot._types import Agreement
from sameornot.ensemble.config import AccuracyConfig, EnsembleConfig
from sameornot.ensemble.stacking import Stacking, decay_weights

# Grid on which the distribution of the share is computed.
SHARES = np.linspace(0.0, 1.0, 1001)


def accuracy_interval(
    stacking: Stacking, confidence: np.ndarray, n_certain: int, config: EnsembleConfig
) -> Agreement:
    """Share of rows that are right: the estimate, and an interval.

    `confidence` is that of the rows in doubt; `n_certain` more rows are right. The interval covers what the
    tests leave open about shift and slope, and the overdispersed binomial variation of the rows.
    """
    n_rows = len(confidence) + n_certain
    shift, slope = calibration_grid(config.accuracy)
    weight = calibration_posterior(stacking, shift, slope, config)
    correct = expit(shift[:, None] + slope[:, None] * logit(confidence.clip(0.001, 0.999)))
    share = (n_certain + correct.sum(axis=1)) / n_rows
    variance = config.accuracy.overdispersion * (correct * (1.0 - correct)).sum(axis=1)
    deviation = np.sqrt(variance) / n_rows
    below = weight @ norm.cdf((SHARES - share[:, None]) / np.maximum(deviation, 1e-9)[:, None])
    low, high = np.interp(config.accuracy.quantiles, below, SHARES)
    return Agreement(float(weight @ share), float(low), float(high))


def calibration_grid(config: AccuracyConfig) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of a shift and a slope."""
    shift, slope = np.meshgrid(np.linspace(*config.shifts), np.geomspace(*config.slopes))
    return shift.ravel(), slope.ravel()


def calibration_posterior(
    stacking: Stacking, shift: np.ndarray, slope: np.ndarray, config: EnsembleConfig
) -> np.ndarray:
    """Probability of each pair of a shift and a slope, given the tests."""
    accuracy, is_correct = config.accuracy, stacking.is_correct
    tested = expit(shift[:, None] + slope[:, None] * logit(stacking.confidence.clip(0.01, 0.99)))
    decay = decay_weights(len(is_correct), config.stacking.decay)
    log_posterior = accuracy.test_weight * np.log(np.where(is_correct, tested, 1.0 - tested)) @ decay
    mean, deviation = accuracy.prior_shift
    log_posterior -= 0.5 * ((shift - mean) / deviation) ** 2
    mean, deviation = accuracy.prior_slope
    log_posterior -= 0.5 * ((np.log(slope) - np.log(mean)) / deviation) ** 2
    weight = np.exp(log_posterior - log_posterior.max())
    return np.asarray(weight / weight.sum())
