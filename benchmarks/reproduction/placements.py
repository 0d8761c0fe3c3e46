"""Theorem 2 for any number of points: one more point placed by MEE, or at random.

With known centres, answers that are facts and a neighbourhood in each cluster (Conditions I to III), points
that are not placed are independent: P(l_i = k) = R_ik ∝ exp(−||x_i − μ_k||^d). Placing point i takes its
surprise −log R_(i, l_i) from the loss KL(ρ_*||ρ), so nothing has to be enumerated: the theorem's inequality
holds for a random choice j if the surprise of j is at most that of MEE's choice.

Corollary 1 is about the size β of the neighbourhoods. The same points are looked at with several sizes: of
the first K · (largest size) points, equally many are placed in each cluster.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax

from reproduction.enumeration import FACTS, Points, draw_points, list_labelings, squared_distances
from reproduction.rows import Row
from reproduction.theory import ROUNDING, one_step
from sameornot.query import expected_gain, pick_best

SEPARATIONS = (1.0, 2.0, 3.0)
SIZES = (1, 2, 3)
N_WORLDS = 10  # in one replication: their means are one row
# (number of points, number of clusters): small ones are also enumerated, with answers that may be violated.
LISTED = ((8, 2), (8, 3))
INDEPENDENT = ((30, 2), (300, 2), (30, 5), (300, 5), (300, 10))
STRENGTHS = (FACTS, 1.0)


class Placement(NamedTuple):
    """One step, compared with random choices of another point than MEE's.

    `holds` is the share of them for which Theorem 2's inequality holds (for MEE's own point it always does),
    `advantage` the mean loss after them minus that after MEE's choice.
    """

    holds: float
    advantage: float


def compare(losses: np.ndarray, chosen: int) -> Placement:
    """The losses after placing each candidate, against that of the chosen one."""
    others = np.delete(losses, chosen) - losses[chosen]
    return Placement(float((others >= -ROUNDING).mean()), float(others.mean()))


def alternating(points: Points, size: int) -> Points:
    """The given points (`size` of each cluster) in the order cluster 0, 1, …, 0, 1, …, then the others."""
    n_clusters = len(points.centers)
    given = np.arange(n_clusters * size).reshape(n_clusters, size).T.ravel()
    order = np.concatenate([given, np.arange(len(given), len(points.X))])
    return Points(points.X[order], points.truth[order], points.centers)


def place_independent(
    points: Points, n_placed: int, rng: np.random.Generator, *, power: float = 2.0
) -> Placement:
    """One more point, given that the first `n_placed` are known and each cluster has one of them."""
    costs = squared_distances(points.X, points.centers) ** (power / 2.0)
    log_proba = log_softmax(-costs, axis=1)
    placed = np.arange(len(points.X)) < n_placed
    log_proba[placed] = np.where(np.eye(len(points.centers))[points.truth[placed]] > 0, 0.0, -np.inf)
    candidates, memberships = np.flatnonzero(~placed), np.exp(log_proba)
    chosen = pick_best(candidates, expected_gain(memberships, candidates, placed), rng)
    surprise = -log_proba[np.arange(len(points.X)), points.truth]
    return compare(-surprise[candidates], int(np.searchsorted(candidates, chosen)))


def place_listed(points: Points, n_placed: int, rng: np.random.Generator, *, strength: float) -> Placement:
    """The same by enumeration, where answers may also have a finite strength."""
    naming = np.arange(len(points.centers))
    step = one_step(list_labelings(points, naming=naming, strength=strength), n_placed, rng)
    return compare(step.loss, step.chosen)


@dataclass(frozen=True)
class Kind:
    """Random worlds of one kind."""

    n_points: int
    n_clusters: int
    separation: float
    strength: float

    @property
    def sizes(self) -> list[int]:
        """Sizes of neighbourhoods that leave two points to choose from."""
        return [size for size in SIZES if self.n_clusters * size <= self.n_points - 2]

    def draw(self, world: int) -> Points:
        """The same clusters and noise at every separation and strength, for all sizes."""
        rng, size = np.random.default_rng([world, self.n_points, self.n_clusters]), max(self.sizes)
        drawn = draw_points(self.n_points, self.n_clusters, self.separation, rng, neighbourhood_size=size)
        return alternating(drawn, size)

    def place(self, world: int, size: int, *, listed: bool) -> Placement:
        """One more point, from neighbourhoods of a size."""
        points, n_placed, rng = self.draw(world), self.n_clusters * size, np.random.default_rng([world, size])
        if listed:
            return place_listed(points, n_placed, rng, strength=self.strength)
        return place_independent(points, n_placed, rng)


KINDS = {
    "enumerated": [Kind(n, K, r, strength) for n, K in LISTED for r in SEPARATIONS for strength in STRENGTHS],
    "independent": [Kind(n, K, r, FACTS) for n, K in INDEPENDENT for r in SEPARATIONS],
}


def corollary1_rows(run: str, seed: int, _: Path | None, *, n_worlds: int = N_WORLDS) -> list[Row]:
    """Means over some random worlds of each kind, for each size of neighbourhoods."""
    rows: list[Row] = []
    worlds = range(seed * n_worlds, (seed + 1) * n_worlds)
    for kind in KINDS[run]:
        for size in kind.sizes:
            found = [kind.place(world, size, listed=run == "enumerated") for world in worlds]
            holds, advantage = np.mean(found, axis=0)
            place = {"run": run, "seed": seed, **asdict(kind), "neighbourhood_size": size}
            rows.append({**place, "worlds": n_worlds, "holds": holds, "advantage": advantage})
    return rows
