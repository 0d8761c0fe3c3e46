"""Theorem 1: what the classifiers h_A(z) = sign(zᵀ A z − 1) of a difference z can tell apart.

N differences are shattered if they can be called "near" and "far" in all 2^N ways. Each way is a linear
programme in A: largest margin t with ±(zᵀ A z − 1) ≥ t, for A diagonal (A ≥ 0), A symmetric (more than
A ⪰ 0), or A diagonally dominant (less than A ⪰ 0). Where the last two agree they give the VC dimension of
A ⪰ 0. It is p(p + 1)/2: that of the linear combinations of p(p + 1)/2 functions plus a fixed one (Wenocur
and Dudley 1981). A diagonal A has p.
"""

from itertools import product

import numpy as np
from scipy.optimize import linprog

CLASSES = ("diagonal", "dominant", "symmetric")
# A margin below this is 0 up to rounding.
NO_MARGIN = 1e-7


def products(differences: np.ndarray) -> np.ndarray:
    """The rows φ(z) with zᵀ A z = φ(z) · (diagonal of A, then its upper triangle)."""
    left, right = np.triu_indices(differences.shape[1], k=1)
    return np.hstack([differences**2, 2.0 * differences[:, left] * differences[:, right]])


def largest_margin(differences: np.ndarray, far: np.ndarray, kind: str) -> float:
    """The largest t ≤ 1 with zᵀ A z ≥ 1 + t for the far ones and ≤ 1 − t for the others."""
    n_features = differences.shape[1]
    values = differences**2 if kind == "diagonal" else products(differences)
    sign = np.where(far, 1.0, -1.0)
    signed = -sign[:, None] * values
    upper, limit = np.column_stack([signed, np.ones(len(values))]), -sign
    if kind == "dominant":
        size = np.zeros((len(values), values.shape[1] - n_features))
        upper = np.column_stack([signed, size, np.ones(len(values))])
        rows = dominance(n_features)
        upper = np.vstack([upper, np.column_stack([rows, np.zeros(len(rows))])])
        limit = np.concatenate([limit, np.zeros(len(rows))])
    n_free = upper.shape[1] - 1
    bounds = [(0.0 if kind == "diagonal" else None, None)] * n_free + [(None, 1.0)]
    objective = np.zeros(n_free + 1)
    objective[-1] = -1.0
    found = linprog(objective, A_ub=upper, b_ub=limit, bounds=bounds, method="highs")
    assert found.x is not None, found.message  # A = 0 is allowed, and the margin is at most 1
    return float(found.x[-1])


def dominance(n_features: int) -> np.ndarray:
    """Rows that are ≤ 0 if |A_ml| ≤ s_ml and the sum of s_ml over l is at most A_mm; columns A, then s."""
    left, right = np.triu_indices(n_features, k=1)
    n_off = len(left)
    sizes = np.vstack([np.hstack([side * np.eye(n_off), -np.eye(n_off)]) for side in (1.0, -1.0)])
    touches = (np.arange(n_features)[:, None] == left) | (np.arange(n_features)[:, None] == right)
    sums = np.hstack([-np.eye(n_features), np.zeros((n_features, n_off)), touches.astype(float)])
    return np.vstack([np.hstack([np.zeros((2 * n_off, n_features)), sizes]), sums])


def is_shattered(differences: np.ndarray, kind: str) -> bool:
    """Whether every way of calling them near and far has a margin."""
    ways = product([False, True], repeat=len(differences))
    return all(largest_margin(differences, np.array(far), kind) > NO_MARGIN for far in ways)


def largest_shattered(n_features: int, kind: str, rng: np.random.Generator, *, n_draws: int = 3) -> int:
    """The largest number of random differences of length 1 that are shattered in one of the draws.

    Differences of length 1 all have zᵀ A z = 1 for the identity: near it, all signs can be had that any A
    has. One number more is tried than is ever shattered, so the answer is a maximum for these draws.
    """
    size = 0
    while any(is_shattered(unit_vectors(size + 1, n_features, rng), kind) for _ in range(n_draws)):
        size += 1
    return size


def unit_vectors(n_vectors: int, n_features: int, rng: np.random.Generator) -> np.ndarray:
    """Random directions."""
    drawn = rng.standard_normal((n_vectors, n_features))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))
