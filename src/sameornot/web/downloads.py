"""What the person takes home, as files that the browser saves."""

import json
import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import Response

from sameornot.desk import Desk, Snapshot
from sameornot.handover.labels import answers_table, labels_table, write_csv
from sameornot.handover.model import Model
from sameornot.handover.report import write_report

MAX_NAME = 60


class Download(NamedTuple):
    """How a file is made, and what it is."""

    make: Callable[[Snapshot], str]
    media_type: str


DOWNLOADS = {
    "labels.csv": Download(lambda snapshot: write_csv(labels_table(snapshot)), "text/csv"),
    "answers.csv": Download(lambda snapshot: write_csv(answers_table(snapshot)), "text/csv"),
    "model.json": Download(
        lambda snapshot: json.dumps(Model.from_snapshot(snapshot).to_json()), "application/json"
    ),
    "report.html": Download(write_report, "text/html"),
}


def download_response(desk: Desk, name: str) -> Response:
    """A file of that name, made from the session as it stands."""
    if name not in DOWNLOADS:
        raise HTTPException(404, f"there is no such file: choose one of {', '.join(DOWNLOADS)}")
    make, media_type = DOWNLOADS[name]
    headers = {"content-disposition": f'attachment; filename="{file_name(desk.title, name)}"'}
    return Response(make(desk.snapshot()), media_type=media_type, headers=headers)


def file_name(title: str, name: str) -> str:
    """A name for the file that every system takes: plain letters, digits, dots and dashes.

    >>> file_name("Zürich: patients/2024.csv", "labels.csv")
    'Zurich-patients-2024.csv-labels.csv'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    words = re.sub(r"[^A-Za-z0-9._]+", "-", plain)[:MAX_NAME].strip("-.")
    return f"{words or 'table'}-{name}"
