"""The pictures of records: the files that their cells name."""

from dataclasses import dataclass
from pathlib import Path

from sameornot.embedding import PictureFolder
from sameornot.table import TableSample, display

# Pictures of one record that are shown.
N_PICTURES = 12


@dataclass(frozen=True)
class RecordPictures:
    """The columns of a table that name pictures, and the folder in which those lie."""

    table: TableSample
    columns: tuple[str, ...]
    folder: PictureFolder

    def of(self, row: int) -> list[Path]:
        """The pictures of a record, column by column; those whose file is missing are left out."""
        cells = (display(self.table.cell(row, column)) for column in self.columns)
        return [file for cell in cells if cell for file in self.folder.files(cell)][:N_PICTURES]
