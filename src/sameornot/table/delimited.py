"""Text files of cells: which encoding, which separator, which decimal sign; then pandas reads them.

A file is scanned once for its encoding, so that no half of it is read before a wrong byte is met.
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

from sameornot.table.names import unique_names
from sameornot.table.problem import TableProblem

_CHUNK = 1 << 22
_LOOK = 1 << 20  # bytes that show separator and decimal sign: ten thousand columns fit
_LINES = 50
_COUNTED = 50_000  # rows that are read at a time
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_NOT_TEXT = {b"PK\x03\x04": "an Excel or zip", b"\xd0\xcf\x11\xe0": "an old Excel", b"PAR1": "a Parquet"}
_WESTERN = ("cp1252", "latin-1")
_COMMA_NUMBER = r"^\s*([+-]?\d+),(\d+)\s*$"


@dataclass(frozen=True)
class Dialect:
    """How a file is written."""

    encoding: str
    separator: str
    decimal: str
    names: list[str]

    @property
    def notices(self) -> list[str]:
        """What the person should know."""
        if self.encoding not in _WESTERN:
            return []
        return [
            f"The file is not UTF-8 and was read as {self.encoding}: save it as UTF-8 if letters look wrong."
        ]


def read_delimited(path: Path, separator: str) -> pd.DataFrame:
    """The whole file, each column with the type that all of its cells have."""
    dialect = find_dialect(path, separator)
    with _explained(path):
        frame = pd.read_csv(path, low_memory=False, decimal=dialect.decimal, **_options(dialect))
    frame.attrs["notices"] = dialect.notices
    return _with_points(frame, dialect)


def read_delimited_blocks(path: Path, separator: str, n_rows: int) -> Iterator[pd.DataFrame]:
    """The file in blocks of text: what a column holds cannot be told from a part of it."""
    yield from _text_blocks(path, find_dialect(path, separator), n_rows)


def _text_blocks(path: Path, dialect: Dialect, n_rows: int) -> Iterator[pd.DataFrame]:
    with _explained(path), pd.read_csv(path, dtype=str, chunksize=n_rows, **_options(dialect)) as blocks:
        for block in blocks:
            yield _with_points(block, dialect)


def count_delimited(path: Path, separator: str) -> int:
    """How many rows the file has: its first column alone is kept."""
    options = _options(find_dialect(path, separator)) | {"usecols": [0], "dtype": str}
    with _explained(path), pd.read_csv(path, chunksize=_COUNTED, **options) as blocks:
        return sum(len(block) for block in blocks)


def read_delimited_rows(path: Path, separator: str, rows: np.ndarray) -> pd.DataFrame:
    """Some rows of the file, in rising order; each column with the type that all of these cells have."""
    dialect = find_dialect(path, separator)
    taken, start = [], 0
    for block in _text_blocks(path, dialect, _COUNTED):
        end = start + len(block)
        taken.append(block.iloc[rows[np.searchsorted(rows, start) : np.searchsorted(rows, end)] - start])
        start = end
    # What a column holds is found as pandas finds it in a file of these rows alone.
    text = io.StringIO(pd.concat(taken).to_csv(index=False))
    frame = pd.read_csv(text, low_memory=False, index_col=False)
    frame.attrs["notices"] = dialect.notices
    return frame


def find_dialect(path: Path, separator: str) -> Dialect:
    """Look at a file; `separator` is what its name promises."""
    encoding = _find_encoding(path)
    with _open(path) as file:
        lines = file.read(_LOOK).decode(encoding, "replace").splitlines()
    filled = [re.sub(r'"[^"]*"', "", line) for line in lines if line.strip()][:_LINES]
    if not filled:
        raise TableProblem(f"{path.name} is empty: a line of column names and rows below it are needed")
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
                raise TableProblem(f"{path.name} is {what} file by its contents: give it the suffix of one")
        for mark, encoding in _MARKS.items():
            if head.startswith(mark):
                return encoding
        file.seek(0)
        fits = {name: codecs.getincrementaldecoder(name)() for name in ("utf-8", *_WESTERN)}
        for chunk in iter(lambda: file.read(_CHUNK), b""):
            if b"\0" in chunk:
                raise TableProblem(
                    f"{path.name} holds NUL bytes, which text does not: save it again as UTF-8 text"
                )
            fits = {name: decoder for name, decoder in fits.items() if _goes_on(decoder, chunk)}
    fits = {name: decoder for name, decoder in fits.items() if _goes_on(decoder, b"", final=True)}
    return next(iter(fits))


def _goes_on(decoder: codecs.IncrementalDecoder, chunk: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True


def _find_separator(lines: list[str], promised: str) -> str:
    """The sign that cuts most lines into as many cells as the first one."""

    def score(sign: str) -> tuple[float, int, bool]:
        n_cuts = lines[0].count(sign)
        alike = sum(line.count(sign) == n_cuts for line in lines) / len(lines)
        return (alike if n_cuts else 0.0, n_cuts, sign == promised)

    return max([promised, ",", ";", "\t", "|"], key=score)


def _find_decimal(lines: list[str], separator: str) -> str:
    cells = [cell.strip('" ') for line in lines for cell in line.split(separator)]
    commas = sum(re.match(_COMMA_NUMBER, cell) is not None for cell in cells)
    points = sum(re.match(r"^[+-]?\d+\.\d+$", cell) is not None for cell in cells)
    return "," if commas > points else "."


def _find_names(path: Path, encoding: str, separator: str) -> list[str]:
    with _explained(path):
        head = pd.read_csv(
            path,
            header=None,
            nrows=2,  # the first row of cells as well: one longer than the header is an error here
            dtype=str,
            index_col=False,
            keep_default_na=False,
            sep=separator,
            encoding=encoding,
        )
    if len(head) < 2:
        raise TableProblem(f"{path.name} has a line of column names but no rows below it: add some")
    return unique_names(head.iloc[0])


def _options(dialect: Dialect) -> dict[str, Any]:
    names, sep, encoding = dialect.names, dialect.separator, dialect.encoding
    return {"header": 0, "names": names, "index_col": False, "sep": sep, "encoding": encoding}


def _with_points(frame: pd.DataFrame, dialect: Dialect) -> pd.DataFrame:
    """Write numbers in columns of text with a point; whole file and blocks then hold the same texts."""
    if dialect.decimal == ",":
        for name in frame.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]]:
            frame[name] = frame[name].replace(_COMMA_NUMBER, r"\1.\2", regex=True)
    return frame


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except pd.errors.ParserError as error:
        raise TableProblem(_explain(path, str(error))) from None
    except UnicodeDecodeError as error:
        raise TableProblem(
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
