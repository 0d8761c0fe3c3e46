"""What the learned metric says about the table: how much each column matters."""

import numpy as np
import pandas as pd

from sameornot.session import SessionResult
from sameornot.table import TableEncoder


def column_shares(encoder: TableEncoder, X: np.ndarray, result: SessionResult) -> pd.Series:
    """Share of each column of the table in the learned distances: a feature counts by weight and variance."""
    carried = result.metric.feature_weights * X.var(axis=0)
    return encoder.column_weights(carried / (carried.sum() or 1.0))
