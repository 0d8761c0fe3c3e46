"""Images of records: image files in the folder of the table, and nothing else."""

import os
import re
import stat
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse

from sameornot.service import LabellingService

# No SVG: it is a document that can contain scripts.
MEDIA_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
}
ROW = re.compile(r"[0-9]{1,18}")
MAX_BYTES = 32 * 2**20


def image_response(service: LabellingService, key: str) -> FileResponse:
    """The image of a row; 404 for whatever reason there is none to show."""
    if not ROW.fullmatch(key):
        raise HTTPException(404, "the address of a picture ends with the number of a row")
    row = int(key)
    path = service.image(row)
    if path is None or service.folder is None or not is_servable(path, Path(service.folder)):
        raise HTTPException(404, f"row {row} has no picture that can be shown")
    return FileResponse(path, media_type=MEDIA_TYPES[path.suffix.lower()])


def is_servable(path: Path, folder: Path, max_bytes: int = MAX_BYTES) -> bool:
    """Whether a path, with links resolved, is an image file in the folder of at most `max_bytes`."""
    try:
        resolved = Path(os.path.realpath(path))
        found = resolved.stat()
    except (OSError, ValueError):
        return False
    suffixes = {path.suffix.lower(), resolved.suffix.lower()}
    is_inside = resolved.is_relative_to(os.path.realpath(folder))
    is_image = stat.S_ISREG(found.st_mode) and suffixes <= MEDIA_TYPES.keys()
    return is_inside and is_image and found.st_size <= max_bytes
