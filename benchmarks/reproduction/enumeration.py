"""Problems so small that every label vector can be listed: the exact posterior of §3.3 and §5.

    ρ(l|x)  ∝  exp{ −Σ_i (||x_i − μ_{l_i}|| / σ)^d  −  strength · (settled pairs that l violates) },     σ = 1

Conditions I and II: the centres μ_k are known, with distance r. Settled pairs are those of the closure.
Strength ∞ makes answers facts; strength 1 is the prior of §3.3. The loss is KL(ρ_*||ρ), where ρ_* is the
posterior once all pairs are answered; ρ_0 of Theorem 2 is another name for it (§3.3 uses both). When answers
are facts, ρ_* is ρ given the true grouping E and the loss is −log ρ(E). Answers about pairs name no cluster.
Under Condition III the neighbourhoods do, and ρ_* has all its mass on the true labels; without it, on all
permutations of them. The theorems are in `theory.py`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import log_softmax

from sameornot import Answer, Constraints, Pair

# The penalty of violating an answer when answers are facts.
FACTS = np.inf


@dataclass(frozen=True)
class Points:
    """Points with their true clusters, and the known centres of these."""

    X: np.ndarray
    truth: np.ndarray
    centers: np.ndarray


@dataclass(frozen=True)
class World(Points):
    """A random problem with all its label vectors, K^n of them.

    `evidence` is log f(x|l) of each label vector; `together` (pairs × label vectors) is 1 where both points
    of a pair have the same label, pairs in the order of ``triu_indices``.
    """

    evidence: np.ndarray
    together: np.ndarray
    strength: float

    @cached_property
    def pairs(self) -> list[Pair]:
        """All pairs, in the order of the rows of `together`."""
        return [Pair(int(i), int(j)) for i, j in zip(*np.triu_indices(len(self.X), k=1), strict=True)]

    def answer(self, pair: Pair) -> Answer:
        """What the expert says."""
        return Answer.SAME if self.truth[pair.left] == self.truth[pair.right] else Answer.DIFFERENT


def draw_world(
    n_points: int,
    n_clusters: int,
    separation: float,
    rng: np.random.Generator,
    *,
    neighbourhood_size: int = 0,
    power: float = 2.0,
    strength: float = FACTS,
) -> World:
    """Points of `draw_points` with all label vectors; the first of each neighbourhood names its cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from reproduction.enumeration import divergence, draw_world, known_from, log_posterior, target
    >>> world = draw_world(6, 2, 2.0, np.random.default_rng(0), neighbourhood_size=1)
    >>> start = log_posterior(world, known_from(world, 2))
    >>> int((start > -np.inf).sum())  # label vectors left by two placed points, of 2^6
    16
    >>> bool(divergence(target(world), start) > 0)
    True
    """
    size = neighbourhood_size
    points = draw_points(n_points, n_clusters, separation, rng, neighbourhood_size=size, power=power)
    naming = np.arange(n_clusters) * size if size else np.arange(0)
    return list_labelings(points, naming=naming, power=power, strength=strength)


def draw_points(
    n_points: int,
    n_clusters: int,
    separation: float,
    rng: np.random.Generator,
    *,
    neighbourhood_size: int = 0,
    power: float = 2.0,
) -> Points:
    """Points of Conditions I and II; the first K · `neighbourhood_size` are equally many from each cluster.

    The others come from any cluster with equal probability. `separation` is r/σ, `power` the exponent d.
    """
    n_given = n_clusters * neighbourhood_size
    if n_given > n_points:
        raise ValueError(
            f"n_points={n_points} but neighbourhood_size={neighbourhood_size} in {n_clusters} clusters "
            f"needs {n_given}"
        )
    free = rng.integers(n_clusters, size=n_points - n_given)
    truth = np.concatenate([np.repeat(np.arange(n_clusters), neighbourhood_size), free])
    centers = separation / np.sqrt(2.0) * np.eye(n_clusters)
    return Points(centers[truth] + power_noise(n_points, n_clusters, power, rng), truth, centers)


def list_labelings(
    points: Points, *, naming: np.ndarray, power: float = 2.0, strength: float = FACTS
) -> World:
    """All label vectors of some points, of which those in `naming` name their clusters (Condition III)."""
    n_points, n_clusters = len(points.X), len(points.centers)
    labelings = np.indices((n_clusters,) * n_points).reshape(n_points, -1)
    costs = squared_distances(points.X, points.centers) ** (power / 2.0)
    evidence = -np.take_along_axis(costs, labelings, axis=1).sum(axis=0)
    evidence[(points.truth[naming] != labelings[naming].T).any(axis=1)] = -np.inf
    left, right = np.triu_indices(n_points, k=1)
    together = (labelings[left] == labelings[right]).astype(np.float64)
    return World(points.X, points.truth, points.centers, evidence, together, strength)


def squared_distances(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Squared Euclidean distances, rows by centres."""
    return np.asarray(cdist(X, centers, "sqeuclidean"))


def power_noise(n_points: int, n_features: int, power: float, rng: np.random.Generator) -> np.ndarray:
    """Rows of density ∝ exp(−||z||^d): the direction is uniform, ||z||^d has a gamma distribution."""
    direction = rng.standard_normal((n_points, n_features))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    radius = rng.gamma(n_features / power, size=(n_points, 1)) ** (1.0 / power)
    return direction * radius


def known_from(world: World, n_placed: int, *also: int) -> Constraints:
    """The constraints once the first points, and others, are placed."""
    labels = np.full(len(world.X), -1)
    placed = [*range(n_placed), *also]
    labels[placed] = world.truth[placed]
    return Constraints.from_pairs(len(labels), labels=labels)


def log_posterior(world: World, known: Constraints) -> np.ndarray:
    """The logarithm of ρ(l|x), for every label vector."""
    relations = [known.relation(*pair) for pair in world.pairs]
    same = np.array([relation is Answer.SAME for relation in relations], dtype=np.float64)
    different = np.array([relation is Answer.DIFFERENT for relation in relations], dtype=np.float64)
    violated = same.sum() + (different - same) @ world.together
    penalty = np.zeros_like(violated)
    np.multiply(world.strength, violated, out=penalty, where=violated > 0)  # ∞ · 0 is 0 here
    return np.asarray(log_softmax(world.evidence - penalty))


def target(world: World) -> np.ndarray:
    """The log posterior once every pair is answered (ρ_*)."""
    return log_posterior(world, known_from(world, len(world.X)))


def divergence(goal: np.ndarray, current: np.ndarray) -> float:
    """KL(goal||current) of two log distributions."""
    support = np.exp(goal) > 0
    return float(np.exp(goal[support]) @ (goal[support] - current[support]))


def entropy(log_p: np.ndarray) -> float:
    """Entropy of a log distribution, in nats."""
    p = np.exp(log_p)
    return -float(p[p > 0] @ log_p[p > 0])


def likeness(world: World, log_p: np.ndarray) -> np.ndarray:
    """Probability that two points have the same label, n × n."""
    n_points = len(world.X)
    alike = np.eye(n_points)
    alike[np.triu_indices(n_points, k=1)] = world.together @ np.exp(log_p)
    return np.maximum(alike, alike.T)
