"""The one place where arrays, tables and numbers from outside are checked."""

from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from sameornot._dataframes import as_array, column_names, is_dataframe

# Sums of squares of larger numbers overflow.
LARGEST = 1e100
# Cells of a sparse matrix up to which it is made dense: 400 MB.
MAX_SPARSE_CELLS = 50_000_000


def check_table(X: Any) -> tuple[np.ndarray, list[str]]:
    """A finite float matrix and its column names from an array or a DataFrame."""
    names = column_names(X) if is_dataframe(X) else None
    values = _as_numbers(_dense(X), names)
    if values.ndim != 2:
        raise ValueError(f"X has {values.ndim} dimension(s) but a table of rows and columns is needed")
    if 0 in values.shape:
        raise ValueError(
            f"X has {values.shape[0]} rows and {values.shape[1]} columns but needs at least one of each"
        )
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(
            f"X holds {values[row, column]} in row {row}, column {column}: fill or drop it first"
        )
    check_size(values)
    return values, names or [f"x{m}" for m in range(values.shape[1])]


def check_size(X: np.ndarray) -> np.ndarray:
    """Refuse numbers that cannot be squared and summed."""
    largest = max(X.max(), -X.min())
    if largest > LARGEST:
        raise ValueError(
            f"X holds numbers up to {largest:.3g} but at most {LARGEST:g} can be compared: "
            "divide its columns by their largest value"
        )
    return X


def check_column_names(X: Any) -> None:
    """Refuse a DataFrame whose columns cannot be told apart by their names."""
    if not isinstance(X, pd.DataFrame):
        return
    if X.columns.has_duplicates:
        repeated = X.columns[X.columns.duplicated()][0]
        raise ValueError(f"X has several columns named {repeated!r}: give each column a name of its own")
    if len(kinds := {type(name).__name__ for name in X.columns}) > 1:
        raise TypeError(
            f"the column names of X are of several types ({', '.join(sorted(kinds))}): make them text, for "
            "example with X.columns = X.columns.astype(str)"
        )


def check_fit_rows(estimator: Any, X: Any) -> np.ndarray:
    """The rows that an estimator is fitted to, and their names on the estimator."""
    from sklearn.utils.validation import validate_data

    check_column_names(X)
    with np.errstate(all="ignore"):  # sums of the largest numbers overflow
        rows = validate_data(estimator, X, dtype=np.float64)
    return check_size(rows)


def _as_numbers(X: Any, names: list[str] | None = None) -> np.ndarray:
    try:
        given = as_array(X) if names is not None else np.asarray(X)
        place = _first_word(given)
        if place is not None and names is not None:
            row, column = place
            raise TypeError(
                f"column {names[column]!r} holds {str(given[row, column])!r}. Encode the table first: "
                "sameornot.table.TableEncoder.fit(X).transform(X), with standardize=False"
            )
        if place is not None or given.dtype.kind not in "biufO":
            raise TypeError(f"it holds {given.dtype if place is None else repr(str(given[place]))}")
        return given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"X must hold numbers only: {error}") from None


def _first_word(cells: np.ndarray) -> tuple[int, ...] | None:
    """Where the first text stands."""
    if cells.dtype.kind not in "OU":
        return None
    words = (at for at, cell in enumerate(cells.flat) if isinstance(cell, str))
    first = next(words, None)
    return None if first is None else tuple(int(i) for i in np.unravel_index(first, cells.shape))


def _dense(X: Any) -> Any:
    """A sparse matrix as an array, if it is not too large as one; anything else as it is."""
    if not sparse.issparse(X):
        return X
    matrix: Any = X
    shape = matrix.shape
    if np.prod(shape, dtype=np.float64) <= MAX_SPARSE_CELLS:
        return matrix.toarray()
    rows, columns = shape
    raise ValueError(
        f"X is sparse and would take {rows * columns * 8 / 1e9:,.1f} GB as an array, which the methods need: "
        "reduce it first, for example with sklearn.decomposition.TruncatedSVD(100).fit_transform(X)"
    )


def check_count(name: str, value: Any, *, at_least: int = 1) -> int:
    """A whole number that is large enough."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise ValueError(f"{name}={value!r} but a whole number is needed")
    if value < at_least:
        raise ValueError(f"{name}={value} but at least {at_least} is needed")
    return int(value)


def check_n_clusters(n_clusters: Any, n_rows: int) -> int:
    """A number of clusters that the rows can fill."""
    n_clusters = check_count("n_clusters", n_clusters)
    if n_clusters > n_rows:
        raise ValueError(f"n_clusters={n_clusters} but only {n_rows} rows were given (n_samples={n_rows})")
    return int(n_clusters)


def check_number(name: str, value: Any, *, at_least: float = 0.0, at_most: float = np.inf) -> float:
    """A finite real number within bounds."""
    if not isinstance(value, Real) or isinstance(value, bool) or not np.isfinite(float(value)):
        raise ValueError(f"{name}={value!r} but a finite number is needed")
    number = float(value)
    if number < at_least:
        raise ValueError(f"{name}={value} but at least {at_least:g} is needed")
    if number > at_most:
        raise ValueError(f"{name}={value} but at most {at_most:g} is allowed")
    return number


def check_flag(name: str, value: Any) -> bool:
    """True or False; a string or a number would silently count as one of them."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r} but True or False is needed")
    return bool(value)


def check_option(name: str, value: Any, options: Any) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name}={value!r} but one of {', '.join(map(repr, sorted(options)))} is needed")
    return value


def check_labels(labels: Any, n_rows: int, *, name: str = "y") -> np.ndarray:
    """One label a row, without gaps."""
    values = np.asarray(labels)
    if values.dtype.kind == "U" and not isinstance(labels, np.ndarray):
        values = np.asarray(labels, dtype=object)  # else -1 beside words would become the word "-1"
    if values.ndim != 1 or len(values) != n_rows:
        raise ValueError(
            f"{name} has shape {values.shape} but X has {n_rows} rows: one label a row is needed"
        )
    if pd.isna(values).any():
        raise ValueError(f"{name} holds a missing label: write -1 where a label is not known")
    return values


def check_pairs(name: str, pairs: Any, n_rows: int) -> np.ndarray:
    """An array of two row numbers a line; None is no pair at all."""
    try:
        values = np.asarray([] if pairs is None else pairs)
    except ValueError:
        raise ValueError(f"{name} is ragged but rows of two row numbers are needed") from None
    if values.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if values.ndim != 2 or values.shape[1] != 2 or values.dtype.kind not in "iu":
        raise ValueError(
            f"{name} has shape {values.shape} and type {values.dtype} but rows of two row numbers are needed"
        )
    wrong = ((values < 0) | (values >= n_rows)).any(axis=1) | (values[:, 0] == values[:, 1])
    if wrong.any():
        pair = tuple(int(v) for v in values[wrong][0])
        raise ValueError(
            f"{name} holds the pair {pair} but two different rows from 0 to {n_rows - 1} are needed"
        )
    return values.astype(np.intp)
