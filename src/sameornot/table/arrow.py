"""Parquet files as pandas tables; what pandas cannot represent is converted, or refused in one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sameornot.table.errors import TableError, listed
from sameornot.table.names import unique_names

_FLOATS = {"float", "double"}  # names of Arrow types


@contextmanager
def open_parquet(path: Path) -> Iterator[Any]:
    """A Parquet file, open for reading; damage that is found on the way is explained."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise TableError(f"{path.name} is a Parquet file: install pyarrow, or save it as CSV") from None
    try:
        with pq.ParquetFile(path) as file:
            yield file
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the system, not of the format
            raise
        raise TableError(f"{path.name} is no Parquet file, or a damaged one: write it again") from None


def to_frame(table: Any) -> pd.DataFrame:
    """Convert from Arrow; names are made unique first, since pyarrow mixes up columns of one name."""
    named = table.rename_columns(unique_names(table.column_names))
    kinds = {str(kind) for kind in named.schema.types}
    if len(kinds) == 1 and kinds <= _FLOATS and not any(column.null_count for column in named.columns):
        # One array for a numeric table takes a tenth of the time that pandas needs to join columns.
        cells = np.stack([column.to_numpy() for column in named.columns])
        return pd.DataFrame(cells.T, columns=named.column_names, copy=False)
    try:
        frame: pd.DataFrame = named.to_pandas(ignore_metadata=True)
    except (ValueError, OverflowError):  # some column holds what Python's dates and times cannot
        columns = zip(named.column_names, named.columns, strict=True)
        frame = pd.DataFrame({name: _column(name, cells) for name, cells in columns})
    return frame


def _column(name: str, cells: Any) -> pd.Series:
    """One column as pandas holds it, or the next best: whole seconds, or UTC for an unknown time zone."""
    import pyarrow as pa

    kind = cells.type
    attempts = [kind]
    if pa.types.is_date(kind):
        attempts.append(pa.timestamp("s"))
    elif pa.types.is_timestamp(kind):
        attempts.append(pa.timestamp(kind.unit))
    elif pa.types.is_time64(kind):
        attempts.append(pa.time64("us"))
    for attempt in attempts:
        try:
            return pd.Series(cells.cast(attempt, safe=False).to_pandas())
        except (ValueError, OverflowError):
            continue
    raise TableError(
        f"column {listed([name])} holds values ({kind}) that cannot be read: leave it out or write it as text"
    )
