"""A short name for the contents of a table: the same file gives the same one on every machine."""

import hashlib

import numpy as np
import pandas as pd

from sameornot.table.cell import as_text, is_missing
from sameornot.table.cells import is_moment, is_number
from sameornot.table.names import plain


def fingerprint(frame: pd.DataFrame) -> str:
    """32 hexadecimal digits of the columns' names and types and of every cell."""
    digest = hashlib.blake2b(digest_size=16)
    table = plain(frame)
    digest.update(f"{len(table)} rows".encode())
    for name in table.columns:
        kind, contents = _contents(table[name])
        head = f"{len(name)} {name} {kind}"
        digest.update(head.encode())
        for part in contents:
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
    return digest.hexdigest()


def _contents(column: pd.Series) -> tuple[str, list[bytes]]:
    """The column's type in words that hold for every version of pandas, and its cells as bytes."""
    plain_type = isinstance(column.dtype, np.dtype)
    if plain_type and (is_number(column) or is_moment(column) or column.dtype == bool):
        return str(column.dtype), [np.ascontiguousarray(column.to_numpy()).tobytes()]
    return "text", _text_contents(column)


def _text_contents(column: pd.Series) -> list[bytes]:
    if pd.api.types.infer_dtype(column, skipna=True) == "string":
        cells = column.to_numpy(dtype=object)
    else:
        cells = np.array([_marked(cell) for cell in column], dtype=object)
    codes, distinct = pd.factorize(cells)
    texts = [str(text).encode("utf-8", "surrogatepass") for text in distinct]
    lengths = np.array([len(text) for text in texts], dtype="<i8")
    return [codes.astype("<i8").tobytes(), lengths.tobytes(), b"".join(texts)]


def _marked(cell: object) -> str | None:
    """Text as it is, anything else after its type: 1 and "1" are different cells."""
    if is_missing(cell):
        return None
    return as_text(cell) if isinstance(cell, str) else f"{type(cell).__name__}\0{as_text(cell)}"
