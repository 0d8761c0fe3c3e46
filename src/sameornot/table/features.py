"""Features beside a table: one vector a record, in a file of its own (.npy, .npz or Parquet).

The table is then only shown, and the model learns from the vectors. They come in the order of the table's
rows; a file that also holds identifiers is checked against those of the table.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd

from sameornot.table.errors import TableError, listed
from sameornot.table.formatting import display
from sameornot.table.reading import read_table
from sameornot.table.vector_cells import read_vectors, vector_length

SUFFIXES = (".npy", ".npz", ".parquet", ".pq")
_VECTORS = ("features", "embeddings", "X", "vectors", "arr_0")  # arrays of an .npz that are taken first
_IDS = ("ids", "id")
_BLOCK_BYTES = 1 << 24


@dataclass(frozen=True)
class FeatureFile:
    """Vectors (n × d) of all records; `ids` are their identifiers, if the file has any.

    `column` is what the column of the vectors is called.
    """

    path: Path
    column: str
    vectors: np.ndarray
    ids: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def n_features(self) -> int:
        """Numbers of a vector."""
        return int(self.vectors.shape[1])

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all numbers; raises if one of them is not finite."""
        digest = hashlib.blake2b(repr((self.vectors.shape, str(self.vectors.dtype))).encode(), digest_size=16)
        step = max(1, _BLOCK_BYTES // (self.vectors.itemsize * self.n_features))
        for start in range(0, len(self), step):
            block = np.ascontiguousarray(self.vectors[start : start + step])
            if not np.isfinite(block).all():
                row, place = np.argwhere(~np.isfinite(block))[0].tolist()
                raise TableError(
                    f"{self.path.name} holds {block[row, place]} in place {place + 1} of row "
                    f"{start + row + 1:,}: every vector needs finite numbers"
                )
            digest.update(block.data)
        return digest.hexdigest()

    def check(self, n_rows: int, table: str) -> None:
        """Raise if there is not one vector for each row of the table."""
        if len(self) != n_rows:
            raise TableError(
                f"{self.path.name} has {len(self):,} vectors but {table} has {n_rows:,} rows: give one for "
                "each row, in the order of the table"
            )

    def check_order(self, rows: np.ndarray, ids: pd.Series) -> None:
        """Raise if some rows of the table have other identifiers than their vectors."""
        if self.ids is None:
            return
        for row, expected in zip(rows.tolist(), ids, strict=True):
            if display(self.ids[row]) != display(expected):
                raise TableError(
                    f"row {row + 1:,} of {self.path.name} is for {display(self.ids[row])!r} but that row of "
                    f"the table is {display(expected)!r}: write the vectors in the order of the table"
                )

    def beside(self, frame: pd.DataFrame, rows: np.ndarray | slice) -> pd.DataFrame:
        """Some rows of the table with the column of their vectors."""
        cells = pd.Series(list(np.asarray(self.vectors[rows])), index=frame.index, dtype=object)
        result = frame.assign(**{self.column: cells})
        result.attrs = frame.attrs
        return result


def read_features(path: Path, id_column: str | None = None) -> FeatureFile:
    """Open a file of vectors; an .npy file is not read into memory."""
    path = Path(path)
    suffix = path.suffix.lower()
    if not path.is_file():
        raise TableError(f"there is no file {path}: check the name and the folder")
    if suffix not in SUFFIXES:
        raise TableError(f"{path.name} is of an unknown type: save the vectors as .npy, .npz or .parquet")
    if suffix not in (".npy", ".npz"):
        return _read_parquet(path, id_column)
    try:
        loaded = np.load(path, mmap_mode="r", allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return FeatureFile(path, path.stem, _checked(path, loaded))
        with loaded:
            return _read_archive(path, loaded)
    except (ValueError, EOFError, BadZipFile, OSError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(
            f"{path.name} cannot be read as an array of numbers: write it with numpy.save(…, X.astype('f4'))"
        ) from None


def _read_archive(path: Path, arrays: Any) -> FeatureFile:
    names = list(arrays.files)
    vectors = next((name for name in _VECTORS if name in names), None)
    matrices = [name for name in names if arrays[name].ndim == 2] if vectors is None else [vectors]
    if len(matrices) != 1:
        raise TableError(
            f"{path.name} holds the arrays {listed(names)}: call the one with a vector a row 'features'"
        )
    ids = next((arrays[name] for name in _IDS if name in names and name != matrices[0]), None)
    found = _checked(path, arrays[matrices[0]])
    if ids is not None and len(ids) != len(found):
        raise TableError(f"{path.name} has {len(found):,} vectors but {len(ids):,} identifiers")
    return FeatureFile(path, path.stem, found, ids)


def _read_parquet(path: Path, id_column: str | None) -> FeatureFile:
    frame = read_table(path)
    has_ids = id_column is not None and id_column in frame.columns
    ids = frame.pop(str(id_column)).to_numpy(dtype=object) if has_ids else None
    lengths = {name: vector_length(frame[name]) for name in frame.columns}
    columns = [name for name, length in lengths.items() if length is not None]
    if len(columns) == 1 and (length := lengths[columns[0]]) is not None:
        return FeatureFile(path, path.stem, read_vectors(frame[columns[0]], length).astype(np.float32), ids)
    words = [name for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name].dtype)]
    if columns or words:
        raise TableError(
            f"{path.name} has the columns {listed([*columns, *words])}: give it one column of vectors, or "
            "columns of numbers alone beside the identifiers that --id names"
        )
    return FeatureFile(path, path.stem, _checked(path, frame.to_numpy()), ids)


def _checked(path: Path, vectors: np.ndarray) -> np.ndarray:
    if vectors.ndim != 2 or 0 in vectors.shape or vectors.dtype.kind not in "biuf":
        shape = " × ".join(map(str, vectors.shape)) or "one number"
        raise TableError(
            f"{path.name} holds {shape} of the type {vectors.dtype}: a matrix of numbers with a row for each "
            "record is needed"
        )
    return vectors
