"""Answer noise: every answer is wrong with the same probability ε (Dawid and Skene 1979, for one expert).

    posterior_i(m) ∝ prior_i(m) · ((1 − ε) / ε)^(answers that say i is in m − answers that say it is not)

The prior is what the base learners predict for row i without its own answers. ε is estimated from all answers
together: from answers that the learners contradict, and from questions that were answered twice.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sameornot._types import Answer, Fact
from sameornot.ensemble.config import NoiseConfig
from sameornot.ensemble.training import group_of_rows


class GroupVotes(NamedTuple):
    """How many answers say of each row (n × L) that it is, and that it is not, in each group.

    `is_reference` (n) marks rows that others were found to be the same as.
    """

    same: np.ndarray
    different: np.ndarray
    is_reference: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """The rows that some answer is about."""
        return np.flatnonzero((self.same + self.different).any(axis=1))


def count_votes(
    answers: Sequence[Fact],
    groups: Sequence[np.ndarray],
    n_rows: int,
    weights: np.ndarray | None = None,
) -> GroupVotes:
    """Answers by row and group: the left row is asked about, the right one stands for its group.

    `weights` are how many votes each answer counts for; 1 by default.
    """
    group = group_of_rows(groups, n_rows)
    shape = n_rows, len(groups)
    votes = GroupVotes(np.zeros(shape), np.zeros(shape), np.zeros(n_rows, dtype=bool))
    counted = np.ones(len(answers)) if weights is None else weights
    for ((row, other), answer), weight in zip(answers, counted.tolist(), strict=True):
        if group[other] >= 0:
            counts = votes.same if answer is Answer.SAME else votes.different
            counts[row, group[other]] += weight
            votes.is_reference[other] |= answer is Answer.SAME
    return votes


def estimate_error_rate(prior: np.ndarray, votes: GroupVotes, config: NoiseConfig) -> float:
    """How often the expert errs (ε): its posterior mean over a grid."""
    rates, rows = np.array(config.error_rates), votes.rows
    same, different = votes.same[rows], votes.different[rows]
    log_prior = np.log(smooth_labels(prior[rows], config.label_smoothing))
    balance = same - different
    scores = []
    for rate in rates:
        right, wrong = np.log1p(-rate), np.log(rate)
        common = same.sum(axis=1) * wrong + different.sum(axis=1) * right
        fit = log_sum_exp(log_prior + balance * (right - wrong)) + common
        scores.append(fit.sum() + config.prior_answers * right)
    likelihood = np.exp(np.array(scores) - max(scores)) * np.gradient(rates)
    return float(likelihood @ rates / likelihood.sum())


def log_sum_exp(scores: np.ndarray) -> np.ndarray:
    """The logarithm of the sum of the exponentials of each row."""
    largest = scores.max(axis=1)
    return np.asarray(np.log(np.exp(scores - largest[:, None]).sum(axis=1)) + largest)


def posterior_proba(
    prior: np.ndarray, votes: GroupVotes, error_rate: float, label_smoothing: float
) -> np.ndarray:
    """The group of each row, given the base learners and the answers about it."""
    proba = prior.copy()
    rows = votes.rows
    balance = (votes.same - votes.different)[rows]
    balance -= balance.max(axis=1, keepdims=True)
    evidence = np.exp(balance * np.log((1.0 - error_rate) / error_rate))
    weighted = smooth_labels(prior[rows], label_smoothing) * evidence
    proba[rows] = weighted / weighted.sum(axis=1, keepdims=True)
    return proba


def smooth_labels(proba: np.ndarray, label_smoothing: float) -> np.ndarray:
    """Label smoothing: probabilities with a share of the uniform distribution mixed in."""
    return np.asarray((1.0 - label_smoothing) * proba + label_smoothing / proba.shape[1])
