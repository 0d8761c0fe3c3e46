"""The metrics of MPCKMeans for given clusters, in closed form.

    A = (n + rows) (spread + rows I)⁻¹
    spread = scatter + weight · sum of ±(z − z')(z − z')ᵀ over pairs of broken constraints

There the derivative by A of the objective in `_mpckmeans.py` is zero. A "same" pair set apart charges each of
its clusters half; a "different" pair joined charges its cluster for the farthest pair, less the pair itself.
"""

import numpy as np

from sameornot.cluster._mpckmeans_objective import Problem, State, Tally, count_up
from sameornot.metric.learn import Metric


def learn_metrics(problem: Problem, state: State) -> list[Metric]:
    """The metrics that cost least for given labels, means and farthest pairs."""
    spreads = cluster_spreads(problem, state)
    sizes = np.bincount(state.labels, minlength=problem.n_clusters)
    if not problem.per_cluster:
        spreads, sizes = spreads.sum(axis=0, keepdims=True), sizes.sum(keepdims=True)
    return [best_metric(*part, problem.prior_rows) for part in zip(spreads, sizes, strict=True)]


def best_metric(spread: np.ndarray, n_rows: float, prior_rows: float) -> Metric:
    """A = (n + m) (spread + m I)⁻¹, for the diagonal or the whole of a spread.

    Joined pairs that differ more in some feature than the farthest pair does may leave a spread below none:
    it counts as none, which makes A the best of all metrics that the prior rows alone allow.
    """
    if spread.ndim == 1:
        width, rotation = spread, None
    else:
        width, rotation = np.linalg.eigh(spread)
    weights = (n_rows + prior_rows) / (width.clip(0.0) + prior_rows)
    return Metric(np.ones(len(spread)), weights, rotation)


def cluster_spreads(problem: Problem, state: State) -> np.ndarray:
    """What each cluster charges its metric for: its scatter and its half or whole of the broken pairs."""
    tally = count_up(problem, state.view, state.labels)
    others = tally.beside(problem.apart)
    residuals = problem.Z - state.means[state.labels]
    spreads = []
    for c in range(problem.n_clusters):
        inside = residuals[state.labels == c]
        broken = _broken_spread(problem, state, tally, others, c)
        spreads.append(_gram(problem, inside, inside) + problem.weight * broken)
    return np.array(spreads)


def _broken_spread(problem: Problem, state: State, tally: Tally, others: Tally, cluster: int) -> np.ndarray:
    """Sum of (z − z')(z − z')ᵀ over pairs, by how often each row and each sum of rows is in it."""
    rows, group = problem.Z[problem.bound], problem.group
    is_inside = state.labels[problem.bound] == cluster
    mates = tally.count[group, cluster]
    set_apart = np.where(is_inside, problem.bindings.size[group] - mates, mates) / 2
    joined = np.where(is_inside, others.count[group, cluster], 0.0)
    inside = tally.total[:, cluster]
    outside = tally.total.sum(axis=1) - inside
    n_joined = float(tally.count[:, cluster] @ others.count[:, cluster]) / 2
    far = state.view.farthest[problem.metric_of[cluster]][None]
    spread = (
        _gram(problem, rows * (set_apart - joined)[:, None], rows)
        - _gram(problem, inside, outside)
        + _gram(problem, inside, others.total[:, cluster])
        + n_joined * _gram(problem, far, far)
    )
    return np.asarray((spread + spread.T) / 2)


def _gram(problem: Problem, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The sum of left rightᵀ over rows, or its diagonal where the metric has no more."""
    return np.asarray(left.T @ right if problem.full else (left * right).sum(axis=0))
