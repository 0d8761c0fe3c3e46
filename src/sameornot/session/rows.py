"""Where a session takes its rows from: an array in memory, or any source that can encode some of its rows."""

from typing import Any, Protocol

import numpy as np
import pandas as pd

from sameornot._dataframes import as_pandas, is_dataframe
from sameornot._validation import check_table


class RowSource(Protocol):
    """A table whose rows are encoded as numbers when they are needed, for tables that memory cannot hold.

    Examples
    --------
    >>> import numpy as np
    >>> from sameornot import ActiveSession
    >>> class Squares:
    ...     feature_names, available = ["square"], None
    ...     def __len__(self):
    ...         return 1_000
    ...     def take(self, rows):
    ...         return np.asarray(rows, dtype=float)[:, None] ** 2
    >>> session = ActiveSession(Squares(), n_clusters=2, pool=20, random_state=0)
    >>> len(session), len(session.pool)
    (1000, 20)
    """

    @property
    def feature_names(self) -> list[str]:
        """The name of each feature."""

    @property
    def available(self) -> np.ndarray | None:
        """The rows, rising, that can be taken at once; None if all can."""

    def __len__(self) -> int:
        """Number of rows."""

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Some rows as finite numbers, one a line."""


class ArrayRows:
    """The rows of an array or a DataFrame of numbers."""

    available = None

    def __init__(self, X: Any) -> None:
        self._X, self.feature_names = check_table(X)

    def __len__(self) -> int:
        return len(self._X)

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Some rows; all of them without a copy."""
        return self._X if len(rows) == len(self._X) else self._X[rows]


def as_source(X: Any) -> RowSource:
    """A row source as it is, anything else as an array of numbers."""
    # A DataFrame may have a column that is called "available".
    is_source = not is_dataframe(X) and hasattr(X, "take") and hasattr(X, "available")
    return X if is_source else ArrayRows(X)


def check_records(records: Any, n_rows: int) -> pd.DataFrame:
    """What is shown of each row, as a DataFrame of pandas."""
    if not is_dataframe(records):
        raise ValueError(
            f"records is a {type(records).__name__} but a DataFrame with a row a record is needed"
        )
    frame = as_pandas(records)
    if len(frame) != n_rows:
        raise ValueError(
            f"records has {len(frame)} rows but X has {n_rows}: give one record a row of X, in its order"
        )
    return frame
