"""Pictures in the folder of a table: which files a cell names, what they hold, and small versions of them."""

import io
import re
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from sameornot.embedding.errors import EmbeddingError

if TYPE_CHECKING:
    from PIL.Image import Image

# Between the names of several pictures in one cell.
_SEPARATOR = re.compile(r"[;|\n]")
# A picture of more pixels is not read: it would take gigabytes of memory.
MAX_PIXELS = 200_000_000
# Pictures are read at about this size, which is much faster for large photographs.
READ_SIDE = 256
# Of a small version, in pixels: it is shown at half of that or less.
THUMBNAIL_SIDE = 256


@dataclass(frozen=True)
class PictureFolder:
    """The folder that the names of pictures are relative to; None if the table has none."""

    path: Path | None

    def names(self, cell: str) -> list[str]:
        """The names in a cell, separated by ``;`` or ``|``; the whole cell if a file has that name."""
        parts = [name.strip() for name in _SEPARATOR.split(cell)]
        return [cell] if len(parts) == 1 or self.file(cell) else [name for name in parts if name]

    def files(self, cell: str) -> list[Path]:
        """The files that a cell names and that lie in the folder."""
        found = (self.file(name) for name in self.names(cell))
        return [file for file in found if file is not None]

    def read(self, name: str) -> "Image | None":
        """A picture on white ground; None if there is no such file, or if it is no picture."""
        file = self.file(name)
        return None if file is None else read_picture(file)

    def digest(self, name: str) -> bytes | None:
        """Hash of a picture's file."""
        file = self.file(name)
        try:
            return None if file is None else blake2b(file.read_bytes(), digest_size=16).digest()
        except OSError:
            return None

    def file(self, name: str) -> Path | None:
        """The file of a name, if it is there and lies under the folder."""
        if self.path is None or not name:
            return None
        try:
            file = (self.path / name).resolve()
            inside = file.is_relative_to(self.path.resolve()) and file.is_file()
        except (OSError, ValueError, RuntimeError):  # a name that no file can have, or links in a circle
            return None
        return file if inside else None


def read_picture(file: Path, side: int = READ_SIDE) -> "Image | None":
    """The picture in a file, turned upright, on white ground and of at least `side` pixels if it has them."""
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise EmbeddingError("pictures need Pillow: run `pip install 'sameornot[image]'`") from None
    try:
        with Image.open(file) as opened:
            if opened.width * opened.height > MAX_PIXELS:
                return None
            opened.draft("RGB", (side, side))
            picture = ImageOps.exif_transpose(opened).convert("RGBA")
    except (
        OSError,
        ValueError,
        SyntaxError,
        Image.DecompressionBombError,
    ):  # what Pillow raises for bad files
        return None
    ground = Image.new("RGBA", picture.size, "white")
    ground.alpha_composite(picture)
    return ground.convert("RGB")


def make_thumbnail(file: Path, side: int = THUMBNAIL_SIDE) -> bytes | None:
    """A small version of a picture as JPEG; None if the file is no picture."""
    picture = read_picture(file, side)
    if picture is None:
        return None
    picture.thumbnail((side, side))
    written = io.BytesIO()
    picture.save(written, "JPEG", quality=80)
    return written.getvalue()
