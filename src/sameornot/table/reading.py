"""Read CSV, TSV, Parquet and Excel files, chosen by suffix: whole, in blocks, or selected rows."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sameornot._validation import check_count
from sameornot.table.arrow import open_parquet, to_frame
from sameornot.table.delimited import (
    count_delimited,
    read_delimited,
    read_delimited_blocks,
    read_delimited_rows,
)
from sameornot.table.errors import TableError
from sameornot.table.limits import BLOCK_ROWS, SampleLimits
from sameornot.table.names import unique_names, with_unique_names

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_PARQUET = {".parquet", ".pq"}
_EXCEL = {".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"}
_KNOWN = "CSV (.csv), TSV (.tsv, .txt), Parquet (.parquet) or Excel (.xlsx)"


def read_table(source: Any) -> pd.DataFrame:
    """Read a file, or give a DataFrame (of pandas, polars or pyarrow) unique text column names.

    `attrs["notices"]` of the result says what users should know about how the file was read.
    """
    if not isinstance(source, str | PathLike):
        return _with_rows(with_unique_names(source), "the table")
    path = Path(source)
    suffix = _suffix(path)
    with _explained_errors(path):
        if suffix in _SEPARATORS:
            return read_delimited(path, _SEPARATORS[suffix])
        frame = _read_parquet(path) if suffix in _PARQUET else _read_excel(path)
    return _with_rows(frame, path.name)


def read_blocks(path: Path, n_rows: int = BLOCK_ROWS) -> Iterator[pd.DataFrame]:
    """Read a file in blocks of `n_rows` rows, with the columns that `read_table` gives.

    The index counts rows across blocks. Blocks of a text file hold text only, and `TableEncoder.transform`
    encodes them as it encodes the whole table. An Excel file is read whole: its format allows nothing else.
    """
    path, start = Path(path), 0
    with _explained_errors(path):
        for block in _blocks(path, check_count("n_rows", n_rows)):
            block.index = pd.RangeIndex(start, start + len(block))
            start += len(block)
            yield block


def is_large(path: Path, limits: SampleLimits) -> bool:
    """Whether a file is too large to be read whole; an Excel file, of a million rows at most, never is."""
    suffix = _suffix(path)
    if suffix in _SEPARATORS:
        is_compressed = path.suffix.lower() == ".gz"
        return path.stat().st_size > (limits.gzip_bytes if is_compressed else limits.text_bytes)
    if suffix not in _PARQUET:
        return False
    with _explained_errors(path), open_parquet(path) as file:
        return _count_cells(file.metadata) > limits.parquet_cells


def count_rows(path: Path) -> int:
    """Count the rows of a file without holding them in memory."""
    suffix = _suffix(path)
    with _explained_errors(path):
        if suffix in _SEPARATORS:
            return count_delimited(path, _SEPARATORS[suffix], BLOCK_ROWS)
        if suffix in _PARQUET:
            with open_parquet(path) as file:
                return int(file.metadata.num_rows)
    return len(read_table(path))


def read_rows(path: Path, rows: np.ndarray, block_rows: int = BLOCK_ROWS) -> pd.DataFrame:
    """Read some rows (ascending, counted from 0) with the dtypes of `read_table`, a block at a time."""
    suffix = _suffix(path)
    with _explained_errors(path):
        if suffix in _SEPARATORS:
            return read_delimited_rows(path, _SEPARATORS[suffix], rows, block_rows)
        if suffix in _PARQUET:
            return _parquet_rows(path, rows, block_rows)
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
    """The suffix that gives the format, without .gz; raises if the file is missing or of another type."""
    if path.is_dir():
        raise TableError(f"{path.name} is a folder: give the table file that is in it")
    if not path.exists():
        raise TableError(f"there is no file {path}: check the name and the folder")
    suffix = path.suffix.lower()
    if suffix == ".gz" and path.with_suffix("").suffix.lower() in _SEPARATORS:
        return path.with_suffix("").suffix.lower()
    if suffix not in {*_SEPARATORS, *_PARQUET, *_EXCEL}:
        raise TableError(f"{path.name} is of an unknown type: save the table as {_KNOWN}")
    return suffix


@contextmanager
def _explained_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise TableError(f"{path.name} is a damaged gzip file: copy or compress it again") from None
    except OSError as error:
        raise TableError(f"{path.name} cannot be read: {error.strerror or error}") from None


def _with_rows(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    if frame.shape[1] == 0:
        raise TableError(f"{name} has no columns: a line of column names and rows below it are needed")
    if len(frame) == 0:
        raise TableError(f"{name} has column names but no rows: add some")
    return frame


def _count_cells(metadata: Any) -> int:
    """The cells of a Parquet file; each number of a vector counts."""
    columns = range(metadata.num_columns)
    if all(metadata.schema.column(place).max_repetition_level == 0 for place in columns):
        return int(metadata.num_rows * metadata.num_columns)
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    return sum(int(group.column(place).num_values) for group in groups for place in columns)


def _read_parquet(path: Path) -> pd.DataFrame:
    with open_parquet(path) as file:
        return to_frame(file.read())


def _parquet_blocks(path: Path, n_rows: int) -> Iterator[pd.DataFrame]:
    import pyarrow as pa

    with open_parquet(path) as file:
        if file.metadata.num_rows == 0:
            _with_rows(to_frame(file.read()), path.name)
        for batch in file.iter_batches(batch_size=n_rows):
            yield to_frame(pa.Table.from_batches([batch]))


def _parquet_rows(path: Path, rows: np.ndarray, block_rows: int) -> pd.DataFrame:
    import pyarrow as pa

    taken, start = [], 0
    with open_parquet(path) as file:
        for batch in file.iter_batches(batch_size=block_rows):
            end = start + len(batch)
            selected = rows[np.searchsorted(rows, start) : np.searchsorted(rows, end)] - start
            taken.append(pa.Table.from_batches([batch]).take(pa.array(selected)))
            start = end
    return to_frame(pa.concat_tables(taken))


def _read_excel(path: Path) -> pd.DataFrame:
    try:
        from python_calamine import CalamineError
    except ImportError:
        raise TableError(
            f"{path.name} is an Excel file: install python-calamine, or save it as CSV"
        ) from None
    with _explained_excel_errors(path, CalamineError), pd.ExcelFile(path, engine="calamine") as book:
        if not book.sheet_names:
            raise TableError(f"{path.name} has no sheets: put the table on one")
        head = pd.read_excel(book, header=None, nrows=1)
        if len(head) == 0:
            raise TableError(f"the first sheet of {path.name} is empty: put the table there")
        return pd.read_excel(book, header=0, names=unique_names(head.iloc[0]))


@contextmanager
def _explained_excel_errors(path: Path, damaged: type[Exception]) -> Iterator[None]:
    try:
        yield
    except damaged:
        raise TableError(f"{path.name} is no Excel file, or a damaged or locked one: save it again") from None
    except OverflowError:
        raise TableError(
            f"{path.name} holds a date or duration that is too large: correct it, or give its cells the "
            "format of a number"
        ) from None
