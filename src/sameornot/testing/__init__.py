"""The contracts of clusterers, strategies and stores, as checks for implementations of your own.

Like scikit-learn's `estimator_checks`: plain functions that raise an AssertionError, without pytest.
``check_…`` tries a whole contract, ``…_checks`` gives the single checks, for parametrised tests:

    @pytest.mark.parametrize("check", clusterer_checks(MyClusterer()), ids=str)
    def test_my_clusterer(check):
        check()
"""

from collections.abc import Callable
from typing import Any

from sameornot.store import Store
from sameornot.testing._check import Check, run_all
from sameornot.testing.clusterers import clusterer_checks
from sameornot.testing.stores import store_checks
from sameornot.testing.strategies import strategy_checks

__all__ = [
    "Check",
    "check_clusterer",
    "check_store",
    "check_strategy",
    "clusterer_checks",
    "store_checks",
    "strategy_checks",
]


def check_clusterer(clusterer: Any) -> list[str]:
    """Try the contract of a clusterer; it is not fitted itself.

    scikit-learn's own contract is a matter of `sklearn.utils.estimator_checks.check_estimator`, and how it
    works in a session one of ``check_strategy("random", clusterer)``.

    Parameters
    ----------
    clusterer : Clusterer

    Returns
    -------
    list of str
        What was checked.

    Examples
    --------
    >>> from sameornot import PCKMeans
    >>> from sameornot.testing import check_clusterer
    >>> len(check_clusterer(PCKMeans())) > 40
    True
    """
    return run_all(clusterer_checks(clusterer))


def check_strategy(strategy: Any, clusterer: Any = None) -> list[str]:
    """Try the contract of a strategy in sessions with a clusterer; by default the one that belongs to it.

    Parameters
    ----------
    strategy : Strategy or str
    clusterer : Clusterer or str, optional

    Returns
    -------
    list of str
        What was checked.

    Examples
    --------
    >>> from sameornot.query import MinMax
    >>> from sameornot.testing import check_strategy
    >>> len(check_strategy(MinMax(), "pckmeans")) > 10
    True
    """
    return run_all(strategy_checks(strategy, clusterer))


def check_store(new_place: Callable[[], Callable[[], Store]]) -> list[str]:
    """Try the contract of a store, in one process.

    Parameters
    ----------
    new_place : callable
        Makes an empty place for events, and returns what opens it: each call of that gives another handle on
        the same place.

    Returns
    -------
    list of str
        What was checked.

    Examples
    --------
    >>> import tempfile
    >>> from sameornot.store import open_store
    >>> from sameornot.testing import check_store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     def new_place():
    ...         path = f"{tempfile.mkdtemp(dir=folder)}/sessions.sqlite"
    ...         return lambda: open_store(path)
    ...     len(check_store(new_place)) > 10
    True
    """
    return run_all(store_checks(new_place))
