"""Minimum expected entropy (MEE): place the point whose membership tells most about all others (§3.3, §4).

    gain_i = sum_j h(p_ij) − sum_m r_im sum_j h(r_jm),     p_ij = r_i·r_j,  j ≠ i,  h the binary entropy

The largest gain is the smallest expected entropy u^t of the paper: Q(R) minus gain_i is u^t(x_i).
"""

from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
from scipy.special import xlog1py, xlogy

from sameornot._validation import check_flag
from sameornot.query.base import View
from sameornot.query.membership import MembershipStrategy, expected_questions

# Rows of the pair matrix that are in memory at a time.
BLOCK = 1024


@dataclass(frozen=True)
class MinimumExpectedEntropy(MembershipStrategy):
    """The paper's strategy: place the point whose membership removes most entropy from all pairs.

    Parameters
    ----------
    n_trees : int
        Trees of the forest that estimates neighbourhood memberships.
    representative : {"typical", "random", "first"}
        Which member of a neighbourhood a point is compared with: the most typical one, which people find
        easy to compare; any, as the paper prints it; or the one that it began with.
    exclude_ruled_out : bool
        Whether neighbourhoods that a point is known to differ from have probability 0; the forest alone, as
        printed, cannot know.
    ties : {"random", "first"}
        Which of several points with the highest score is placed: any, or that with the lowest row number.
    per_question : bool
        Whether the entropy is divided by the expected number of questions, as in NPU; a variant of ours.

    References
    ----------
    Deng, Y., Yuan, Y., Fu, H., and Qu, A. (2023). Query-augmented active metric learning. *Journal of
    the American Statistical Association*, 118(543), 1862–1875.

    Examples
    --------
    >>> from sameornot import MinimumExpectedEntropy, simulate
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=30, n_relevant=3, random_state=0)
    >>> strategy = MinimumExpectedEntropy(n_trees=10)
    >>> curve = simulate(X, y, 3, strategy=strategy, budget=9, checkpoints=[9], random_state=0)
    >>> int(curve.pairs.iloc[-1])
    9
    """

    per_question: bool = field(default=False, kw_only=True)
    unit: ClassVar[str] = "nats of entropy over all pairs"

    @classmethod
    def as_printed(cls, n_trees: int = 50) -> Self:
        """As the paper prints it (§3.3 and §4)."""
        return cls(n_trees, representative="random", exclude_ruled_out=False)

    @classmethod
    def as_released(cls, n_trees: int = 50) -> Self:
        """As the paper's authors ran it."""
        return cls(n_trees, representative="first", exclude_ruled_out=False, ties="first")

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        check_flag("per_question", self.per_question)
        return super().check()

    def score(self, memberships: np.ndarray, candidates: np.ndarray, view: View) -> np.ndarray:
        """The expected gain, of a question on average if `per_question`."""
        gain = expected_gain(memberships, candidates, view.placed)
        return gain / expected_questions(memberships[candidates]) if self.per_question else gain


def binary_entropy(p: np.ndarray) -> np.ndarray:
    """h(p) in nats."""
    return -(xlogy(p, p) + xlog1py(1.0 - p, -p))


def expected_gain(memberships: np.ndarray, candidates: np.ndarray, placed: np.ndarray) -> np.ndarray:
    """Entropy of all pairs that placing each candidate is expected to remove.

    Pairs with a placed point depend on its neighbourhood alone, so they are counted by neighbourhood.
    """
    open_rows = memberships[~placed]
    sizes = memberships[placed].sum(axis=0)
    after = binary_entropy(open_rows).sum(axis=0)  # of pairs (j, i) once i is known to be in m, before j ≠ i
    gain = np.empty(len(candidates))
    for start in range(0, len(candidates), BLOCK):
        rows = memberships[candidates[start : start + BLOCK]]
        own = binary_entropy(rows)
        before = binary_entropy((rows @ open_rows.T).clip(0.0, 1.0)).sum(axis=1) + own @ sizes
        before -= binary_entropy((rows**2).sum(axis=1).clip(0.0, 1.0))
        gain[start : start + BLOCK] = before - (rows * (after - own)).sum(axis=1)
    return gain
