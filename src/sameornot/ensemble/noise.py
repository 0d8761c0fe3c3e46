"""How far an answer is to be believed: by how well it fits what the rest says of the row.

    b_i(m) ∝ r_i(m) · ((1 − ε) / ε)^(answers that say i is of m − answers that say it is not)

r_i is what the learners hold row i for without its own answers, ε how often the expert errs. The likeliest ε
is found from all answers together: answers against all odds, and questions that were answered twice.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from sameornot._types import Answer
from sameornot.constraints import Fact

ERROR_RATES = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3])
# Answers without a slip that the belief in a careful expert is worth.
PRIOR_ANSWERS = 40.0
# Learners err in odd ways: no odds are taken to be longer than this.
LONGEST_ODDS = 0.01


class Votes(NamedTuple):
    """How many answers say of each row (n × L) that it is, and that it is not, of each group.

    `vouches` (n) marks rows by which others were told to be of a group.
    """

    same: np.ndarray
    different: np.ndarray
    vouches: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """The rows that some answer speaks of."""
        return np.flatnonzero((self.same + self.different).any(axis=1))


def count_votes(told: Sequence[Fact], groups: Sequence[np.ndarray], n_rows: int) -> Votes:
    """Answers by row and group: the row is the one that was asked about, the group that of the other one."""
    group = np.full(n_rows, -1)
    for m, members in enumerate(groups):
        group[members] = m
    shape = n_rows, len(groups)
    votes = Votes(np.zeros(shape), np.zeros(shape), np.zeros(n_rows, dtype=bool))
    for (row, other), answer in told:
        if group[other] >= 0:
            kind = votes.same if answer is Answer.SAME else votes.different
            kind[row, group[other]] += 1
            votes.vouches[other] |= answer is Answer.SAME
    return votes


def estimate_error(odds: np.ndarray, votes: Votes) -> float:
    """How often the expert errs (ε): the mean over rates, each as likely as it makes the answers."""
    rows = votes.rows
    same, different = votes.same[rows], votes.different[rows]
    given = np.log(tempered(odds[rows]))
    balance = same - different
    scores = []
    for rate in ERROR_RATES:
        right, wrong = np.log1p(-rate), np.log(rate)
        common = same.sum(axis=1) * wrong + different.sum(axis=1) * right
        fit = logsumexp(given + balance * (right - wrong), axis=1) + common
        scores.append(fit.sum() + PRIOR_ANSWERS * right)
    likelihood = np.exp(np.array(scores) - max(scores)) * np.gradient(ERROR_RATES)
    return float(likelihood @ ERROR_RATES / likelihood.sum())


def believe(odds: np.ndarray, votes: Votes, error: float) -> np.ndarray:
    """What each row is, by the learners and its own answers (b)."""
    belief = odds.copy()
    rows = votes.rows
    balance = (votes.same - votes.different)[rows]
    balance -= balance.max(axis=1, keepdims=True)
    weighed = tempered(odds[rows]) * np.exp(balance * np.log((1.0 - error) / error))
    belief[rows] = weighed / weighed.sum(axis=1, keepdims=True)
    return belief


def tempered(odds: np.ndarray) -> np.ndarray:
    """Odds of which none is too long."""
    return np.asarray((1.0 - LONGEST_ODDS) * odds + LONGEST_ODDS / odds.shape[1])
