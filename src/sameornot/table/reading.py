"""Files to DataFrames, by suffix: CSV, TSV, Parquet, Excel. Whole, or in blocks that bound the memory."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sameornot._validation import check_count
from sameornot.table.delimited import (
    count_delimited,
    read_delimited,
    read_delimited_blocks,
    read_delimited_rows,
)
from sameornot.table.names import plain, unique_names
from sameornot.table.problem import TableProblem

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_PARQUET = {".parquet", ".pq"}
_BATCH = 50_000
_PLAIN = {"float", "double"}  # as Arrow calls them
_EXCEL = {".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"}
# A text file of more bytes, compressed or not, and a Parquet file of more cells are not read whole.
_LARGE_TEXT, _LARGE_GZIP = 100_000_000, 20_000_000
_LARGE_CELLS = 20_000_000
_KNOWN = "CSV (.csv), TSV (.tsv, .txt), Parquet (.parquet) or Excel (.xlsx)"


def read_table(source: Path | pd.DataFrame) -> pd.DataFrame:
    """A table from a file, or a DataFrame with its column names made unique texts.

    What a person should know about how the file was read is in `attrs["notices"]` of the result.
    """
    if isinstance(source, pd.DataFrame):
        return _with_rows(plain(source), "the table")
    path = Path(source)
    suffix = _suffix(path)
    with _readable(path):
        if suffix in _SEPARATORS:
            return read_delimited(path, _SEPARATORS[suffix])
        frame = _read_parquet(path) if suffix in _PARQUET else _read_excel(path)
    return _with_rows(frame, path.name)


def read_blocks(path: Path, n_rows: int = 50_000) -> Iterator[pd.DataFrame]:
    """The table of a file in blocks of rows, with the columns that `read_table` gives.

    An Excel file is read whole first, since its format allows nothing else. The blocks of a text file hold
    text only; `TableEncoder.transform` reads them as it reads the whole. Their index goes on counting rows.
    """
    path, start = Path(path), 0
    with _readable(path):
        for block in _blocks(path, check_count("n_rows", n_rows)):
            block.index = pd.RangeIndex(start, start + len(block))
            start += len(block)
            yield block


def is_large(path: Path) -> bool:
    """Whether a file is not to be read whole. Excel files are never: they hold a million rows at most."""
    suffix = _suffix(path)
    if suffix in _SEPARATORS:
        return path.stat().st_size > (_LARGE_GZIP if path.suffix.lower() == ".gz" else _LARGE_TEXT)
    if suffix not in _PARQUET:
        return False
    with _readable(path), _parquet_file(path) as file:
        return bool(file.metadata.num_rows * file.metadata.num_columns > _LARGE_CELLS)


def count_rows(path: Path) -> int:
    """How many rows a file has, without holding them."""
    suffix = _suffix(path)
    with _readable(path):
        if suffix in _SEPARATORS:
            return count_delimited(path, _SEPARATORS[suffix])
        if suffix in _PARQUET:
            with _parquet_file(path) as file:
                return int(file.metadata.num_rows)
    return len(read_table(path))


def read_rows(path: Path, rows: np.ndarray) -> pd.DataFrame:
    """Some rows of a file, in rising order and counted from 0, each column as `read_table` would read it."""
    suffix = _suffix(path)
    with _readable(path):
        if suffix in _SEPARATORS:
            return read_delimited_rows(path, _SEPARATORS[suffix], rows)
        if suffix in _PARQUET:
            return _parquet_rows(path, rows)
    return read_table(path).iloc[rows].reset_index(drop=True)


def _blocks(path: Path, n_rows: int) -> Iterator[pd.DataFrame]:
    suffix = _suffix(path)
    if suffix in _SEPARATORS:
        yield from read_delimited_blocks(path, _SEPARATORS[suffix], n_rows)
    elif suffix in _PARQUET:
        yield from _parquet_blocks(path, n_rows)
    else:
        frame = read_table(path)
        yield from (frame.iloc[start : start + n_rows].copy() for start in range(0, len(frame), n_rows))


def _suffix(path: Path) -> str:
    """The suffix that says what the file is, once it is known that there is one."""
    if path.is_dir():
        raise TableProblem(f"{path.name} is a folder: give the table file that is in it")
    if not path.exists():
        raise TableProblem(f"there is no file {path}: check the name and the folder")
    suffix = path.suffix.lower()
    if suffix == ".gz" and path.with_suffix("").suffix.lower() in _SEPARATORS:
        return path.with_suffix("").suffix.lower()
    if suffix not in {*_SEPARATORS, *_PARQUET, *_EXCEL}:
        raise TableProblem(f"{path.name} is of no known type: save the table as {_KNOWN}")
    return suffix


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise TableProblem(f"{path.name} is a damaged gzip file: copy or compress it again") from None
    except OSError as error:
        raise TableProblem(f"{path.name} cannot be read: {error.strerror or error}") from None


def _with_rows(frame: pd.DataFrame, what: str) -> pd.DataFrame:
    if frame.shape[1] == 0:
        raise TableProblem(f"{what} has no columns: a line of column names and rows below it are needed")
    if len(frame) == 0:
        raise TableProblem(f"{what} has column names but no rows: add some")
    return frame


def _parquet_file(path: Path) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise TableProblem(f"{path.name} is a Parquet file: install pyarrow, or save it as CSV") from None
    try:
        return pq.ParquetFile(path)
    except pa.ArrowException:
        raise TableProblem(f"{path.name} is no Parquet file, or a damaged one: write it again") from None


def _read_parquet(path: Path) -> pd.DataFrame:
    with _parquet_file(path) as file:
        return _to_frame(file.read())


def _parquet_blocks(path: Path, n_rows: int) -> Iterator[pd.DataFrame]:
    import pyarrow as pa

    with _parquet_file(path) as file:
        if file.metadata.num_rows == 0:
            _with_rows(_to_frame(file.read()), path.name)
        for batch in file.iter_batches(batch_size=n_rows):
            yield _to_frame(pa.Table.from_batches([batch]))


def _parquet_rows(path: Path, rows: np.ndarray) -> pd.DataFrame:
    import pyarrow as pa

    taken, start = [], 0
    with _parquet_file(path) as file:
        for batch in file.iter_batches(batch_size=_BATCH):
            end = start + len(batch)
            here = rows[np.searchsorted(rows, start) : np.searchsorted(rows, end)] - start
            taken.append(pa.Table.from_batches([batch]).take(pa.array(here)))
            start = end
    return _to_frame(pa.concat_tables(taken))


def _to_frame(table: Any) -> pd.DataFrame:
    """Names first: of two columns with one name, pyarrow gives both the type of either."""
    named = table.rename_columns(unique_names(table.column_names))
    kinds = {str(kind) for kind in named.schema.types}
    if len(kinds) == 1 and kinds <= _PLAIN and not any(column.null_count for column in named.columns):
        # Numbers alone are one array: a tenth of the time that pandas takes to put columns together.
        cells = np.stack([column.to_numpy() for column in named.columns])
        return pd.DataFrame(cells.T, columns=named.column_names, copy=False)
    frame: pd.DataFrame = named.to_pandas(ignore_metadata=True)
    return frame


def _read_excel(path: Path) -> pd.DataFrame:
    try:
        from python_calamine import CalamineError
    except ImportError:
        raise TableProblem(
            f"{path.name} is an Excel file: install python-calamine, or save it as CSV"
        ) from None
    try:
        with pd.ExcelFile(path, engine="calamine") as book:
            head = pd.read_excel(book, header=None, nrows=1)
            if len(head) == 0:
                raise TableProblem(f"the first sheet of {path.name} is empty: put the table there")
            return pd.read_excel(book, header=0, names=unique_names(head.iloc[0]))
    except CalamineError:
        raise TableProblem(
            f"{path.name} is no Excel file, or a damaged or locked one: save it again"
        ) from None
