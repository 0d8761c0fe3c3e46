"""Read tables from files, format cells as text, and encode columns of any kind as a matrix."""

from sameornot.table.encoder import Column, TableEncoder
from sameornot.table.errors import TableError
from sameornot.table.features import FeatureFile, read_features
from sameornot.table.formatting import display
from sameornot.table.hashing import fingerprint
from sameornot.table.limits import SampleLimits
from sameornot.table.reading import read_blocks, read_table
from sameornot.table.sample import TableSample, name_records, read_sample

__all__ = [
    "Column",
    "FeatureFile",
    "SampleLimits",
    "TableEncoder",
    "TableError",
    "TableSample",
    "display",
    "fingerprint",
    "name_records",
    "read_blocks",
    "read_features",
    "read_sample",
    "read_table",
]
