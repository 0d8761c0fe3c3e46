"""Theorems 2 and 3 (§5): how far from the truth each way of asking leaves the posterior, by enumeration.

    Theorem 2   KL(ρ_0||ρ_active) ≤ KL(ρ_0||ρ_random)  once one more point is placed
    Theorem 3   E KL(ρ_*||ρ_active^T) < E KL(ρ_*||ρ_two-step^T)  after T questions, K² < T < K·n

Active is MEE with exact memberships, random an open pair, two-step the pairs nearest to ½ by the posterior
before the first question. A question is a pair. All draw on the closure, and on counting to K: what follows
from the answers is never asked, except by the two-step strategy as published, which chose its pairs
beforehand; "two-step, skipping" passes over those that are settled when their turn comes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np

from sameornot._types import Answer, Pair
from sameornot.bench.enumeration import (
    FACTS,
    World,
    divergence,
    draw_world,
    entropy,
    known_from,
    likeness,
    log_posterior,
    target,
)
from sameornot.cluster import Clustering, Method
from sameornot.cluster.clustering import squared_distances
from sameornot.constraints import Constraints
from sameornot.metric.learn import identity_metric
from sameornot.query import Problem, Questions, Strategy
from sameornot.query.forest import neighbourhood_memberships
from sameornot.query.mee import expected_gain, pick_best
from sameornot.query.random import random
from sameornot.query.sweep import sweep

# Two losses this near are the same one, summed in another order.
ROUNDING = 1e-9


def as_problem(world: World, known: Constraints, order: np.ndarray) -> Problem:
    """What a strategy sees: as in a session, but the centres are known and features are as they are."""
    scale = np.ones(world.X.shape[1])
    nearest = squared_distances(world.X, world.centers).argmin(axis=1)
    clustering = Clustering(nearest, world.centers, identity_metric(scale), 0)
    return Problem(world.X, known, len(world.centers), order, scale, Method(), lambda: clustering)


def exact_memberships(world: World, problem: Problem) -> np.ndarray:
    """Chance of each neighbourhood for each point (R), from the posterior instead of a forest."""
    alike = likeness(world, log_posterior(world, problem.constraints))
    similarity = np.column_stack([alike[:, members].mean(axis=1) for members in problem.hoods])
    return neighbourhood_memberships(similarity, problem.hoods, problem.ruled_out)


def active(world: World) -> Strategy:
    """MEE: place the point with the largest gain, as in `query/mee.py` but with exact memberships."""

    def ask(problem: Problem, rng: np.random.Generator) -> Questions:
        memberships = exact_memberships(world, problem)
        point = best_point(problem, memberships, rng)
        yield from sweep(problem, point, memberships[point])

    return ask


def best_point(problem: Problem, memberships: np.ndarray, rng: np.random.Generator) -> int:
    """The point that MEE places next."""
    candidates = problem.candidates()
    return pick_best(candidates, expected_gain(memberships, candidates, problem.placed), rng)


def two_step(world: World, known: Constraints) -> Strategy:
    """All pairs, the chance of "same" nearest to ½ first, by what is known before the first question."""
    chance = world.together @ np.exp(log_posterior(world, known))
    nearest_half = np.argsort(np.abs(chance - 0.5), kind="stable")

    def ask(problem: Problem, rng: np.random.Generator) -> Questions:
        for index in nearest_half:
            yield world.pairs[index]

    return ask


def questions(
    world: World, known: Constraints, strategy: Strategy, rng: np.random.Generator, *, ask_settled: bool
) -> Iterator[Pair]:
    """The pairs that the expert is asked; `known` takes in each answer, and what counting to K implies.

    As in a session, a pair that is settled is answered without asking, unless `ask_settled`.
    """
    order = rng.permutation(len(world.X))
    while any(known.relation(*pair) is None for pair in world.pairs):
        step = strategy(as_problem(world, known, order), rng)
        pair = next(step, None)
        while pair is not None:
            settled = known.relation(*pair) is not None
            if not settled:
                known.add(pair, world.answer(pair))
                known.imply_last(len(world.centers))
            if ask_settled or not settled:
                yield pair
            pair = reply(step, world.answer(pair))


def reply(step: Questions, answer: Answer) -> Pair | None:
    """The next pair of a step, or None at its end."""
    try:
        return step.send(answer)
    except StopIteration:
        return None


def divergence_curve(
    world: World,
    known: Constraints,
    strategy: Strategy,
    rng: np.random.Generator,
    *,
    ask_settled: bool = False,
) -> np.ndarray:
    """KL(ρ_*||ρ^T) after T = 0, 1, … questions, one for each pair there is; 0 once all is known."""
    goal = target(world)
    curve = np.zeros(len(world.pairs) + 1)
    curve[0] = divergence(goal, log_posterior(world, known))
    for count, _ in enumerate(questions(world, known, strategy, rng, ask_settled=ask_settled), start=1):
        curve[count] = divergence(goal, log_posterior(world, known))
    return curve


@dataclass(frozen=True)
class OneStep:
    """Theorem 2 in one world: for each point that can be placed, the loss once it is.

    `expected_entropy` is the paper's criterion, which does not know the truth; `chosen` is MEE's candidate,
    as an index of these arrays.
    """

    candidates: np.ndarray
    loss: np.ndarray
    expected_entropy: np.ndarray
    chosen: int

    @property
    def holds(self) -> float:
        """Share of random draws that end no nearer to ρ_0 than MEE's choice."""
        return float((self.loss >= self.loss[self.chosen] - ROUNDING).mean())


def one_step(world: World, n_placed: int, rng: np.random.Generator) -> OneStep:
    """Place each open point in turn, the first `n_placed` being known."""
    known = known_from(world, n_placed)
    problem = as_problem(world, known, np.arange(len(world.X)))
    candidates, memberships, goal = problem.candidates(), exact_memberships(world, problem), target(world)
    chosen = candidates == best_point(problem, memberships, rng)
    loss = [divergence(goal, log_posterior(world, known_from(world, n_placed, i))) for i in candidates]
    left = [expected_entropy(world, problem, i, memberships[i]) for i in candidates]
    return OneStep(candidates, np.array(loss), np.array(left), int(chosen.argmax()))


def expected_entropy(world: World, problem: Problem, point: int, chances: np.ndarray) -> float:
    """Entropy of the posterior once the neighbourhood of a point is known, over where it may be (§3.3)."""
    labels = np.full(len(world.X), -1)
    for m, members in enumerate(problem.hoods):
        labels[members] = m
    expected = 0.0
    for m, chance in enumerate(chances.tolist()):
        labels[point] = m
        after = Constraints.from_pairs(len(labels), labels=labels)
        expected += chance * entropy(log_posterior(world, after)) if chance > 0 else 0.0
    return expected


def two_step_bound(
    n_questions: np.ndarray, n_clusters: int, separation: float, power: float = 2.0
) -> np.ndarray:
    """Theorem 3's bound on E KL(ρ_*||ρ_active^T) − E KL(ρ_*||ρ_two-step^T), stated for K² < T < K·n, σ = 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sameornot.bench.theory import two_step_bound
    >>> two_step_bound(np.array([100, 200]), n_clusters=2, separation=1.0).round(2)
    array([ 1.61, -8.5 ])
    """
    first = n_clusters / np.sqrt(separation)
    second = np.exp(-(separation**power)) * (n_clusters - 1) / n_clusters
    growth = 1.0 - np.exp(-2.0 * n_questions / n_clusters**2)
    return np.asarray(first * np.sqrt(n_questions) - second * n_questions * growth)


@dataclass(frozen=True)
class Cell:
    """One world of one kind: see `theory_rows`."""

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
        """Randomness of its own for each use."""
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
    strengths : prices of a settled pair that a label vector breaks
        Infinite: answers are facts. 1: the prior of §3.3.
    starts : sizes of the neighbourhoods in each cluster from which Theorem 3 starts
        0: nothing is known. Theorem 2 is tried from all sizes that leave two points to choose from.

    Returns
    -------
    list of dict
        The columns experiment, method, those of `Cell`, questions and kl (the loss); and, for Theorem 2 only
        (else nan), expected_entropy and holds: the share of random draws for which the inequality holds.
        Theorem 2 places one point (`questions` is 1) and shows one draw of "random".

    Examples
    --------
    >>> from sameornot.bench.theory import theory_rows
    >>> rows = theory_rows(0, n_points=5, n_clusters=[2], separations=[2.0], strengths=[1.0], starts=[1])
    >>> sorted({row["method"] for row in rows})
    ['active', 'random', 'two-step', 'two-step, skipping']
    """
    rows: list[dict[str, Any]] = []
    for K, separation, strength in product(n_clusters, separations, strengths):
        for size in range(1, (n_points - 2) // K + 1):
            rows += theorem2_rows(Cell(seed, n_points, K, separation, strength, size, power))
        for size in starts:
            rows += theorem3_rows(Cell(seed, n_points, K, separation, strength, size, power))
    return rows


def theorem2_rows(cell: Cell) -> list[dict[str, Any]]:
    """One point placed by MEE, and one by chance."""
    rng = cell.rng("theorem2")
    step = one_step(cell.draw(), cell.n_placed, rng)
    drawn = int(rng.integers(len(step.candidates)))
    return [
        {
            "experiment": "theorem2",
            "method": method,
            **asdict(cell),
            "questions": 1,
            "kl": float(step.loss[index]),
            "expected_entropy": float(step.expected_entropy[index]),
            "holds": step.holds,
        }
        for method, index in (("active", step.chosen), ("random", drawn))
    ]


def theorem3_rows(cell: Cell) -> list[dict[str, Any]]:
    """The loss after each question, for each way of asking."""
    return [
        {
            "experiment": "theorem3",
            "method": method,
            **asdict(cell),
            "questions": count,
            "kl": float(loss),
            "expected_entropy": np.nan,
            "holds": np.nan,
        }
        for method, curve in divergence_curves(cell).items()
        for count, loss in enumerate(curve)
    ]


def divergence_curves(cell: Cell) -> dict[str, np.ndarray]:
    """`divergence_curve` of every method, from the same start."""
    world = cell.draw()
    chosen_beforehand = two_step(world, known_from(world, cell.n_placed))
    ways: dict[str, tuple[Strategy, bool]] = {
        "active": (active(world), False),
        "random": (random, False),
        "two-step": (chosen_beforehand, True),
        "two-step, skipping": (chosen_beforehand, False),
    }
    return {
        method: divergence_curve(
            world, known_from(world, cell.n_placed), strategy, cell.rng(method), ask_settled=ask_settled
        )
        for method, (strategy, ask_settled) in ways.items()
    }
