"""The paper's formulas, pair by pair as they are printed (§3.1 to §4): slow, and apart from the library."""

from itertools import combinations, product
from typing import NamedTuple

import cvxpy as cp
import numpy as np

Pairs = list[tuple[int, int]]


class Augmented(NamedTuple):
    """S~ and D~ with the certainty w of each of their pairs."""

    similar: Pairs
    similar_weight: np.ndarray
    different: Pairs
    different_weight: np.ndarray


class Terms(NamedTuple):
    """Formula (3) as sums over pairs: Loss is sum of weights times d² over `near`, the constraint over `far`.

    A pair that is in S and in S~ stands there twice.
    """

    near: np.ndarray
    near_weight: np.ndarray
    far: np.ndarray
    far_weight: np.ndarray


# Property 1


def implied_pairs(n_rows: int, same: Pairs, different: Pairs) -> tuple[Pairs, Pairs]:
    """S and D after Property 1 (transitivity) was applied until nothing new came out."""
    alike = np.eye(n_rows, dtype=bool)
    apart = np.zeros((n_rows, n_rows), dtype=bool)
    for table, pairs in ((alike, same), (apart, different)):
        for i, j in pairs:
            table[i, j] = table[j, i] = True
    while True:
        more_alike = alike @ alike  # some i is like both
        more_apart = apart | (alike @ apart) | (apart @ alike)  # some i is like the one and unlike the other
        if (more_alike == alike).all() and (more_apart == apart).all():
            break
        alike, apart = more_alike, more_apart
    everything = list(combinations(range(n_rows), 2))
    return [pair for pair in everything if alike[pair]], [pair for pair in everything if apart[pair]]


# Formula (2)


def membership_objective(H: np.ndarray, same: Pairs, different: Pairs, separation: float) -> float:
    """Formula (2): misfit to the answers plus λ times the penalty of every entry of every row."""
    misfit = 0.0
    for y, pairs in ((1.0, same), (0.0, different)):
        for i, j in pairs:
            misfit += (y - sum(H[i, k] * H[j, k] for k in range(H.shape[1]))) ** 2
    penalty = 0.0
    for row in H:
        for h in row:
            penalty += min(abs(h), abs(h - 1.0))
    return misfit + separation * penalty


def best_one_hot(n_rows: int, n_groups: int, same: Pairs, different: Pairs) -> float:
    """The lowest value of (2) among one-hot rows, by enumeration; their penalty is 0 whatever λ is."""
    eye = np.eye(n_groups)
    return min(
        membership_objective(eye[list(labels)], same, different, 0.0)
        for labels in product(range(n_groups), repeat=n_rows)
    )


def onto_simplex(rows: np.ndarray) -> np.ndarray:
    """The nearest point of the simplex (last axis), by bisection for the shift that makes the sum 1."""
    low, high = rows.min(axis=-1, keepdims=True) - 1.0, rows.max(axis=-1, keepdims=True)
    for _ in range(50):
        middle = (low + high) / 2
        too_much = np.maximum(rows - middle, 0.0).sum(axis=-1, keepdims=True) > 1.0
        low, high = np.where(too_much, middle, low), np.where(too_much, high, middle)
    return np.maximum(rows - high, 0.0)


def descend(
    n_rows: int, n_groups: int, same: Pairs, different: Pairs, separation: float, *, n_starts=60, n_steps=400
) -> tuple[np.ndarray, np.ndarray]:
    """Projected gradient from random rows: the values of (2) that were reached, rising, and their rows."""
    left, right = np.array(same + different).T
    target = np.repeat([1.0, 0.0], [len(same), len(different)])

    def values(H):
        misfit = ((target - (H[:, left] * H[:, right]).sum(axis=-1)) ** 2).sum(axis=-1)
        return misfit + separation * np.minimum(H, 1.0 - H).sum(axis=(1, 2))

    def gradient(H):
        pull = -2.0 * (target - (H[:, left] * H[:, right]).sum(axis=-1))[..., None]
        slope = np.where(H < 0.5, 1.0, -1.0) * separation
        np.add.at(slope, (slice(None), left), pull * H[:, right])
        np.add.at(slope, (slice(None), right), pull * H[:, left])
        return slope

    rng = np.random.default_rng(0)
    H = rng.dirichlet(np.full(n_groups, 0.7), size=(n_starts, n_rows))
    value, step = values(H), np.full(n_starts, 0.1)
    for _ in range(n_steps):
        trial = onto_simplex(H - step[:, None, None] * gradient(H))
        reached = values(trial)
        lower = reached < value
        H[lower], value[lower] = trial[lower], reached[lower]
        step = np.where(lower, step * 1.5, step / 2).clip(1e-9, 1.0)
    order = value.argsort()
    return value[order], H[order]


# S~, D~ and w


def certainty(concordance: float, n_groups: int) -> float:
    """w_ij of §3.1."""
    offset = concordance - 1.0 / n_groups
    return n_groups / (n_groups - 1) * max(offset, 0.0) - n_groups * min(offset, 0.0)


def augmented_pairs(H: np.ndarray) -> Augmented:
    """S~ and D~ of all pairs of rows, by enumeration."""
    n_rows, n_groups = H.shape
    similar, different = [], []
    for i, j in combinations(range(n_rows), 2):
        concordance = float(H[i] @ H[j])
        if abs(concordance - 1.0 / n_groups) < 1e-9:
            continue
        (similar if concordance > 1.0 / n_groups else different).append((i, j))
    weights = [
        np.array([certainty(H[i] @ H[j], n_groups) for i, j in pairs]) for pairs in (similar, different)
    ]
    return Augmented(similar, weights[0], different, weights[1])


# Formulas (3), (4) and (8)


def terms(X: np.ndarray, same: Pairs, different: Pairs, augmented: Augmented) -> Terms:
    """The pairs of formula (3) and what each counts."""
    near = [*same, *augmented.similar]
    far = [*different, *augmented.different]
    return Terms(
        np.array([X[i] - X[j] for i, j in near]).reshape(-1, X.shape[1]),
        np.r_[
            np.full(len(same), 1 / max(len(same), 1)),
            augmented.similar_weight / max(len(augmented.similar), 1),
        ],
        np.array([X[i] - X[j] for i, j in far]).reshape(-1, X.shape[1]),
        np.r_[
            np.full(len(different), 1 / max(len(different), 1)),
            augmented.different_weight / max(len(augmented.different), 1),
        ],
    )


def loss(A: np.ndarray, given: Terms) -> float:
    """Loss(A) of formula (3)."""
    return sum(w * (d @ A @ d) for d, w in zip(given.near, given.near_weight, strict=True))


def separation(A: np.ndarray, given: Terms) -> float:
    """The left side of the constraint of formula (3)."""
    return sum(w * np.sqrt(max(d @ A @ d, 0.0)) for d, w in zip(given.far, given.far_weight, strict=True))


def solve_diagonal(given: Terms, *, penalised=(), gamma=0.0, axes=None) -> tuple[float, np.ndarray]:
    """The minimum of formula (4) over A = P diag(a) Pᵀ and its a, by a conic solver; P = I unless given.

    Only units are changed, to what each axis costs and to what equal weights separate: the solver wants
    numbers near 1.
    """
    near, far = (d if axes is None else d @ axes for d in (given.near, given.far))
    cost = given.near_weight @ near**2
    cost[list(penalised)] += gamma
    unit = np.where(cost > 0, cost, cost.mean() or 1.0)
    squares = far**2 / unit
    apart = given.far_weight @ np.sqrt(squares.sum(axis=1))
    share = cp.Variable(len(cost), nonneg=True)
    distances = cp.sqrt((squares / apart**2) @ share)
    problem = cp.Problem(cp.Minimize((cost / unit) @ share), [given.far_weight @ distances >= 1.0])
    problem.solve(solver="CLARABEL")
    return float(problem.value) / apart**2, np.asarray(share.value) / apart**2 / unit


def solve_semidefinite(given: Terms) -> float:
    """The minimum of formula (3) over positive semi-definite A, for a scatter C of S and S~ of full rank.

    In the coordinates C^(−½) d the loss is tr(B). Both sides grow with the scale of B, the one twice as fast,
    so the largest separation for tr(B) = 1 gives the smallest loss for a separation of 1.
    """
    scatter = (given.near.T * given.near_weight) @ given.near
    values, vectors = np.linalg.eigh(scatter)
    z = given.far @ (vectors / np.sqrt(values))
    unit = given.far_weight @ np.linalg.norm(z, axis=1)
    B = cp.Variable(scatter.shape, PSD=True)
    distances = cp.sqrt(cp.sum(cp.multiply(z / unit @ B, z / unit), axis=1))
    problem = cp.Problem(cp.Maximize(given.far_weight @ distances), [cp.trace(B) == 1.0])
    problem.solve(solver="CLARABEL")
    return 1.0 / (unit * float(problem.value)) ** 2


# Formula (5)


def clustering_objective(
    X: np.ndarray, labels: np.ndarray, A: np.ndarray, same: Pairs, different: Pairs
) -> float:
    """Formula (5)."""
    total = 0.0
    for i, label in enumerate(labels):
        from_center = X[i] - X[labels == label].mean(axis=0)
        total += from_center @ A @ from_center
    for i, j in same:
        total += labels[i] != labels[j]
    for i, j in different:
        total += labels[i] == labels[j]
    return float(total)


# §4: expected entropy


def entropy_of_pairs(R: np.ndarray) -> float:
    """Q(R): the entropy of "same neighbourhood or not", summed over all pairs of rows."""
    total = 0.0
    for i, j in combinations(range(len(R)), 2):
        alike = float(R[i] @ R[j])
        for p in (alike, 1.0 - alike):
            total -= p * np.log(p) if p > 1e-12 else 0.0
    return total


def expected_entropy(R: np.ndarray, row: int) -> float:
    """u(x_i): Q once the row's neighbourhood is known, averaged over what it may be."""
    total = 0.0
    for m, probability in enumerate(R[row]):
        known = R.copy()
        known[row] = np.eye(R.shape[1])[m]
        total += probability * entropy_of_pairs(known)
    return total
