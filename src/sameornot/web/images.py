"""Images of records: image files in the folder of the table, and nothing else."""

import os
import re
import stat
from functools import lru_cache
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from sameornot.embedding import make_thumbnail
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
KEY = re.compile(r"(?P<row>[0-9]{1,18})(-(?P<number>[0-9]{1,3}))?")
MAX_BYTES = 32 * 2**20


def image_response(service: LabellingService, key: str) -> FileResponse:
    """A picture; the key is the number of its row, and - and its number if the row has several."""
    path = _find(service, key)
    return FileResponse(path, media_type=MEDIA_TYPES[path.suffix.lower()])


def thumbnail_response(service: LabellingService, key: str) -> Response:
    """A small version of a picture; the picture itself if it cannot be made smaller."""
    path = _find(service, key)
    small = _thumbnail(path, path.stat().st_mtime_ns)
    if small is None:
        return image_response(service, key)
    return Response(small, media_type="image/jpeg")


@lru_cache(maxsize=1_000)
def _thumbnail(path: Path, changed: int) -> bytes | None:
    return make_thumbnail(path)


def _find(service: LabellingService, key: str) -> Path:
    """The file of a picture; 404 for whatever reason there is none to show."""
    found = KEY.fullmatch(key)
    if found is None:
        raise HTTPException(404, "the address of a picture ends with the number of a row")
    row, number = int(found["row"]), int(found["number"] or 0)
    path = service.image(row, number)
    if path is None or service.folder is None or not is_servable(path, Path(service.folder)):
        raise HTTPException(404, f"row {row} has no picture that can be shown")
    return path


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
