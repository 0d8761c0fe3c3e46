"""Scores for model selection where only some labels are known.

Partial labels have −1 where a label is unknown. scikit-learn's own scorers take −1 for one more class, and so
reward a model that puts all unlabelled rows into one group.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from sameornot._validation import check_labels


def known_rows_scorer(
    metric: Callable[[Any, Any], float] = adjusted_rand_score, *, greater_is_better: bool = True
) -> "KnownRowsScorer":
    """A scorer for `GridSearchCV` and `cross_val_score` that looks at the rows with a known label only.

    Parameters
    ----------
    metric : callable
        ``metric(known, predicted)``: a score of scikit-learn such as `adjusted_rand_score` or
        `normalized_mutual_info_score`.
    greater_is_better : bool
        False for a metric that is an error: the score is then its negative.

    Returns
    -------
    KnownRowsScorer
        ``scorer(estimator, X, y)``. A fold without any known label is refused: shuffle the rows, as
        ``cv=KFold(shuffle=True)`` does, or make fewer folds.

    Notes
    -----
    Groups are numbered by the fit, so the metric has to be one that compares groupings, not numbers: accuracy
    does not serve. Pairs of rows (`must_link`, `cannot_link`) cannot be divided into folds; partial labels
    can.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV, KFold
    >>> from sameornot import ConstrainedSpectral, known_rows_scorer
    >>> from sameornot.datasets import make_moons
    >>> X, y = make_moons(random_state=0)
    >>> partial = np.where(np.arange(len(y)) < 150, y, -1)
    >>> search = GridSearchCV(
    ...     ConstrainedSpectral(n_clusters=2, random_state=0),
    ...     {"kernel": [None, "additive"]},
    ...     scoring=known_rows_scorer(),
    ...     cv=KFold(3, shuffle=True, random_state=0),
    ... ).fit(X, partial)
    >>> search.best_params_
    {'kernel': 'additive'}
    """
    return KnownRowsScorer(metric, greater_is_better)


class KnownRowsScorer:
    """What `known_rows_scorer` returns."""

    def __init__(self, metric: Callable[[Any, Any], float], greater_is_better: bool = True) -> None:
        if not callable(metric):
            raise ValueError(f"metric={metric!r} but a function of known and predicted labels is needed")
        self.metric = metric
        self.greater_is_better = greater_is_better

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """The score of the groups that are predicted for the rows with a known label."""
        found = np.asarray(estimator.predict(X))
        labels = check_labels(y, len(found))
        known = np.array([label != -1 for label in labels])
        if not known.any():
            raise ValueError(
                f"y has no known label among {len(labels)} rows: shuffle the rows (KFold(shuffle=True)) or "
                "make fewer folds"
            )
        score = float(self.metric(labels[known].astype(str), found[known]))
        return score if self.greater_is_better else -score

    def __repr__(self) -> str:
        name = getattr(self.metric, "__name__", repr(self.metric))
        tail = "" if self.greater_is_better else ", greater_is_better=False"
        return f"known_rows_scorer({name}{tail})"
