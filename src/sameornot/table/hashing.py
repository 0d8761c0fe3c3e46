"""A fingerprint of a table's contents, the same on every machine and for every version of pandas."""

import hashlib

import numpy as np
import pandas as pd

from sameornot.table.formatting import as_text, is_missing
from sameornot.table.names import with_unique_names
from sameornot.table.parsing import is_datetime, is_number
from sameornot.table.vector_cells import read_vectors, vector_length


def fingerprint(frame: pd.DataFrame) -> str:
    """Hash column names, column types and cells to 32 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=16)
    table = with_unique_names(frame)
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
    """The column's type, by a name that does not depend on the version of pandas, and its cells."""
    plain_type = isinstance(column.dtype, np.dtype)
    if plain_type and (is_number(column) or is_datetime(column) or column.dtype == bool):
        return str(column.dtype), [np.ascontiguousarray(column.to_numpy()).tobytes()]
    length = vector_length(column) if column.dtype == object else None
    if length is not None:
        return f"vectors of {length}", [read_vectors(column, length).tobytes()]
    return "text", _text_contents(column)


def _text_contents(column: pd.Series) -> list[bytes]:
    if pd.api.types.infer_dtype(column, skipna=True) == "string":
        cells = column.to_numpy(dtype=object)
    else:
        cells = np.array([_typed_text(cell) for cell in column], dtype=object)
    codes, distinct = pd.factorize(cells)
    texts = [str(text).encode("utf-8", "surrogatepass") for text in distinct]
    lengths = np.array([len(text) for text in texts], dtype="<i8")
    return [codes.astype("<i8").tobytes(), lengths.tobytes(), b"".join(texts)]


def _typed_text(cell: object) -> str | None:
    """Text unchanged, anything else prefixed by its type: 1 and "1" are different cells."""
    if is_missing(cell):
        return None
    return as_text(cell) if isinstance(cell, str) else f"{type(cell).__name__}\0{as_text(cell)}"
