"""The metrics of MPCKMeans for given clusters, in closed form.

    A = (n + rows) (S + rows I)⁻¹
    S = scatter + weight · sum of ±(z − z')(z − z')ᵀ over violated pairs

There the derivative by A of the objective in `mpckmeans.py` is zero. A violated "same" pair adds half to each
of its clusters; a violated "different" pair adds the farthest pair, less the pair itself.
"""

import numpy as np

from sameornot.cluster._mpckmeans_objective import ClusterSums, Objective, Solution, cluster_sums
from sameornot.metric.learn import Metric


def learn_metrics(objective: Objective, solution: Solution) -> list[Metric]:
    """The metrics that cost least for given labels, means and farthest pairs."""
    scatters = cluster_scatters(objective, solution)
    sizes = np.bincount(solution.labels, minlength=objective.n_clusters)
    if not objective.per_cluster:
        scatters, sizes = scatters.sum(axis=0, keepdims=True), sizes.sum(keepdims=True)
    return [best_metric(*part, objective.prior_rows) for part in zip(scatters, sizes, strict=True)]


def best_metric(scatter: np.ndarray, n_rows: float, prior_rows: float) -> Metric:
    """A = (n + m) (S + m I)⁻¹, for the diagonal or the whole of a scatter S.

    Violated "different" pairs that differ more in some feature than the farthest pair does may make an
    eigenvalue of S negative. It counts as 0, which gives the best metric that the prior rows alone allow.
    """
    if scatter.ndim == 1:
        values, rotation = scatter, None
    else:
        values, rotation = np.linalg.eigh(scatter)
    weights = (n_rows + prior_rows) / (values.clip(0.0) + prior_rows)
    return Metric(np.ones(len(scatter)), weights, rotation)


def cluster_scatters(objective: Objective, solution: Solution) -> np.ndarray:
    """S of each cluster: its scatter, and its half or whole of the violated pairs."""
    sums = cluster_sums(objective, solution.spaces, solution.labels)
    others = sums.of_neighbours(objective.cannot_link)
    residuals = objective.Z - solution.means[solution.labels]
    scatters = []
    for c in range(objective.n_clusters):
        inside = residuals[solution.labels == c]
        violated = _violated_scatter(objective, solution, sums, others, c)
        scatters.append(_gram(objective, inside, inside) + objective.weight * violated)
    return np.array(scatters)


def _violated_scatter(
    objective: Objective, solution: Solution, sums: ClusterSums, others: ClusterSums, cluster: int
) -> np.ndarray:
    """Sum of (z − z')(z − z')ᵀ over pairs, by how often each row and each sum of rows is in it."""
    rows, group = objective.Z[objective.constrained], objective.group
    is_inside = solution.labels[objective.constrained] == cluster
    n_same = sums.count[group, cluster]
    separated = np.where(is_inside, objective.graph.size[group] - n_same, n_same) / 2
    joined = np.where(is_inside, others.count[group, cluster], 0.0)
    inside = sums.total[:, cluster]
    outside = sums.total.sum(axis=1) - inside
    n_joined = float(sums.count[:, cluster] @ others.count[:, cluster]) / 2
    far = solution.spaces.farthest[objective.metric_of[cluster]][None]
    scatter = (
        _gram(objective, rows * (separated - joined)[:, None], rows)
        - _gram(objective, inside, outside)
        + _gram(objective, inside, others.total[:, cluster])
        + n_joined * _gram(objective, far, far)
    )
    return np.asarray((scatter + scatter.T) / 2)


def _gram(objective: Objective, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The sum of left rightᵀ over rows, or its diagonal for a diagonal metric."""
    return np.asarray(left.T @ right if objective.full else (left * right).sum(axis=0))
