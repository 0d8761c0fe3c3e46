"""What the learned metric says about the table: how much each column matters, and a map of the rows."""

from dataclasses import replace

import numpy as np
import pandas as pd

from sameornot.plots import LearnedMap, learned_map
from sameornot.session import SessionResult
from sameornot.table import TableEncoder


def column_shares(encoder: TableEncoder, X: np.ndarray, result: SessionResult) -> pd.Series:
    """Share of each column of the table in the learned distances: a feature counts by weight and variance."""
    carried = result.metric.feature_weights * X.var(axis=0)
    return encoder.column_weights(carried / (carried.sum() or 1.0))


def pool_map(X: np.ndarray, pool: np.ndarray, result: SessionResult) -> LearnedMap:
    """The rows of the pool in the plane that keeps most of their learned distances."""
    places = [np.searchsorted(pool, members) for members in result.neighbourhoods]
    return learned_map(X, replace(result, neighbourhoods=places))
