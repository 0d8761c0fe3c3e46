"""Groups of rows as files that are written block by block: CSV or Parquet, by the suffix."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sameornot.export.assigner import Assigned, Assigner
from sameornot.export.spreadsheet import write_csv
from sameornot.table import TableProblem

# In a Parquet file's metadata: what made it, and the sizes of its groups.
MARK = b"sameornot model"
SIZES = b"sameornot sizes"


def csv_texts(assigner: Assigner, found: Iterable[Assigned]) -> Iterator[str]:
    """The lines of a CSV file, those of a block at a time."""
    header = True
    for one in found:
        yield write_csv(assigner.to_frame(one), header=header)
        header = False


def write_csv_file(path: Path, assigner: Assigner, found: Iterable[Assigned], sizes: np.ndarray) -> None:
    """A CSV file that blocks are added to; it does not say the sizes of the groups."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(csv_texts(assigner, found))


def write_parquet_file(path: Path, assigner: Assigner, found: Iterable[Assigned], sizes: np.ndarray) -> None:
    """A Parquet file that blocks are added to, each as a row group; at its end, the sizes of the groups."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    names = assigner.columns
    words = pa.dictionary(pa.int32(), pa.string())
    kinds = {"row": pa.int64(), "group": pa.int64(), "confidence": pa.float64(), "id": pa.string()}
    schema = pa.schema([(name, kinds.get(name, words)) for name in names])
    numbers = np.array(assigner.numbers, dtype=np.int64)
    called, who = pa.array(assigner.names, pa.string()), pa.array(["model", "expert"])

    def as_table(one: Assigned) -> pa.Table:
        parts = {
            "row": pa.array(one.rows),
            "group": pa.array(numbers[one.labels]),
            "name": pa.DictionaryArray.from_arrays(pa.array(one.labels.astype(np.int32)), called),
            "confidence": pa.array(one.shares.astype(np.float64, copy=False)),
        }
        if one.ids is not None:
            parts["id"] = pa.array(one.ids, pa.string())
        if one.placed is not None:
            parts["placed_by"] = pa.DictionaryArray.from_arrays(pa.array(one.placed.astype(np.int32)), who)
        return pa.table([parts[name] for name in names], schema=schema)

    # A third of the time of what is usual, and three quarters of the bytes. Readers see texts, not codes.
    plainly: dict[str, Any] = {
        "use_dictionary": [name for name in names if schema.field(name).type == words],
        "column_encoding": {"row": "DELTA_BINARY_PACKED", "group": "DELTA_BINARY_PACKED"},
        "compression": {name: "snappy" if name == "id" else "none" for name in names},
        "write_statistics": ["row"],
        "store_schema": False,
    }
    with ParquetWriter(path, schema, **plainly) as writer:
        for one in found:
            writer.write_table(as_table(one))
        writer.add_key_value_metadata({MARK: assigner.mark, SIZES: json.dumps(sizes.tolist())})


# Where to, what found the groups, what was found, and the sizes of the groups, known once all is written.
Sink = Callable[[Path, Assigner, Iterable[Assigned], np.ndarray], None]
SINKS: dict[str, Sink] = {".csv": write_csv_file, ".parquet": write_parquet_file}


def choose_sink(out: Path) -> Sink:
    """The writer for a file of this name."""
    sink = SINKS.get(out.suffix.lower())
    if sink is None:
        raise TableProblem(f"{out.name} cannot be written: its name has to end in {' or '.join(SINKS)}")
    return sink
