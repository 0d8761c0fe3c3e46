"""Theorems 2 and 3 (§5): divergence of the posterior from the truth under several strategies, by enumeration.

    Theorem 2   KL(ρ_0||ρ_active) ≤ KL(ρ_0||ρ_random)  once one more point is placed
    Theorem 3   E KL(ρ_*||ρ_active^T) < E KL(ρ_*||ρ_two-step^T)  after T questions, K² < T < K·n

Active is MEE with exact memberships, random an open pair, two-step the pairs with a probability of "same"
nearest to ½ before the first question. A question is a pair. No strategy asks what follows from the closure
of the answers and from the number of clusters, except the two-step strategy as published, which chooses its
pairs beforehand; "two-step, skipping" omits the pairs that are settled by then.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from reproduction.enumeration import (
    World,
    divergence,
    entropy,
    known_from,
    likeness,
    log_posterior,
    squared_distances,
    target,
)
from sameornot import (
    Answer,
    AugmentedClustering,
    Clustering,
    Constraints,
    Metric,
    Pair,
    Question,
    Strategy,
    View,
)
from sameornot.query import (
    Pick,
    PointStrategy,
    Questions,
    expected_gain,
    neighbourhood_memberships,
    pick_best,
)

# Two losses that differ by less are equal: they are sums in different order.
ROUNDING = 1e-9


@dataclass(frozen=True)
class KnownCenters(Clustering):
    """Each point is in the cluster with the nearest centre; distances are Euclidean."""

    labels: np.ndarray
    metric: Metric
    centers: np.ndarray

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """1 for the nearest centre."""
        return np.asarray(np.eye(len(self.centers))[squared_distances(X, self.centers).argmin(axis=1)])


def as_view(world: World, known: Constraints, order: np.ndarray) -> View:
    """What a strategy sees, as in a session, but with known centres and unscaled features."""
    scale = np.ones(world.X.shape[1])
    nearest = squared_distances(world.X, world.centers).argmin(axis=1)
    clustering = KnownCenters(nearest, Metric(scale, np.ones_like(scale)), world.centers)
    return View(world.X, scale, known, len(world.centers), AugmentedClustering(), order, clustering)


def exact_memberships(world: World, view: View) -> np.ndarray:
    """Chance of each neighbourhood for each point (R), from the posterior instead of a forest."""
    alike = likeness(world, log_posterior(world, view.answers))
    similarity = np.column_stack([alike[:, members].mean(axis=1) for members in view.neighbourhoods])
    return neighbourhood_memberships(similarity, view.neighbourhoods, view.ruled_out)


@dataclass(frozen=True)
class ExactMEE(PointStrategy):
    """MEE as in `query/mee.py`, but with exact memberships."""

    world: World

    def pick(self, view: View, candidates: np.ndarray, rng: np.random.Generator) -> Pick:
        """The point with the largest gain."""
        memberships = exact_memberships(self.world, view)
        point = pick_best(candidates, expected_gain(memberships, candidates, view.placed), rng)
        return Pick(point, memberships[point], memberships[point])


@dataclass(frozen=True)
class FixedQuestions(Strategy):
    """Ask questions that were chosen beforehand, whatever the answers are."""

    pairs: tuple[Pair, ...]
    requires: ClassVar[type | None] = None

    def ask(self, view: View, rng: np.random.Generator) -> Questions:
        """Ask them in their order."""
        for left, right in self.pairs:
            yield Question(left, right)


def two_step(world: World, known: Constraints) -> FixedQuestions:
    """All pairs, ordered by how near the probability of "same" is to ½ before the first question."""
    chance = world.together @ np.exp(log_posterior(world, known))
    nearest_half = np.argsort(np.abs(chance - 0.5), kind="stable")
    return FixedQuestions(tuple(world.pairs[index] for index in nearest_half))


def questions(
    world: World, known: Constraints, strategy: Strategy, rng: np.random.Generator, *, ask_settled: bool
) -> Iterator[Pair]:
    """The pairs that the expert is asked; `known` is updated with each answer and with what K implies.

    As in a session, a settled pair is answered without asking, unless `ask_settled`.
    """
    order = rng.permutation(len(world.X))
    while any(known.relation(*pair) is None for pair in world.pairs):
        step = strategy.ask(as_view(world, known, order), rng)
        pair = next(step, None)
        while pair is not None:
            settled = known.relation(*pair) is not None
            if not settled:
                known.add(pair, world.answer(pair))
                known.imply_last(len(world.centers))
            if ask_settled or not settled:
                yield pair
            pair = reply(step, world.answer(pair))


def reply(step: Questions, answer: Answer) -> Question | None:
    """The next question of a step, or None at its end."""
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
    """KL(ρ_*||ρ^T) after T = 0, 1, … questions, up to the number of pairs; 0 once all is known."""
    goal = target(world)
    curve = np.zeros(len(world.pairs) + 1)
    curve[0] = divergence(goal, log_posterior(world, known))
    for count, _ in enumerate(questions(world, known, strategy, rng, ask_settled=ask_settled), start=1):
        curve[count] = divergence(goal, log_posterior(world, known))
    return curve


@dataclass(frozen=True)
class OneStep:
    """Theorem 2 in one world: for each point that can be placed, the loss after placing it.

    `expected_entropy` is the paper's criterion, which does not use the truth; `chosen` is the index of MEE's
    candidate.
    """

    candidates: np.ndarray
    loss: np.ndarray
    expected_entropy: np.ndarray
    chosen: int

    @property
    def holds(self) -> float:
        """Share of random choices after which the posterior is no nearer to ρ_0 than after MEE's."""
        return float((self.loss >= self.loss[self.chosen] - ROUNDING).mean())


def one_step(world: World, n_placed: int, rng: np.random.Generator) -> OneStep:
    """Place each open point, given that the first `n_placed` are known."""
    known = known_from(world, n_placed)
    view = as_view(world, known, np.arange(len(world.X)))
    candidates, memberships, goal = view.candidates(), exact_memberships(world, view), target(world)
    chosen = candidates == ExactMEE(world).pick(view, candidates, rng).point
    loss = [divergence(goal, log_posterior(world, known_from(world, n_placed, i))) for i in candidates]
    left = [expected_entropy(world, view, i, memberships[i]) for i in candidates]
    return OneStep(candidates, np.array(loss), np.array(left), int(chosen.argmax()))


def expected_entropy(world: World, view: View, point: int, chances: np.ndarray) -> float:
    """Expected entropy of the posterior once the neighbourhood of a point is known (§3.3)."""
    labels = np.full(len(world.X), -1)
    for m, members in enumerate(view.neighbourhoods):
        labels[members] = m
    expected = 0.0
    for m, chance in enumerate(chances.tolist()):
        labels[point] = m
        after = Constraints.from_pairs(len(labels), labels=labels)
        expected += chance * entropy(log_posterior(world, after)) if chance > 0 else 0.0
    return expected
