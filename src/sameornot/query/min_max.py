"""Min-max (Mallapragada, Jin and Jain 2008): place the point that is least like all placed ones.

    next = argmin_i max over placed j of s(x_i, x_j),     s(x, z) = exp(−||x − z||² / 2σ²)

The kernel falls with distance whatever its width σ, so this is the point whose nearest placed point is
farthest: the traversal of Explore (`explore.py`), which goes on here when all groups are known.
"""

from dataclasses import dataclass

import numpy as np

from sameornot.query.base import View
from sameornot.query.explore import farthest, to_nearest_members
from sameornot.query.sweep import Pick, PointStrategy


@dataclass(frozen=True)
class MinMax(PointStrategy):
    """Place the farthest point; the neighbourhood with the most similar member is asked first.

    References
    ----------
    Mallapragada, P. K., Jin, R., and Jain, A. K. (2008). Active query selection for semi-supervised
    clustering. *ICPR*.

    Examples
    --------
    >>> from sameornot import MinMax, simulate
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=30, n_relevant=3, random_state=0)
    >>> strategy = MinMax()
    >>> curve = simulate(X, y, 3, strategy=strategy, budget=9, checkpoints=[9], random_state=0)
    >>> int(curve.pairs.iloc[-1])
    9
    """

    def pick(self, view: View, candidates: np.ndarray, rng: np.random.Generator) -> Pick:
        """The farthest point."""
        point = farthest(view, candidates, rng)
        return Pick(point, -to_nearest_members(view, np.array([point]))[0])
