"""Normalised point-based uncertainty (NPU; Xiong, Azimi and Fern 2014): uncertainty per question.

    score_i = H(r_i) / sum_k k · r_i(k),     r_i(1) ≥ r_i(2) ≥ …

The k-th likeliest neighbourhood is found by the k-th question, so the expected cost needs sorted
probabilities.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
from scipy.special import entr

from sameornot._validation import check_flag
from sameornot.query.base import View
from sameornot.query.membership import MembershipStrategy, expected_questions


@dataclass(frozen=True)
class NPU(MembershipStrategy):
    """Place the point with the highest entropy per expected question.

    Parameters
    ----------
    n_trees, representative, exclude_ruled_out, ties
        As for `MinimumExpectedEntropy`.
    sort_cost : bool
        Whether the k-th *likeliest* neighbourhood costs k questions. Otherwise the k-th that was found does,
        not counting those of probability 0, as in the package that the paper's authors used.

    References
    ----------
    Xiong, S., Azimi, J., and Fern, X. Z. (2014). Active learning of constraints for semi-supervised
    clustering. *IEEE Transactions on Knowledge and Data Engineering*, 26(1).

    Examples
    --------
    >>> from sameornot import NPU, simulate
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=30, n_relevant=3, random_state=0)
    >>> strategy = NPU(n_trees=10)
    >>> curve = simulate(X, y, 3, strategy=strategy, budget=9, checkpoints=[9], random_state=0)
    >>> int(curve.pairs.iloc[-1])
    9
    """

    sort_cost: bool = field(default=True, kw_only=True)
    unit: ClassVar[str] = "nats of entropy per question"

    @classmethod
    def as_released(cls, n_trees: int = 50) -> Self:
        """As the paper's authors ran it."""
        return cls(n_trees, representative="first", exclude_ruled_out=False, ties="first", sort_cost=False)

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        check_flag("sort_cost", self.sort_cost)
        return super().check()

    def score(self, memberships: np.ndarray, candidates: np.ndarray, view: View) -> np.ndarray:
        """Uncertainty per question."""
        order = slice(None) if self.sort_cost else view.founding_order
        return normalised_uncertainty(memberships[candidates][:, order], sort=self.sort_cost)


def normalised_uncertainty(memberships: np.ndarray, *, sort: bool = True) -> np.ndarray:
    """Entropy of each row over the expected number of questions until its neighbourhood is found."""
    cost = expected_questions(memberships) if sort else unsorted_cost(memberships)
    return np.asarray(entr(memberships).sum(axis=1) / cost)


def unsorted_cost(memberships: np.ndarray) -> np.ndarray:
    """The same in the order of the neighbourhoods; those of probability 0 are not counted."""
    place = np.cumsum(memberships > 0, axis=1)
    return np.asarray((memberships * place).sum(axis=1))
