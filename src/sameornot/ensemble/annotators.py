"""How often each of several annotators errs (Dawid and Skene 1979, one rate for each).

    P(answer j is right) = q_j,   likelihood of annotator a's rate:  prod_j ((1 - e) q_j + e (1 - q_j))

q_j follows from what the base learners predict for the row and from the answers of the other annotators about
it, weighted by their rates; so the rates are found by iteration. An answer of somebody with rate e_a counts
as log((1 - e_a) / e_a) / log((1 - e) / e) votes, where e is the rate of all together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sameornot._types import Answer, Fact
from sameornot.ensemble.config import NoiseConfig
from sameornot.ensemble.noise import smooth_labels
from sameornot.ensemble.training import group_of_rows

# Rounds of the iteration.
N_ROUNDS = 3
# Rates beyond those of a single expert, up to guessing.
BEYOND = (0.4, 0.5)
# The most that one answer counts for, however reliable its annotator: two people who err alike are not seen.
MAX_WEIGHT = 2.0


@dataclass(frozen=True)
class ErrorRate:
    """How often somebody errs: the posterior mean, with a 90 % interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class AnnotatorRates:
    """The rate of each annotator, and how many votes each answer counts for."""

    rates: Mapping[str, ErrorRate]
    weights: np.ndarray


def n_shared(answers: Sequence[Fact], annotators: Sequence[str]) -> int:
    """How many questions were answered by two annotators or more."""
    people: dict[frozenset[int], set[str]] = {}
    for (pair, _), annotator in zip(answers, annotators, strict=True):
        people.setdefault(frozenset(pair), set()).add(annotator)
    return sum(len(known) > 1 for known in people.values())


def estimate_annotators(
    answers: Sequence[Fact],
    annotators: Sequence[str],
    groups: Sequence[np.ndarray],
    prior: np.ndarray,
    error_rate: float,
    config: NoiseConfig,
) -> AnnotatorRates | None:
    """The rate of each annotator; None while too few questions were answered by two of them.

    `prior` (n x L) is what the base learners predict without a row's own answers.
    """
    if len(annotators) != len(answers) or n_shared(answers, annotators) < config.min_shared:
        return None
    evidence = _Evidence.of(answers, annotators, groups, prior, config)
    rates = {name: ErrorRate(error_rate, 0.0, 1.0) for name in dict.fromkeys(annotators)}
    weights = np.ones(len(answers))
    common = np.log((1.0 - error_rate) / error_rate)
    for _ in range(N_ROUNDS):
        chance = evidence.chance_right(weights * common)
        rates = {name: _posterior_rate(chance[evidence.is_by(name)], error_rate, config) for name in rates}
        own = np.array([rates[name].estimate for name in annotators])
        weights = np.clip(np.log((1.0 - own) / own) / common, 0.0, MAX_WEIGHT)
    return AnnotatorRates(rates, weights)


@dataclass(frozen=True)
class _Evidence:
    """Each answer: its row, the group of the other row (-1: none), +1 for "same" and -1 for "different"."""

    row: np.ndarray
    group: np.ndarray
    sign: np.ndarray
    annotator: np.ndarray
    log_prior: np.ndarray

    @classmethod
    def of(
        cls,
        answers: Sequence[Fact],
        annotators: Sequence[str],
        groups: Sequence[np.ndarray],
        prior: np.ndarray,
        config: NoiseConfig,
    ) -> "_Evidence":
        group = group_of_rows(groups, len(prior))
        return cls(
            np.array([left for (left, _), _ in answers]),
            np.array([group[right] for (_, right), _ in answers]),
            np.array([1.0 if answer is Answer.SAME else -1.0 for _, answer in answers]),
            np.array(annotators),
            np.log(smooth_labels(prior, config.label_smoothing)),
        )

    def is_by(self, name: str) -> np.ndarray:
        """Whether each answer about a known group is by this annotator."""
        return (self.annotator == name) & (self.group >= 0)

    def chance_right(self, votes: np.ndarray) -> np.ndarray:
        """How likely each answer is to be right, by the learners and the votes of all other annotators."""
        chance = np.full(len(self.row), 0.5)
        known = self.group >= 0
        for row in np.unique(self.row[known]).tolist():
            own = np.flatnonzero(known & (self.row == row))
            for name in np.unique(self.annotator[own]).tolist():
                others = own[self.annotator[own] != name]
                belief = self.log_prior[row].copy()
                np.add.at(belief, self.group[others], self.sign[others] * votes[others])
                proba = np.exp(belief - belief.max())
                proba /= proba.sum()
                mine = own[self.annotator[own] == name]
                same = proba[self.group[mine]]
                chance[mine] = np.where(self.sign[mine] > 0, same, 1.0 - same)
        return chance


def _posterior_rate(chance: np.ndarray, error_rate: float, config: NoiseConfig) -> ErrorRate:
    """The rate given how likely each answer is to be right; to begin with, it is that of all together."""
    rates = np.array([*config.error_rates, *BEYOND])
    log_likelihood = np.log1p(-rates[:, None] + (2.0 * rates[:, None] - 1.0) * (1.0 - chance)).sum(axis=1)
    n_prior = config.prior_shared
    log_prior = n_prior * (error_rate * np.log(rates) + (1.0 - error_rate) * np.log1p(-rates))
    score = log_likelihood + log_prior
    mass = np.exp(score - score.max()) * np.gradient(rates)
    mass /= mass.sum()
    low, high = np.interp([0.05, 0.95], np.cumsum(mass) - mass / 2.0, rates)
    return ErrorRate(float(mass @ rates), float(low), float(high))
