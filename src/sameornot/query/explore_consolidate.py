"""Explore, then consolidate (Basu, Banerjee and Mooney 2004): find the groups, then fill them at random.

Explore places the point that is farthest from all placed ones (`explore.py`) until all K neighbourhoods are
known; where K is not given, until such a point belongs to a known one. Consolidate places points at random.
"""

from dataclasses import dataclass

import numpy as np

from sameornot.query.base import View
from sameornot.query.explore import farthest, to_centroids
from sameornot.query.sweep import Pick, PointStrategy


@dataclass(frozen=True)
class ExploreConsolidate(PointStrategy):
    """Place the farthest point, later a random one; the nearest centroid is asked first.

    References
    ----------
    Basu, S., Banerjee, A., and Mooney, R. J. (2004). Active semi-supervision for pairwise constrained
    clustering. *SIAM International Conference on Data Mining*.

    Examples
    --------
    >>> from sameornot import ExploreConsolidate, simulate
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=30, n_relevant=3, random_state=0)
    >>> strategy = ExploreConsolidate()
    >>> curve = simulate(X, y, 3, strategy=strategy, budget=9, checkpoints=[9], random_state=0)
    >>> int(curve.pairs.iloc[-1])
    9
    """

    def pick(self, view: View, candidates: np.ndarray, rng: np.random.Generator) -> Pick:
        """The farthest point while groups are missing, then a random one."""
        point = farthest(view, candidates, rng) if is_exploring(view) else int(rng.choice(candidates))
        return Pick(point, -to_centroids(view, point))


def is_exploring(view: View) -> bool:
    """Whether there are neighbourhoods still to be found."""
    if view.n_clusters is None:
        return all(len(members) == 1 for members in view.neighbourhoods)
    return len(view.neighbourhoods) < view.n_clusters
