"""The pairs that a metric is trained on: answered ones (S, D) and augmented ones (S~, D~), §3.1.

    w_ij = K/(K−1) max(h_i·h_j − 1/K, 0) + K max(1/K − h_i·h_j, 0)

Answered pairs weigh 1/|S| or 1/|D| each, augmented ones w_ij/|S~| or w_ij/|D~|. As printed, S and D hold all
pairs that the answers imply (§3.3); by default they hold the answered ones.
"""

import numpy as np

from sameornot._types import TrainingPairs, WeightedPairs
from sameornot.augmentation.links import linked_pairs
from sameornot.augmentation.memberships import Memberships
from sameornot.constraints import Constraints

# A few hundred answered points have fewer pairs than this. Thousands have far more, and means over a sample
# of them are as good.
MAX_PAIRS = 50_000
ROUNDING = 1e-9  # a concordance this near to 1/K is at the level of chance

# Random pairs of all rows, enough for means of features.
N_BACKGROUND = 300


def training_pairs(
    constraints: Constraints,
    memberships: Memberships | None,
    rng: np.random.Generator,
    *,
    closure: bool = False,
    max_pairs: int | None = MAX_PAIRS,
) -> TrainingPairs:
    """Answered pairs (as in Xing et al. 2002) and, where `memberships` are given, augmented ones.

    With `closure`, pairs that the answers imply count as answered. Of each kind, a sample of `max_pairs` is
    taken where there are more.
    """
    linked = linked_pairs(constraints, closure)
    similar, different = ([mean_of(sample(pairs, rng, max_pairs))] for pairs in linked)
    if memberships is not None and memberships.groups:
        augmented = augmented_pairs(memberships, rng, max_pairs=max_pairs)
        similar.append(augmented[0])
        different.append(augmented[1])
    join = _merge if closure else _join  # then most augmented pairs are among the answered ones
    sizes = [len(members) for members in constraints.groups()]
    return TrainingPairs(
        join(similar),
        join(different),
        _background(constraints.n_points, rng),
        n_similar=sum(size - 1 for size in sizes),
        n_different=max(sum(sizes) - 1, 0),
    )


def _background(n_points: int, rng: np.random.Generator) -> WeightedPairs:
    if n_points < 2:
        return mean_of(np.empty((0, 2), dtype=np.intp))
    left = rng.integers(n_points, size=N_BACKGROUND)
    right = (left + rng.integers(1, n_points, size=N_BACKGROUND)) % n_points
    return mean_of(np.column_stack([left, right]))


def certainty(concordance: np.ndarray, n_clusters: int) -> np.ndarray:
    """How far h_i·h_j is from the chance level 1/K (w), in [0, 1]."""
    offset = concordance - 1.0 / n_clusters
    scale = np.where(offset > 0, n_clusters / max(n_clusters - 1, 1), -n_clusters)
    return scale * offset


def augmented_pairs(
    memberships: Memberships, rng: np.random.Generator, *, max_pairs: int | None = MAX_PAIRS
) -> tuple[WeightedPairs, WeightedPairs]:
    """All pairs of answered points beyond chance: likely the same (S~), likely different (D~).

    Where there are more than `max_pairs`, a sample of them.
    """
    points = np.concatenate(memberships.groups)
    row = np.repeat(np.arange(len(memberships.groups)), [len(members) for members in memberships.groups])
    left, right = _some_pairs(len(points), rng, max_pairs)
    concordance = (memberships.rows @ memberships.rows.T)[row[left], row[right]]
    n_clusters = memberships.rows.shape[1]
    weight = certainty(concordance, n_clusters)
    beyond_chance = weight > ROUNDING
    similar = beyond_chance & (concordance > 1.0 / n_clusters)
    different = beyond_chance & (concordance < 1.0 / n_clusters)
    ends = points[left], points[right]
    return _mean_over(*ends, weight, similar), _mean_over(*ends, weight, different)


def sample(pairs: np.ndarray, rng: np.random.Generator, max_pairs: int | None) -> np.ndarray:
    """So many of the pairs, all if there are no more."""
    if max_pairs is None or len(pairs) <= max_pairs:
        return pairs
    return pairs[rng.integers(len(pairs), size=max_pairs)]


def _some_pairs(n: int, rng: np.random.Generator, max_pairs: int | None) -> tuple[np.ndarray, np.ndarray]:
    n_pairs = n * (n - 1) // 2
    if max_pairs is None or n_pairs <= max_pairs:
        left, right = np.triu_indices(n, k=1)
        return left, right
    left = rng.integers(n, size=max_pairs)
    right = (left + rng.integers(1, n, size=max_pairs)) % n
    return left, right


def _mean_over(left: np.ndarray, right: np.ndarray, weight: np.ndarray, chosen: np.ndarray) -> WeightedPairs:
    return WeightedPairs(left[chosen], right[chosen], weight[chosen] / max(chosen.sum(), 1))


def mean_of(pairs: np.ndarray) -> WeightedPairs:
    """Pairs whose weighted sum is their mean."""
    return WeightedPairs(pairs[:, 0], pairs[:, 1], np.full(len(pairs), 1.0 / max(len(pairs), 1)))


def _join(parts: list[WeightedPairs]) -> WeightedPairs:
    return WeightedPairs(
        np.concatenate([part.left for part in parts]),
        np.concatenate([part.right for part in parts]),
        np.concatenate([part.weight for part in parts]),
    )


def _merge(parts: list[WeightedPairs]) -> WeightedPairs:
    """Each pair once, with the sum of its weights."""
    pairs = _join(parts)
    if not len(pairs):
        return pairs
    low, high = np.minimum(pairs.left, pairs.right), np.maximum(pairs.left, pairs.right)
    n_points = high.max() + 1
    key, which = np.unique(low * n_points + high, return_inverse=True)
    return WeightedPairs(key // n_points, key % n_points, np.bincount(which, pairs.weight))
