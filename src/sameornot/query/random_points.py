"""Points in random order, as one labels without a method for it: the passive baseline of sweeps.

What is known has no say in which point comes next, only in which neighbourhood it is asked against first: the
one with the nearest centroid.
"""

from dataclasses import dataclass

import numpy as np

from sameornot.query.base import View
from sameornot.query.explore import to_centroids
from sameornot.query.sweep import Pick, PointStrategy


@dataclass(frozen=True)
class RandomPoints(PointStrategy):
    """Place the next point of a random order.

    References
    ----------
    Deng, Y., Yuan, Y., Fu, H., and Qu, A. (2023). Query-augmented active metric learning. *Journal of
    the American Statistical Association*, 118(543), 1862–1875.

    Examples
    --------
    >>> from sameornot import RandomPoints, simulate
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=30, n_relevant=3, random_state=0)
    >>> strategy = RandomPoints()
    >>> curve = simulate(X, y, 3, strategy=strategy, budget=9, checkpoints=[9], random_state=0)
    >>> int(curve.pairs.iloc[-1])
    9
    """

    def pick(self, view: View, candidates: np.ndarray, rng: np.random.Generator) -> Pick:
        """The first candidate in the order."""
        point = int(view.order[np.isin(view.order, candidates)][0])
        return Pick(point, -to_centroids(view, point))
