"""DataFrames of any library (pandas, polars, pyarrow, …), by narwhals, which is imported for them only."""

import sys
from typing import Any

import numpy as np
import pandas as pd


def is_dataframe(X: Any) -> bool:
    """Whether it is a DataFrame or a table of a library that narwhals reads.

    Examples
    --------
    >>> is_dataframe(pd.DataFrame({"a": [1]})), is_dataframe(np.ones((1, 1)))
    (True, False)
    """
    if isinstance(X, pd.DataFrame):
        return True
    # An object of a library that was never imported cannot be here: narwhals need not be, either.
    if not hasattr(X, "columns") or not {"polars", "pyarrow", "modin", "cudf"} & sys.modules.keys():
        return False
    import narwhals.stable.v2 as nw

    return isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)


def as_pandas(X: Any) -> pd.DataFrame:
    """The same columns as a pandas DataFrame; one of pandas as it is."""
    if isinstance(X, pd.DataFrame):
        return X
    frame = as_narwhals(X)
    try:
        found: pd.DataFrame = frame.to_pandas()
    except ModuleNotFoundError:  # polars itself needs pyarrow for it
        return pd.DataFrame({column.name: column.to_list() for column in frame.iter_columns()})
    return found


def column_names(X: Any) -> list[str]:
    """The names of the columns of a DataFrame as text."""
    names = X.columns if isinstance(X, pd.DataFrame) else as_narwhals(X).columns
    return [str(name) for name in names]


def as_array(X: Any) -> np.ndarray:
    """The cells of a DataFrame as one array."""
    if isinstance(X, pd.DataFrame):
        return np.asarray(X)
    return np.asarray(as_narwhals(X).to_numpy())


def as_narwhals(X: Any) -> Any:
    """A DataFrame of any library as one of narwhals."""
    import narwhals.stable.v2 as nw

    return nw.from_native(X, eager_only=True)
