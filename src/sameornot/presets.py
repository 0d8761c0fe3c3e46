"""The paper's Algorithm 1 in one line: ``ActiveSession(X, n_clusters, **as_printed())``.

Both presets are options of `ActiveSession` and of `simulate`. The parameters that they set are those of the
strategy and the clusterer, whose `as_printed` and `as_released` list them.
"""

from typing import Any

from sameornot._validation import check_option
from sameornot.cluster.augmented import AugmentedClustering
from sameornot.query import NPU, MinimumExpectedEntropy, Strategy


def as_printed(*, full: bool = False, **changes: Any) -> dict[str, Any]:
    """The paper's method as it is printed: AQM, MEE and Algorithm 1 without any deviation of ours.

    Parameters
    ----------
    full : bool
        Learn a general A, not a diagonal one.
    **changes
        Parameters of `AugmentedClustering`: the simulations fix ``separation=0.5`` (λ).

    Returns
    -------
    dict
        `strategy`, `clusterer`, `infer_last` and `standardize` of a session.

    References
    ----------
    Deng, Y., Yuan, Y., Fu, H., and Qu, A. (2023). Query-augmented active metric learning. *Journal of
    the American Statistical Association*, 118(543), 1862–1875.

    Examples
    --------
    >>> from sameornot import as_printed, simulate
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
    >>> curve = simulate(X, y, 3, budget=20, checkpoints=[20], random_state=0, **as_printed())
    >>> bool(curve.ari.iloc[-1] > 0.9)
    True
    """
    return {
        "strategy": MinimumExpectedEntropy.as_printed(),
        "clusterer": AugmentedClustering.as_printed(full=full, **changes),
        "infer_last": False,
        "standardize": False,
    }


def as_released(*, q: int, strategy: str = "mee", **changes: Any) -> dict[str, Any]:
    """The paper's method as its authors' released code runs it.

    Parameters
    ----------
    q : int
        Number of penalised features: p2 / 2 in the simulations, 10 on the real data.
    strategy : {"mee", "npu"}
        How questions are chosen.
    **changes
        Parameters of `AugmentedClustering`: the sphere was run with ``pair_weight=200``.

    Returns
    -------
    dict
        `strategy`, `clusterer`, `infer_last` and `standardize` of a session.

    References
    ----------
    Deng, Y., Yuan, Y., Fu, H., and Qu, A. (2023). Query-augmented active metric learning. *Journal of
    the American Statistical Association*, 118(543), 1862–1875.

    Examples
    --------
    >>> from sameornot import as_released
    >>> method = as_released(q=3)
    >>> sorted(method)
    ['clusterer', 'infer_last', 'standardize', 'strategy']
    >>> method["clusterer"].metric
    'released'
    """
    strategies: dict[str, Strategy] = {"mee": MinimumExpectedEntropy.as_released(), "npu": NPU.as_released()}
    return {
        "strategy": strategies[check_option("strategy", strategy, strategies)],
        "clusterer": AugmentedClustering.as_released(q=q, **changes),
        "infer_last": False,
        "standardize": True,
    }
