"""The results of a session as downloads."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from sameornot.export.labels import answers_table, labels_csv_chunks
from sameornot.export.model import Model
from sameornot.export.report import write_report
from sameornot.export.spreadsheet import write_csv
from sameornot.service import LabellingService, Snapshot

MAX_NAME = 60


class Download(NamedTuple):
    """A function that makes the text of a file in chunks, and the media type of the file."""

    make: Callable[[Snapshot], Iterator[str]]
    media_type: str


DOWNLOADS = {
    "labels.csv": Download(labels_csv_chunks, "text/csv"),
    "answers.csv": Download(lambda snapshot: iter([write_csv(answers_table(snapshot))]), "text/csv"),
    "model.json": Download(
        lambda snapshot: iter([json.dumps(Model.from_snapshot(snapshot).to_json())]), "application/json"
    ),
    "report.html": Download(lambda snapshot: iter([write_report(snapshot)]), "text/html"),
}


def download_response(service: LabellingService, name: str) -> Response:
    """The file of that name, made from the current state of the session."""
    if name not in DOWNLOADS:
        raise HTTPException(404, f"there is no such file: choose one of {', '.join(DOWNLOADS)}")
    make, media_type = DOWNLOADS[name]
    headers = {"content-disposition": f'attachment; filename="{file_name(service.title, name)}"'}
    chunks = make(service.snapshot())
    start = list(islice(chunks, 2))  # an error up to here still becomes an error response
    if len(start) < 2:
        return Response("".join(start), media_type=media_type, headers=headers)
    return StreamingResponse(chain(start, chunks), media_type=media_type, headers=headers)


def file_name(title: str, name: str) -> str:
    """A file name that is valid on every system: ASCII letters, digits, dots and dashes.

    >>> file_name("Zürich: patients/2024.csv", "labels.csv")
    'Zurich-patients-2024.csv-labels.csv'
    """
    ascii_title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^A-Za-z0-9._]+", "-", ascii_title)[:MAX_NAME].strip("-.")
    return f"{stem or 'table'}-{name}"
