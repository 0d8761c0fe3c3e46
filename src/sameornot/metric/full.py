"""The subspace in which clusters separate best: eigenvectors of the full metric (§4, general case).

    maximise over A ⪰ 0   sum over different pairs of w sqrt(dᵀ A d)    s.t.  tr(A C) ≤ 1

C is the scatter of the similar pairs. In the coordinates z = C^(−½) d the budget is tr(B) ≤ 1, and only the
span of the z matters, so the problem is never larger than the number of placed points. Projected gradient
ascent: a step along the gradient, eigenvalues projected on the simplex.
"""

import numpy as np

from sameornot.metric.diagonal import SMOOTHING


def subspace(
    differences: np.ndarray, pair_weight: np.ndarray, scatter: np.ndarray, *, complete: bool = False
) -> np.ndarray:
    """Orthonormal eigenvectors (P) of the best full metric, strongest first.

    Those that it gives no weight to are left out, unless P is to be `complete`.
    """
    values, vectors = np.linalg.eigh(scatter)
    whiten = vectors / np.sqrt(values) @ vectors.T
    z = differences @ whiten
    basis = _span(z)
    inner, _ = best_psd(z @ basis, pair_weight)
    half = whiten @ basis @ _root(inner)
    left, strength, _ = np.linalg.svd(half, full_matrices=complete)
    return left if complete else left[:, strength > 1e-6 * strength[0]]


def best_psd(
    z: np.ndarray, pair_weight: np.ndarray, *, tol: float = 1e-3, max_iter: int = 100
) -> tuple[np.ndarray, float]:
    """Maximise sum w sqrt(zᵀ B z) over B ⪰ 0, tr(B) = 1; returns B and its relative duality gap."""
    n_axes = z.shape[1]
    matrix = np.eye(n_axes) / n_axes
    value, gradient = _value_and_gradient(matrix, z, pair_weight)
    step = 1.0 / np.linalg.norm(gradient)
    gap = np.inf
    for _ in range(max_iter):
        gap = (np.linalg.eigvalsh(gradient)[-1] - np.sum(gradient * matrix)) / value
        if gap < tol:
            break
        while step > SMOOTHING:
            trial = _project_spectrahedron(matrix + step * gradient)
            trial_value, trial_gradient = _value_and_gradient(trial, z, pair_weight)
            if trial_value > value:
                break
            step /= 2
        else:
            break
        matrix, value, gradient = trial, trial_value, trial_gradient
        step *= 2
    return matrix, float(gap)


def _value_and_gradient(
    matrix: np.ndarray, z: np.ndarray, pair_weight: np.ndarray
) -> tuple[float, np.ndarray]:
    distance = np.sqrt(np.einsum("ek,ek->e", z @ matrix, z).clip(0.0) + SMOOTHING)
    return float(pair_weight @ distance), 0.5 * (z.T * (pair_weight / distance)) @ z


def _project_spectrahedron(matrix: np.ndarray) -> np.ndarray:
    """The nearest positive semi-definite matrix of trace 1."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    descending = values[::-1]
    excess = (np.cumsum(descending) - 1.0) / np.arange(1, len(values) + 1)
    shift = excess[np.flatnonzero(descending > excess)[-1]]
    return (vectors * np.maximum(values - shift, 0.0)) @ vectors.T


def _root(matrix: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(matrix)
    return vectors * np.sqrt(values.clip(0.0))


def _span(z: np.ndarray) -> np.ndarray:
    """Orthonormal basis of the rows of z."""
    values, vectors = np.linalg.eigh(z.T @ z)
    return vectors[:, values > 1e-10 * values[-1]]
