"""What the authors' released code minimises, pair by pair, for rows that are all placed."""

from itertools import combinations

import numpy as np
from scipy.optimize import minimize


def released_metric(X, truth, n_groups, *, penalised=(), gamma=0.0, pair_weight=1000.0):
    """A for the rows X, of unit Frobenius norm for rows that are divided by their standard deviation.

    Minimise (v (mean_S d² + mean_S~ w d²) + scatter)·a + γ sum of the penalised a, subject to
    mean_D sum |d_m| sqrt(a_m) + mean_D~ sum |d_m| sqrt(w a_m) ≥ 1. All rows are placed, so memberships are
    one-hot, S~ = S, D~ = D and w = 1.
    """
    deviation = X.std(axis=0)
    rows = X / deviation
    pairs = list(combinations(range(len(X)), 2))
    near = np.array([rows[i] - rows[j] for i, j in pairs if truth[i] == truth[j]])
    far = np.array([rows[i] - rows[j] for i, j in pairs if truth[i] != truth[j]])
    scatter = sum(
        ((rows[truth == k] - rows[truth == k].mean(axis=0)) ** 2).sum(axis=0) for k in range(n_groups)
    )
    cost = 2 * pair_weight * (near**2).mean(axis=0) + scatter
    cost[list(penalised)] += gamma
    gain = 2 * np.abs(far).mean(axis=0)
    size = cost.mean()
    found = minimize(
        lambda root: (cost / size) @ root**2,
        np.full(X.shape[1], 1 / gain.sum()),
        jac=lambda root: 2 * cost / size * root,
        bounds=[(0, None)] * X.shape[1],
        constraints={"type": "ineq", "fun": lambda root: gain @ root - 1, "jac": lambda root: gain},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    a = found.x**2
    return np.diag(a / np.linalg.norm(a) / deviation**2)
