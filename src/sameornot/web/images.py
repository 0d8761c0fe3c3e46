"""Pictures beside the records: plain image files from under the table's folder, and nothing else."""

import os
import stat
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse

from sameornot.service import Desk

# No SVG: it is a document that can hold scripts.
MEDIA_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
}
MAX_BYTES = 32 * 2**20


def image_response(desk: Desk, row: int) -> FileResponse:
    """The picture of a row; 404 whatever the reason that there is none to show."""
    path = desk.image(row)
    if path is None or desk.folder is None or not is_servable(path, Path(desk.folder)):
        raise HTTPException(404, f"row {row} has no picture that can be shown")
    return FileResponse(path, media_type=MEDIA_TYPES[path.suffix.lower()])


def is_servable(path: Path, folder: Path) -> bool:
    """Whether a path leads, links followed, to a picture of bearable size under the folder."""
    try:
        resolved = Path(os.path.realpath(path))
        found = resolved.stat()
    except (OSError, ValueError):
        return False
    kinds = {path.suffix.lower(), resolved.suffix.lower()}
    is_inside = resolved.is_relative_to(os.path.realpath(folder))
    is_picture = stat.S_ISREG(found.st_mode) and kinds <= MEDIA_TYPES.keys()
    return is_inside and is_picture and found.st_size <= MAX_BYTES
