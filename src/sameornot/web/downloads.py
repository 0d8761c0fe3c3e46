"""What the person takes home, as files that the browser saves."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from sameornot.export.labels import answers_table, labels_texts
from sameornot.export.model import Model
from sameornot.export.report import write_report
from sameornot.export.spreadsheet import write_csv
from sameornot.service import Desk, Snapshot

MAX_NAME = 60


class Download(NamedTuple):
    """How the texts of a file are made, one after the other, and what it is."""

    make: Callable[[Snapshot], Iterator[str]]
    media_type: str


DOWNLOADS = {
    "labels.csv": Download(labels_texts, "text/csv"),
    "answers.csv": Download(lambda snapshot: iter([write_csv(answers_table(snapshot))]), "text/csv"),
    "model.json": Download(
        lambda snapshot: iter([json.dumps(Model.from_snapshot(snapshot).to_json())]), "application/json"
    ),
    "report.html": Download(lambda snapshot: iter([write_report(snapshot)]), "text/html"),
}


def download_response(desk: Desk, name: str) -> Response:
    """A file of that name, made from the session as it stands."""
    if name not in DOWNLOADS:
        raise HTTPException(404, f"there is no such file: choose one of {', '.join(DOWNLOADS)}")
    make, media_type = DOWNLOADS[name]
    headers = {"content-disposition": f'attachment; filename="{file_name(desk.title, name)}"'}
    texts = make(desk.snapshot())
    start = list(islice(texts, 2))  # what goes wrong here can still be said in a sentence
    if len(start) < 2:
        return Response("".join(start), media_type=media_type, headers=headers)
    return StreamingResponse(chain(start, texts), media_type=media_type, headers=headers)


def file_name(title: str, name: str) -> str:
    """A name for the file that every system takes: plain letters, digits, dots and dashes.

    >>> file_name("Zürich: patients/2024.csv", "labels.csv")
    'Zurich-patients-2024.csv-labels.csv'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    words = re.sub(r"[^A-Za-z0-9._]+", "-", plain)[:MAX_NAME].strip("-.")
    return f"{words or 'table'}-{name}"
