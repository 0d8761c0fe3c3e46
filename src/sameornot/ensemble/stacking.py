"""Stacking: base learners are weighted by how well they predicted the answers before these were given.

Each answer is a test before it is training data: prequential evaluation (Dawid 1984). A learner's
probabilities are first scaled by an inverse temperature, r ∝ p^t, with the t under which its predictions were
likeliest (temperature scaling: Guo et al. 2017); then the learners are mixed (stacking: Wolpert 1992),

    r = sum_k w_k r_k,      w = argmax sum over tests of log sum_k w_k r_k(truth) + prior

by EM. Earlier tests decay: what they test was trained on less.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sameornot.ensemble.config import StackingConfig
from sameornot.ensemble.learners import MEMORISING, Ensemble
from sameornot.ensemble.training import all_rows


class Forecasts(NamedTuple):
    """What the learners predicted (tests × learners × L), and the columns left open (tests × L).

    One column is open where a row was placed in a group that was known at the time. `is_new` (tests × L)
    marks the columns of groups that were not known yet.
    """

    proba: np.ndarray
    is_open: np.ndarray
    is_new: np.ndarray


class Stacking(NamedTuple):
    """Inverse temperature and weight of each learner, and how the mixture did on the tests.

    `confidence` is the largest probability that it gave, `is_correct` whether that came true, for the tests
    that tell. The odds of groups not known yet are multiplied by a factor; `novelty` holds the probability
    of each factor of `StackingConfig.novelties`.
    """

    inverse_temperatures: np.ndarray
    weights: np.ndarray
    confidence: np.ndarray
    is_correct: np.ndarray
    novelty: np.ndarray | None = None

    def subset(self, positions: Sequence[int]) -> "Stacking":
        """Some of the learners; what the mixture of all did stays."""
        return self._replace(
            inverse_temperatures=self.inverse_temperatures[positions], weights=self.weights[positions]
        )


def scale_temperature(proba: np.ndarray, inverse_temperature: float) -> np.ndarray:
    """Probabilities ∝ p^t; zeros stay zero."""
    with np.errstate(divide="ignore"):
        powers = inverse_temperature * np.log(proba)
    raised = np.exp(powers - powers.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def mixture_proba(
    predicted: np.ndarray,
    groups: Sequence[np.ndarray],
    stacking: Stacking,
    ensemble: Ensemble,
    n_new: int = 0,
) -> np.ndarray:
    """The mixture (n × L) of what the learners predict (learners × n × L).

    The last `n_new` groups are not known yet: `Stacking.novelty` applies to them. Trees know their training
    rows by heart, so they have no weight there unless they are alone.
    """
    weights = np.repeat(stacking.weights[:, None], predicted.shape[1], axis=1)
    if MEMORISING in ensemble.learners and len(ensemble.learners) > 1:
        weights[ensemble.learners.index(MEMORISING), all_rows(groups)] = 0.0
    weights /= weights.sum(axis=0)
    mixture = np.zeros(predicted.shape[1:])
    for proba, inverse_temperature, own in zip(
        predicted, stacking.inverse_temperatures, weights, strict=True
    ):
        mixture += own[:, None] * scale_temperature(proba, inverse_temperature)
    is_new = np.arange(len(groups)) >= len(groups) - n_new
    return correct_novelty(mixture, is_new, stacking.novelty, ensemble.config.stacking)


def correct_novelty(
    proba: np.ndarray, is_new: np.ndarray, novelty: np.ndarray | None, config: StackingConfig
) -> np.ndarray:
    """Probabilities (n × L) with the odds of new groups corrected, averaged over the factor."""
    if novelty is None or not is_new.any() or is_new.all():
        return proba
    mass = np.where(is_new, proba, 0.0).sum(axis=-1, keepdims=True)
    corrected = sum(
        weight * novelty_mass(mass, factor) for weight, factor in zip(novelty, config.novelties, strict=True)
    )
    of_new = corrected / np.maximum(mass, 1e-300)
    of_known = (1.0 - corrected) / np.maximum(1.0 - mass, 1e-300)
    return np.asarray(proba * np.where(is_new, of_new, of_known))


def novelty_mass(mass: np.ndarray, factor: float) -> np.ndarray:
    """The probability of all new groups together, with its odds multiplied by a factor."""
    return np.asarray(factor * mass / (factor * mass + 1.0 - mass))


def prior_inverse_temperatures(ensemble: Ensemble) -> np.ndarray:
    """What each learner tends to need: its inverse temperature before there are tests."""
    return np.array([getattr(ensemble.config.stacking.prior, name) for name in ensemble.learners])


def prior_weights(ensemble: Ensemble) -> np.ndarray:
    """The weight of each learner before there are tests."""
    weights = np.array([getattr(ensemble.config.stacking.prior_weights, name) for name in ensemble.learners])
    return weights / weights.sum()


def prior_stacking(ensemble: Ensemble) -> Stacking:
    """The stacking before there are tests."""
    n_learners = len(ensemble.learners)
    nobody = np.empty((0, 1), dtype=bool)
    nothing = Forecasts(np.empty((0, n_learners, 1)), nobody, nobody)
    config = ensemble.config.stacking
    return fit_stacking(
        nothing, prior_inverse_temperatures(ensemble), prior_weights(ensemble), config, config.slip_rate
    )


def fit_stacking(
    tests: Forecasts, prior: np.ndarray, prior_weights: np.ndarray, config: StackingConfig, slip_rate: float
) -> Stacking:
    """Inverse temperatures and weights that make the tests likeliest, by learner.

    `prior` and `prior_weights` hold the inverse temperature and the weight of each learner before there are
    tests. In a share `slip_rate` of
    the tests the truth says nothing about the learners.
    """
    n_tests, n_learners, _ = tests.proba.shape
    grid = np.array(config.inverse_temperatures)
    decay = decay_weights(n_tests, config.decay)
    likelihood = np.stack([likelihood_of(tests, inverse_temperature) for inverse_temperature in grid], axis=2)
    slipped = np.log((1.0 - slip_rate) * likelihood + slip_rate / 2.0)
    penalty = 0.25 * config.prior_tests * np.log2(grid / prior[:, None]) ** 2
    best = (np.tensordot(decay, slipped, axes=1) - penalty).argmax(axis=1)
    # The more tests slip, the less one failure can count against a learner.
    floor = max(1e-3, slip_rate - config.slip_rate)
    given_truth = np.maximum(likelihood[:, np.arange(n_learners), best], floor)
    weights = stacking_weights(given_truth, decay, prior_weights, config)
    predicted = tests.proba.transpose(1, 0, 2)
    mixture = np.zeros(predicted.shape[1:])
    for proba, inverse_temperature, weight in zip(predicted, grid[best], weights, strict=True):
        mixture += weight * scale_temperature(proba, inverse_temperature)
    novelty = novelty_posterior(mixture, tests, decay, config)
    mixture = correct_novelty(mixture, tests.is_new, novelty, config)
    is_correct = tests.is_open[np.arange(n_tests), mixture.argmax(axis=1)]
    tells = ~is_correct | (tests.is_open.sum(axis=1) == 1)
    confidence = mixture.max(axis=1, initial=0.0)
    return Stacking(grid[best], weights, confidence[tells], is_correct[tells], novelty)


def novelty_posterior(
    mixture: np.ndarray, tests: Forecasts, decay: np.ndarray, config: StackingConfig
) -> np.ndarray:
    """The probability of each factor of the odds of new groups, given the tests."""
    factors = np.array(config.novelties)
    log_posterior = -0.5 * ((np.log2(factors) - config.novelty_mean) / config.novelty_deviation) ** 2
    mass = np.where(tests.is_new, mixture, 0.0).sum(axis=1)
    open_new = np.where(tests.is_new & tests.is_open, mixture, 0.0).sum(axis=1)
    open_known = np.where(~tests.is_new & tests.is_open, mixture, 0.0).sum(axis=1)
    for at, factor in enumerate(factors):
        proba = (factor * open_new + open_known) / (factor * mass + 1.0 - mass)
        log_posterior[at] += decay @ np.log((1.0 - config.slip_rate) * proba + config.slip_rate / 2.0)
    weight = np.exp(log_posterior - log_posterior.max())
    return np.asarray(weight / weight.sum())


def decay_weights(n_tests: int, decay: float) -> np.ndarray:
    """Weight of each test: 1 for the last, and by `decay` less for each one before."""
    return np.asarray(decay ** np.arange(n_tests)[::-1])


def likelihood_of(tests: Forecasts, inverse_temperature: float) -> np.ndarray:
    """Probability that each learner, scaled so, gave the truth (tests × learners)."""
    scaled = scale_temperature(tests.proba, inverse_temperature)
    return np.asarray((scaled * tests.is_open[:, None, :]).sum(axis=2))


def stacking_weights(
    likelihood: np.ndarray, decay: np.ndarray, prior_weights: np.ndarray, config: StackingConfig
) -> np.ndarray:
    """The weights under which the truth (tests × learners) was likeliest, by EM."""
    weights = prior_weights
    for _ in range(config.n_iter if len(likelihood) else 0):
        share = likelihood * weights
        share /= share.sum(axis=1, keepdims=True)
        weights = decay @ share + config.prior_tests * prior_weights
        weights /= weights.sum()
    return weights
