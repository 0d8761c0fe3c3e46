"""Bounds on memory: which tables are held whole, and how many rows of the others."""

from dataclasses import dataclass

BLOCK_ROWS = 50_000


@dataclass(frozen=True)
class SampleLimits:
    """When a table is too large to be held whole, and how much of it is held then.

    Attributes
    ----------
    text_bytes, gzip_bytes, parquet_cells : int
        A plain text file, a compressed one or a Parquet file that is larger than this is not read whole.
    whole_cells : int
        A folder of files with at most so many cells is held whole.
    sample_rows, sample_cells : int
        Of a larger table, at most so many rows and cells are held,
    min_rows : int
        but at least so many rows, however wide the table is.
    block_rows : int
        Rows that are read at a time when the whole table is streamed.
    """

    text_bytes: int = 100_000_000
    gzip_bytes: int = 20_000_000
    parquet_cells: int = 20_000_000
    whole_cells: int = 20_000_000
    sample_rows: int = 20_000
    sample_cells: int = 4_000_000
    min_rows: int = 2_000
    block_rows: int = BLOCK_ROWS
