"""Rows of Theorems 2 and 3: both in random worlds of several kinds."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np

from reproduction.enumeration import FACTS, World, draw_world, known_from
from reproduction.theory import ExactMEE, divergence_curve, one_step, two_step
from sameornot import RandomPairs, Strategy


@dataclass(frozen=True)
class RandomCase:
    """A random world of one kind: see `theory_rows`."""

    seed: int
    n_points: int
    n_clusters: int
    separation: float
    strength: float
    neighbourhood_size: int
    power: float

    @property
    def n_placed(self) -> int:
        """Points that are known from the start."""
        return self.n_clusters * self.neighbourhood_size

    def draw(self) -> World:
        """The same clusters and noise at every separation and strength."""
        return draw_world(
            self.n_points,
            self.n_clusters,
            self.separation,
            self.rng(),
            neighbourhood_size=self.neighbourhood_size,
            power=self.power,
            strength=self.strength,
        )

    def rng(self, use: str = "world") -> np.random.Generator:
        """A generator of its own for each use."""
        return np.random.default_rng([self.seed, self.n_clusters, self.neighbourhood_size, *use.encode()])


def theory_rows(
    seed: int,
    *,
    n_points: int = 8,
    n_clusters: Sequence[int] = (2, 3),
    separations: Sequence[float] = (1.0, 2.0, 3.0),
    strengths: Sequence[float] = (FACTS, 1.0),
    starts: Sequence[int] = (0, 1),
    power: float = 2.0,
) -> list[dict[str, Any]]:
    """Both theorems in one random world of each kind.

    Parameters
    ----------
    seed : int
    n_points, n_clusters, separations, power
        As for `draw_world`; all K^n label vectors are listed, so n must be small.
    strengths : penalties of a settled pair that a label vector violates
        Infinite: answers are facts. 1: the prior of §3.3.
    starts : sizes of the neighbourhoods in each cluster from which Theorem 3 starts
        0: nothing is known. Theorem 2 is tested for all sizes that leave two points to choose from.

    Returns
    -------
    list of dict
        The columns experiment, method, those of `RandomCase`, questions and kl (the loss); and, for Theorem 2
        only (else nan), expected_entropy and holds: the share of random draws for which the inequality holds.
        Theorem 2 places one point (`questions` is 1) and shows one draw of "random".

    Examples
    --------
    >>> from reproduction.theory_rows import theory_rows
    >>> rows = theory_rows(0, n_points=5, n_clusters=[2], separations=[2.0], strengths=[1.0], starts=[1])
    >>> sorted({row["method"] for row in rows})
    ['active', 'random', 'two-step', 'two-step, skipping']
    """
    rows: list[dict[str, Any]] = []
    for K, separation, strength in product(n_clusters, separations, strengths):
        for size in range(1, (n_points - 2) // K + 1):
            rows += theorem2_rows(RandomCase(seed, n_points, K, separation, strength, size, power))
        for size in starts:
            rows += theorem3_rows(RandomCase(seed, n_points, K, separation, strength, size, power))
    return rows


def theorem2_rows(case: RandomCase) -> list[dict[str, Any]]:
    """One point placed by MEE, and one at random."""
    rng = case.rng("theorem2")
    step = one_step(case.draw(), case.n_placed, rng)
    drawn = int(rng.integers(len(step.candidates)))
    return [
        {
            "experiment": "theorem2",
            "method": method,
            **asdict(case),
            "questions": 1,
            "kl": float(step.loss[index]),
            "expected_entropy": float(step.expected_entropy[index]),
            "holds": step.holds,
        }
        for method, index in (("active", step.chosen), ("random", drawn))
    ]


def theorem3_rows(case: RandomCase) -> list[dict[str, Any]]:
    """The loss after each question, for each strategy."""
    return [
        {
            "experiment": "theorem3",
            "method": method,
            **asdict(case),
            "questions": count,
            "kl": float(loss),
            "expected_entropy": np.nan,
            "holds": np.nan,
        }
        for method, curve in divergence_curves(case).items()
        for count, loss in enumerate(curve)
    ]


def divergence_curves(case: RandomCase) -> dict[str, np.ndarray]:
    """`divergence_curve` of every method, from the same start."""
    world = case.draw()
    chosen_beforehand = two_step(world, known_from(world, case.n_placed))
    strategies: dict[str, tuple[Strategy, bool]] = {
        "active": (ExactMEE(world), False),
        "random": (RandomPairs(), False),
        "two-step": (chosen_beforehand, True),
        "two-step, skipping": (chosen_beforehand, False),
    }
    return {
        method: divergence_curve(
            world, known_from(world, case.n_placed), strategy, case.rng(method), ask_settled=ask_settled
        )
        for method, (strategy, ask_settled) in strategies.items()
    }
