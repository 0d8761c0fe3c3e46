"""Theorem 1: in how many ways metrics of low incompatibility can call pairs near and far (S_χ and S).

With one and two features a diagonal A is a point a ≥ 0, and a pair has length 1 at one point a = 1/z² or on
one line z² · a = 1. S counts the ways of all A, S_χ those of A with e_u(A) below a limit:

    e_u(A) = P(same) E[d² | same] − P(different) E[d | different]

These A are a convex region, and lines cut a convex region into 1 + (lines that meet it) + (crossings in it)
parts. The theorem's limits t + 2ε are above 0, so the limit 0 gives less than its S_χ.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reproduction.rows import Row
from reproduction.shattering import CLASSES, largest_shattered
from reproduction.theorem1 import N_FRESH, disjoint_pairs
from sameornot.datasets import make_gaussian

# Features of §6.1: 0 to 5 separate the clusters, 6 to 8 do not.
FEATURES = {
    "one relevant": (0,),
    "one irrelevant": (6,),
    "two relevant": (0, 1),
    "one of each": (0, 6),
    "two irrelevant": (6, 7),
}
N_SAMPLE = 40  # pairs: 2 n_l for n_l = 20
OBSERVED = -0.4  # about the ê_u of learned metrics, which the theorem does not allow as t


@dataclass(frozen=True)
class PairDistribution:
    """Squared differences of many pairs, one column a feature, and whether each pair is the same."""

    squares: np.ndarray
    same: np.ndarray

    def incompatibility(self, weights: np.ndarray) -> np.ndarray:
        """e_u for each row of weights."""
        found = np.empty(len(weights))
        for start in range(0, len(weights), 500):
            squared = weights[start : start + 500] @ self.squares.T
            terms = np.where(self.same, squared, -np.sqrt(squared))
            found[start : start + 500] = terms.mean(axis=1)
        return found


def count_labelings(sample: np.ndarray, pairs: PairDistribution, limit: float = np.inf) -> int:
    """How many ways diagonal metrics with e_u below a limit call a sample of squared differences.

    Exact for one and for two features; `sample` has one row for each pair.
    """
    if sample.shape[1] == 1:
        return 1 + int((pairs.incompatibility(1.0 / sample) < limit).sum())
    crossings = crossing_weights(sample)
    met = lowest_incompatibility(sample, pairs) < limit
    return 1 + int(met.sum()) + int((pairs.incompatibility(crossings) < limit).sum())


def crossing_weights(sample: np.ndarray) -> np.ndarray:
    """The weights a > 0 under which two differences have length 1 at once."""
    left, right = np.triu_indices(len(sample), k=1)
    found = np.linalg.solve(np.stack([sample[left], sample[right]], axis=1), np.ones((len(left), 2, 1)))
    return np.asarray(found[(found[:, :, 0] > 0).all(axis=1), :, 0])


def lowest_incompatibility(sample: np.ndarray, pairs: PairDistribution, *, n_steps: int = 40) -> np.ndarray:
    """The lowest e_u of the weights under which each difference has length 1, by golden-section search."""
    ratio = (np.sqrt(5.0) - 1.0) / 2.0

    def value(share: np.ndarray) -> np.ndarray:
        return pairs.incompatibility(np.column_stack([share, 1.0 - share]) / sample)

    low, high = np.zeros(len(sample)), np.ones(len(sample))
    for _ in range(n_steps):
        step = ratio * (high - low)
        left_is_lower = value(high - step) < value(low + step)
        low, high = np.where(left_is_lower, low, high - step), np.where(left_is_lower, low + step, high)
    return value((low + high) / 2.0)


def share_of_vertices(
    pairs: PairDistribution,
    rng: np.random.Generator,
    *,
    limit: float = 0.0,
    n_draws: int = 200_000,
    most: int = 1000,
) -> float:
    """Of the weights a ≥ 0 under which p random pairs have length 1, the share with e_u below a limit.

    Their number is the leading term of the number of labelings, of order n_l^p, so this is the limit of
    S_χ / S for many answers. At most `most` of them are looked at; nan if there are none.
    """
    n_pairs, n_features = pairs.squares.shape
    chosen = rng.integers(n_pairs, size=(n_draws, n_features))
    chosen = chosen[(np.diff(np.sort(chosen, axis=1), axis=1) > 0).all(axis=1)]
    found = np.linalg.solve(pairs.squares[chosen], np.ones((len(chosen), n_features, 1)))[:, :, 0]
    found = found[(found >= 0).all(axis=1)][:most]
    return float((pairs.incompatibility(found) < limit).mean()) if len(found) else np.nan


def class_rows(
    run: str, seed: int, _: Path | None, *, most_features: int = 4, n_fresh: int = 2 * N_FRESH
) -> list[Row]:
    """What can be shattered, and how many labelings e_u < 0 leaves (the theorem's limits are above 0)."""
    rng = np.random.default_rng([seed, 2])
    values = {
        (kind, str(p), "shattered"): float(largest_shattered(p, kind, rng, n_draws=1))
        for p in range(1, most_features + 1)
        for kind in CLASSES
    }
    X, y = make_gaussian(n_samples=n_fresh, random_state=seed)
    pairs = disjoint_pairs(y)
    squares = (X[pairs.left] - X[pairs.right]) ** 2
    for name, features in FEATURES.items():
        sample = squares[:N_SAMPLE, features]
        rest = PairDistribution(squares[N_SAMPLE:, features], pairs.same[N_SAMPLE:])
        counts = {"labelings": np.inf, "compatible": 0.0, "observed": OBSERVED}
        values |= {("diagonal", name, key): count_labelings(sample, rest, at) for key, at in counts.items()}
    everything = PairDistribution(squares, pairs.same)
    values[("diagonal", "all nine", "share")] = share_of_vertices(everything, rng)
    return [
        {"run": run, "seed": seed, "method": kind, "features": features, "item": item, "value": value}
        for (kind, features, item), value in values.items()
    ]
