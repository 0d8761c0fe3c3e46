"""Random pairs among those that are not settled yet: the baseline, and the setting of Figure 2."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sameornot._types import Question
from sameornot.query.base import Questions, Strategy, View

# Draws before the open pairs are listed one by one; they run out only near the end.
N_DRAWS = 100


@dataclass(frozen=True)
class RandomPairs(Strategy):
    """Ask one open pair, each as likely as any other.

    References
    ----------
    Deng, Y., Yuan, Y., Fu, H., and Qu, A. (2023). Query-augmented active metric learning. *Journal of
    the American Statistical Association*, 118(543), 1862–1875.

    Examples
    --------
    >>> from sameornot import RandomPairs, simulate
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=30, n_relevant=3, random_state=0)
    >>> strategy = RandomPairs()
    >>> curve = simulate(X, y, 3, strategy=strategy, budget=9, checkpoints=[9], random_state=0)
    >>> int(curve.pairs.iloc[-1])
    9
    """

    requires: ClassVar[type | None] = None

    def ask(self, view: View, rng: np.random.Generator) -> Questions:
        """Draw a pair."""
        n_points = len(view.X)
        for _ in range(N_DRAWS if n_points > 1 else 0):
            left, right = (int(i) for i in rng.choice(n_points, size=2, replace=False))
            if is_open(view, left, right):
                yield Question(left, right)
                return
        open_pairs = [(i, j) for i in range(n_points) for j in range(i) if is_open(view, i, j)]
        if open_pairs:
            yield Question(*open_pairs[rng.integers(len(open_pairs))])


def is_open(view: View, i: int, j: int) -> bool:
    """Whether the pair is neither settled nor answered "unsure"."""
    return view.answers.relation(i, j) is None and not view.answers.is_unsure(i, j)
