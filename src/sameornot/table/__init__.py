"""Tables of people: files to DataFrames, cells to text, columns of any kind to a matrix of numbers."""

from sameornot.table.cell import display
from sameornot.table.contents import fingerprint
from sameornot.table.encoder import Column, TableEncoder
from sameornot.table.excerpt import Excerpt, name_records, read_excerpt
from sameornot.table.problem import TableProblem
from sameornot.table.reading import read_blocks, read_table

__all__ = [
    "Column",
    "Excerpt",
    "TableEncoder",
    "TableProblem",
    "display",
    "fingerprint",
    "name_records",
    "read_blocks",
    "read_excerpt",
    "read_table",
]
