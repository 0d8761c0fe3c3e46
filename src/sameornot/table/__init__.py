"""Tables of people: files to DataFrames, cells to text, columns of any kind to a matrix of numbers."""

from sameornot.table.cell import display
from sameornot.table.contents import fingerprint
from sameornot.table.encoder import Column, TableEncoder
from sameornot.table.problem import TableProblem
from sameornot.table.reading import read_blocks, read_table

__all__ = ["Column", "TableEncoder", "TableProblem", "display", "fingerprint", "read_blocks", "read_table"]
