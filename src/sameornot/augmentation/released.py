"""The pairs that the authors' released code trains a metric on, where they differ from §3.1.

    cost_m = c (mean over S of d_m² + mean over S~ of w d_m²)  +  sum_i sum_k h_ik² (x_im − mean_km)²
    gain_m = mean over D of |d_m|  +  sum over D~ of sqrt(w) |d_m| / |D~|

S and D are all pairs of placed rows. Rows without answers keep the random memberships that the search began
with, so all pairs of the table are augmented, and D~ counts every pair outside of S~. The scatter of the rows
around the means of the clusters (weights h_ik²) is a sum over all rows, which is why c is as large as 1000.
The weights a_m ∝ (gain_m / cost_m)² are scaled to unit Euclidean norm.
"""

import numpy as np

from sameornot._types import TrainingPairs, WeightedPairs
from sameornot.augmentation.links import implied_pairs
from sameornot.augmentation.memberships import Memberships
from sameornot.augmentation.pairs import certainty, mean_of
from sameornot.constraints import Constraints

# The released search leaves rows without answers at memberships that look like draws from a symmetric
# Dirichlet distribution: their mean sum of squares is .36 for five clusters, as it is for this concentration.
CONCENTRATION = 0.8


def released_pairs(
    scaled: np.ndarray,
    constraints: Constraints,
    memberships: Memberships,
    rng: np.random.Generator,
    pair_weight: float,
) -> TrainingPairs:
    """Pairs and scatter for rows divided by their standard deviations; `pair_weight` is c."""
    H = all_memberships(memberships, len(scaled), rng)
    n_clusters = H.shape[1]
    left, right = np.triu_indices(len(scaled), k=1)
    concordance = (H @ H.T)[left, right]
    weight = certainty(concordance, n_clusters)
    similar = concordance > 1.0 / n_clusters
    linked = implied_pairs(constraints)
    same, different = mean_of(linked.same), mean_of(linked.different)
    likely_same = weight[similar] / max(similar.sum(), 1)
    likely_different = np.sqrt(weight[~similar]) / max((~similar).sum(), 1)
    return TrainingPairs(
        similar=WeightedPairs(
            np.r_[same.left, left[similar]],
            np.r_[same.right, right[similar]],
            pair_weight * np.r_[same.weight, likely_same],
        ),
        different=WeightedPairs(
            np.r_[different.left, left[~similar]],
            np.r_[different.right, right[~similar]],
            np.r_[different.weight, likely_different],
        ),
        background=mean_of(np.empty((0, 2), dtype=np.intp)),
        n_similar=len(same),
        n_different=len(different),
        scatter=scatter_around_means(scaled, H),
    )


def all_memberships(memberships: Memberships, n_rows: int, rng: np.random.Generator) -> np.ndarray:
    """Memberships of all rows: random ones where there are no answers."""
    n_clusters = memberships.rows.shape[1]
    H = rng.dirichlet(np.full(n_clusters, CONCENTRATION), size=n_rows)
    for members, row in zip(memberships.groups, memberships.rows, strict=True):
        H[members] = row
    return H


def scatter_around_means(rows: np.ndarray, H: np.ndarray) -> np.ndarray:
    """For each feature the sum of h_ik² (x_i − mean_k)²; the means have the same weights."""
    squares = H**2
    total = squares.sum(axis=0)
    sums = squares.T @ rows
    within = (squares.sum(axis=1) @ rows**2) - (sums**2 / np.maximum(total, 1e-300)[:, None]).sum(axis=0)
    return np.asarray(np.maximum(within, 0.0))
