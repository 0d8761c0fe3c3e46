"""Delimited text files: detect encoding, separator and decimal sign, then read with pandas.

The whole file is scanned for its encoding first, so a wrong byte cannot stop the reading halfway.
"""

import codecs
import gzip
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import pandas as pd

from sameornot.table.errors import TableError
from sameornot.table.names import unique_names

_CHUNK = 1 << 22
_HEAD = 1 << 20  # bytes that show separator and decimal sign: ten thousand columns fit
_LINES = 50
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_NOT_TEXT = {b"PK\x03\x04": "an Excel or zip", b"\xd0\xcf\x11\xe0": "an old Excel", b"PAR1": "a Parquet"}
_WESTERN = ("cp1252", "latin-1")
_COMMA_NUMBER = r"^\s*([+-]?\d+),(\d+)\s*$"


@dataclass(frozen=True)
class Dialect:
    """How a file is written, and its column names."""

    encoding: str
    separator: str
    decimal: str
    names: list[str]

    @property
    def notices(self) -> list[str]:
        """What users should know about how the file was read."""
        if self.encoding not in _WESTERN:
            return []
        return [
            f"The file is not UTF-8 and was read as {self.encoding}: save it as UTF-8 if letters look wrong."
        ]


def read_delimited(path: Path, separator: str) -> pd.DataFrame:
    """Read the whole file; a column's dtype fits all of its cells."""
    dialect = find_dialect(path, separator)
    with _explained_errors(path):
        frame = pd.read_csv(path, low_memory=False, decimal=dialect.decimal, **_options(dialect))
    frame.attrs["notices"] = dialect.notices
    return _with_decimal_points(frame, dialect)


def read_delimited_blocks(path: Path, separator: str, n_rows: int) -> Iterator[pd.DataFrame]:
    """Read the file in blocks of text cells: a column's dtype cannot be told from a part of it."""
    yield from _text_blocks(path, find_dialect(path, separator), n_rows)


def _text_blocks(path: Path, dialect: Dialect, n_rows: int) -> Iterator[pd.DataFrame]:
    options = _options(dialect) | {"dtype": str, "chunksize": n_rows}
    with _explained_errors(path), pd.read_csv(path, **options) as blocks:
        for block in blocks:
            yield _with_decimal_points(block, dialect)


def count_delimited(path: Path, separator: str, n_rows: int) -> int:
    """Count the rows of the file, `n_rows` at a time; only the first column is parsed."""
    options = _options(find_dialect(path, separator)) | {"usecols": [0], "dtype": str, "chunksize": n_rows}
    with _explained_errors(path), pd.read_csv(path, **options) as blocks:
        return sum(len(block) for block in blocks)


def read_delimited_rows(path: Path, separator: str, rows: np.ndarray, n_rows: int) -> pd.DataFrame:
    """Read some rows (ascending), `n_rows` at a time; a column's dtype fits all of the selected cells."""
    dialect = find_dialect(path, separator)
    taken, start = [], 0
    for block in _text_blocks(path, dialect, n_rows):
        end = start + len(block)
        taken.append(block.iloc[rows[np.searchsorted(rows, start) : np.searchsorted(rows, end)] - start])
        start = end
    # Write and parse them again, so that pandas infers the dtypes as for a file of these rows alone.
    text = io.StringIO(pd.concat(taken).to_csv(index=False))
    frame = pd.read_csv(text, low_memory=False, index_col=False)
    frame.attrs["notices"] = dialect.notices
    return frame


def find_dialect(path: Path, separator: str) -> Dialect:
    """Detect the dialect of a file; `separator` is the one that its suffix stands for."""
    encoding = _find_encoding(path)
    with _open(path) as file:
        lines = file.read(_HEAD).decode(encoding, "replace").splitlines()
    filled = [re.sub(r'"[^"]*"', "", line) for line in lines if line.strip()][:_LINES]
    if not filled:
        raise TableError(f"{path.name} is empty: a line of column names and rows below it are needed")
    separator = _find_separator(filled, separator)
    decimal = "." if separator == "," else _find_decimal(lines[:_LINES], separator)
    return Dialect(encoding, separator, decimal, _find_names(path, encoding, separator))


def _open(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path)) if path.suffix.lower() == ".gz" else path.open("rb")


def _find_encoding(path: Path) -> str:
    with _open(path) as file:
        head = file.read(4)
        for magic, what in _NOT_TEXT.items():
            if head.startswith(magic):
                raise TableError(f"{path.name} is {what} file by its contents: give it the suffix of one")
        for mark, encoding in _BYTE_ORDER_MARKS.items():
            if head.startswith(mark):
                return encoding
        file.seek(0)
        decoders = {name: codecs.getincrementaldecoder(name)() for name in ("utf-8", *_WESTERN)}
        for chunk in iter(lambda: file.read(_CHUNK), b""):
            if b"\0" in chunk:
                raise TableError(
                    f"{path.name} holds NUL bytes, which text does not: save it again as UTF-8 text"
                )
            decoders = {name: decoder for name, decoder in decoders.items() if _accepts(decoder, chunk)}
    return next(name for name, decoder in decoders.items() if _accepts(decoder, b"", final=True))


def _accepts(decoder: codecs.IncrementalDecoder, chunk: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True


def _find_separator(lines: list[str], expected: str) -> str:
    """The character that splits most lines into as many cells as the first line."""

    def score(character: str) -> tuple[float, int, bool]:
        n_splits = lines[0].count(character)
        agreement = sum(line.count(character) == n_splits for line in lines) / len(lines)
        return (agreement if n_splits else 0.0, n_splits, character == expected)

    return max([expected, ",", ";", "\t", "|"], key=score)


def _find_decimal(lines: list[str], separator: str) -> str:
    cells = [cell.strip('" ') for line in lines for cell in line.split(separator)]
    commas = sum(re.match(_COMMA_NUMBER, cell) is not None for cell in cells)
    points = sum(re.match(r"^[+-]?\d+\.\d+$", cell) is not None for cell in cells)
    return "," if commas > points else "."


def _find_names(path: Path, encoding: str, separator: str) -> list[str]:
    with _explained_errors(path):
        head = pd.read_csv(
            path,
            header=None,
            nrows=2,  # names and the first row: a row longer than the header is an error here
            dtype=str,
            index_col=False,
            keep_default_na=False,
            sep=separator,
            encoding=encoding,
        )
    if len(head) < 2:
        raise TableError(f"{path.name} has a line of column names but no rows below it: add some")
    return unique_names(head.iloc[0])


def _options(dialect: Dialect) -> dict[str, Any]:
    names, sep, encoding = dialect.names, dialect.separator, dialect.encoding
    return {"header": 0, "names": names, "index_col": False, "sep": sep, "encoding": encoding}


def _with_decimal_points(frame: pd.DataFrame, dialect: Dialect) -> pd.DataFrame:
    """Replace decimal commas in columns of text, so that the whole file and blocks hold the same texts."""
    if dialect.decimal == ",":
        for name in frame.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]]:
            frame[name] = frame[name].replace(_COMMA_NUMBER, r"\1.\2", regex=True)
    return frame


@contextmanager
def _explained_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except pd.errors.ParserError as error:
        raise TableError(_explain(path, str(error))) from None
    except UnicodeDecodeError as error:
        raise TableError(
            f"{path.name} is marked as {error.encoding} but holds other bytes: save it again as UTF-8"
        ) from None


def _explain(path: Path, message: str) -> str:
    ragged = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message)
    if ragged:
        expected, line, saw = ragged.groups()
        return (
            f"line {line} of {path.name} has {saw} cells but the lines before it have {expected}: "
            "put quotation marks around cells that hold the separator"
        )
    opened = re.search(r"EOF inside string starting at row (\d+)", message)
    if opened:
        return f"a quotation mark opens in row {opened[1]} of {path.name} and is never closed: close it"
    return f"{path.name} cannot be read as a table: {message.strip()}"
