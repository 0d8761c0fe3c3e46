"""What placing a row is worth: the expected fall of the number of wrong rows, per expected question.

    worth_i = Σ_j u_j (s_ij − r_j)⁺ / u_i · gain_i,      u_j = 1 − max_m b_jm

b_jm is the probability that row j is of group m, so u_j is the chance that its label is wrong (expected
error reduction: Roy and McCallum 2001). s_ij is the similarity of two rows and r_j that of j to the nearest
row that is placed: once i is placed, rows like it are right too, unless they are like a placed one already
(facility location: Nemhauser et al. 1978). gain_i is the fall of the error of row i, per question.

Row i is asked against its groups, likeliest first. If the number of groups is given, the questions go on
until "same", or until the row is provisionally a group of its own; then it is right,

    gain_i = u_i / E[questions]

so that the cost is that of NPU (Xiong et al. 2014). If the number is not given, a row that differs from some
groups may still be of another known one, or not: the questions may end after any number t of groups,

    gain_i = max_t (Σ_k≤t b_(k) + max(b_(t+1), new) − max_m b_im) / E[questions up to t]

b_(k) is the k-th largest probability of a known group, and `new` the largest of a group that is not known.
"""

import numpy as np

from sameornot.query.base import View

# Rows whose weighted similarities are summed at a time: they stay in the processor's cache.
BLOCK = 256


def expected_gain(view: View, candidates: np.ndarray, new_threshold: float) -> np.ndarray:
    """What placing each candidate is worth, in rows per question.

    From a probability of `new_threshold` on, a row is provisionally a group of its own.
    """
    proba: np.ndarray = view.clustering.posterior.proba
    wrong = 1.0 - proba.max(axis=1)
    taken = view.placed.copy()
    taken[list(view.pending_points)] = True
    wrong[taken] = 0.0
    kernel: np.ndarray = view.clustering.geometry.kernel
    mass = representativeness(kernel, np.flatnonzero(taken), wrong)[candidates]
    return np.asarray(mass * relative_gain(view, proba[candidates], new_threshold))


def relative_gain(view: View, proba: np.ndarray, new_threshold: float) -> np.ndarray:
    """The share of the error of each row (n × L) that is expected to fall per question."""
    n_known = len(view.neighbourhoods)
    if view.n_clusters is None:
        return gain_of_any_sweep(proba, n_known) / np.maximum(1.0 - proba.max(axis=1), 1e-9)
    return 1.0 / sweep_cost(proba, n_known, new_threshold, last_follows=n_known == view.n_clusters)


def gain_and_cost(view: View, point: int, new_threshold: float) -> tuple[float, float]:
    """What placing one row is worth in rows, and the expected number of questions that it takes."""
    n_known, proba = len(view.neighbourhoods), view.clustering.posterior.proba[[point]]
    worth = float(expected_gain(view, np.array([point]), new_threshold)[0])
    if view.n_clusters is None:
        fall, questions = sweeps(proba, n_known)
        cost = float(questions[0, (fall / questions)[0].argmax()])
    else:
        last_follows = n_known == view.n_clusters
        cost = float(sweep_cost(proba, n_known, new_threshold, last_follows=last_follows)[0])
    return worth * cost, cost


def representativeness(kernel: np.ndarray, taken: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Σ_j w_j (s_ij − r_j)⁺ of each row i: the weight of the rows like it that no taken row is like."""
    represented = kernel[:, taken].max(axis=1, initial=0.0)
    total = np.zeros(len(kernel))
    for start in range(0, len(kernel), BLOCK):
        block = slice(start, start + BLOCK)
        total += weight[block] @ np.maximum(kernel[block] - represented[block, None], 0.0)
    return total


def sweep_cost(proba: np.ndarray, n_known: int, new_threshold: float, *, last_follows: bool) -> np.ndarray:
    """Expected questions to place each row: likeliest known group first, until the row is likely a new one.

    `last_follows`: a row that differs from all known groups but one is of that one.
    """
    likeliest = -np.sort(-proba[:, :n_known], axis=1)
    before = likeliest.cumsum(axis=1) - likeliest
    is_new = np.maximum(1.0 - likeliest.sum(axis=1, keepdims=True), 0.0)
    goes_on = (is_new < new_threshold * (1.0 - before)) & (1.0 - before - is_new > 1e-9)
    if last_follows:
        goes_on[:, -1] = False
    goes_on[:, 0] = True
    return np.asarray(((1.0 - before) * goes_on).sum(axis=1))


def gain_of_any_sweep(proba: np.ndarray, n_known: int) -> np.ndarray:
    """The largest fall of the error of each row per expected question, over the number of groups asked."""
    fall, cost = sweeps(proba, n_known)
    return np.asarray((fall / cost).max(axis=1))


def sweeps(proba: np.ndarray, n_known: int) -> tuple[np.ndarray, np.ndarray]:
    """The fall of the error of each row, and the expected questions, by the number of groups asked."""
    likeliest = -np.sort(-proba[:, :n_known], axis=1)
    found = likeliest.cumsum(axis=1)
    cost = (1.0 - found + likeliest).cumsum(axis=1)
    following = np.pad(likeliest[:, 1:], ((0, 0), (0, 1)))
    new = proba[:, n_known:].max(axis=1, initial=0.0)[:, None]
    return found + np.maximum(following, new) - np.maximum(likeliest[:, :1], new), cost
