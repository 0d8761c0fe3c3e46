"""How far to believe each of several learners, by what each had foretold before the expert answered.

Each answer is a free test before it is trained on. A learner's probabilities are first made sharper or
flatter, r ∝ p^t, with the t under which its foretelling was likeliest; then the learners are mixed,

    r = sum_k w_k r_k,      w = argmax sum over tests of log sum_k w_k r_k(what it was) + prior

by EM. Later tests count for more: what they test was trained on more.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

SHARPNESS = np.array([0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0])
FORGETTING = 0.98  # weight of a test against the one after it
PRIOR_TESTS = 2.0  # tests that "all learners are alike" is worth
SLIP = 0.02  # share of the tests that say nothing about a learner: no single one may sink it
N_ROUNDS = 30
# What is asked is what is hardest to tell: tests are harder than rows at large. They weigh little against how
# the shift and the slope of odds usually are (mean and deviation, that of the slope in logs).
TEST_WEIGHT = 0.15
SHIFTS, USUAL_SHIFT = np.linspace(-2.5, 5.0, 31), (1.0, 1.0)
SLOPES, USUAL_SLOPE = np.geomspace(0.4, 5.0, 21), (1.8, 0.5)
CLUMPING = 9.0  # rows that go wrong together


class Record(NamedTuple):
    """How sharp to take each learner, and its weight in the mix; how sure the mix was, and whether right.

    `sure` (tests) is how likely it held what it foretold, `right` whether that came.
    """

    sharpness: np.ndarray
    weights: np.ndarray
    sure: np.ndarray
    right: np.ndarray


def sharpen(memberships: np.ndarray, sharpness: float) -> np.ndarray:
    """Memberships ∝ r^t; what is zero stays zero."""
    with np.errstate(divide="ignore"):
        powers = sharpness * np.log(memberships)
    raised = np.exp(powers - powers.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def judge(odds: np.ndarray, truth: np.ndarray, usual: np.ndarray, slip: float = SLIP) -> Record:
    """The record of learners; `odds` (tests × learners × L) is what they gave, `truth` (tests) what was.

    `usual` is the sharpness that each learner tends to need: what holds before there are tests. In a share
    `slip` of the tests, what was tells nothing.
    """
    n_tests, n_learners, _ = odds.shape
    age = FORGETTING ** np.arange(n_tests)[::-1]
    chances = np.stack([chance_of(odds, truth, sharpness) for sharpness in SHARPNESS], axis=2)
    slipped = np.log((1.0 - slip) * chances + slip / 2.0)
    cost = 0.25 * PRIOR_TESTS * np.log2(SHARPNESS / usual[:, None]) ** 2
    best = (np.tensordot(age, slipped, axes=1) - cost).argmax(axis=1)
    chosen = np.maximum(chances[:, np.arange(n_learners), best], max(1e-3, slip - SLIP))
    weights = mix(chosen, age)
    foretold = combine(odds.transpose(1, 0, 2), SHARPNESS[best], weights)
    return Record(
        SHARPNESS[best], weights, foretold.max(axis=1, initial=0.0), foretold.argmax(axis=1) == truth
    )


def combine(odds: np.ndarray, sharpness: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mix (n × L) of what the learners hold (learners × n × L)."""
    mixed = np.zeros(odds.shape[1:])
    for own, sharp, weight in zip(odds, sharpness, weights, strict=True):
        mixed += weight * sharpen(own, sharp)
    return mixed


def chance_of(odds: np.ndarray, truth: np.ndarray, sharpness: float) -> np.ndarray:
    """What each learner, taken so sharp, gave for what it was (tests × learners)."""
    return np.asarray(sharpen(odds, sharpness)[np.arange(len(truth)), :, truth])


def mix(chances: np.ndarray, age: np.ndarray) -> np.ndarray:
    """The weights of the learners under which what was (n_tests × n_learners) was likeliest."""
    n_learners = chances.shape[1]
    weights = np.full(n_learners, 1.0 / n_learners)
    for _ in range(N_ROUNDS if len(chances) else 0):
        share = chances * weights
        share /= share.sum(axis=1, keepdims=True)
        weights = age @ share + PRIOR_TESTS / n_learners
        weights /= weights.sum()
    return weights


def forecast(record: Record, sure: np.ndarray, n_settled: int) -> tuple[float, float, float]:
    """Share of rows that are right: estimate, and the interval that holds nine times in ten.

    `sure` is how likely each row that is not settled is held to be right. The tests tell how far such odds
    can be taken, ``logit(right) = shift + slope · logit(sure)``; what they leave open about the two is what
    the interval is wide by, and what chance would do to rows that are as sure as that. Later tests count for
    more: the odds of learners that knew less were another kind of odds.
    """
    n_rows = len(sure) + n_settled
    shift, slope = (grid.ravel() for grid in np.meshgrid(SHIFTS, SLOPES))
    tested = expit(shift[:, None] + slope[:, None] * logit(record.sure.clip(0.01, 0.99)))
    age = FORGETTING ** np.arange(len(record.right))[::-1]
    fit = TEST_WEIGHT * np.log(np.where(record.right, tested, 1.0 - tested)) @ age
    fit -= 0.5 * ((shift - USUAL_SHIFT[0]) / USUAL_SHIFT[1]) ** 2
    fit -= 0.5 * ((np.log(slope) - np.log(USUAL_SLOPE[0])) / USUAL_SLOPE[1]) ** 2
    chance = np.exp(fit - fit.max())
    chance /= chance.sum()
    each = expit(shift[:, None] + slope[:, None] * logit(sure.clip(0.001, 0.999)))
    share = (n_settled + each.sum(axis=1)) / n_rows
    width = np.sqrt(CLUMPING * (each * (1.0 - each)).sum(axis=1)) / n_rows
    steps = np.linspace(0.0, 1.0, 1001)
    below = chance @ norm.cdf((steps - share[:, None]) / np.maximum(width, 1e-9)[:, None])
    low, high = np.interp([0.05, 0.95], below, steps)
    return float(chance @ share), float(low), float(high)
