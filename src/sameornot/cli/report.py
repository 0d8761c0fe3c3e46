"""`sameornot report`: the report of a session as one page."""

from pathlib import Path
from typing import Annotated

import typer

from sameornot.cli.common import check_file
from sameornot.cli.errors import explained_errors
from sameornot.cli.opening import open_session
from sameornot.cli.options import MovedFeaturesOption, SessionArgument, StoreOption, TableOption
from sameornot.cli.output import write_text


def report(
    session: SessionArgument = None,
    out: Annotated[Path, typer.Option(help="File of the page.")] = Path("report.html"),
    table: TableOption = None,
    store: StoreOption = None,
    features: MovedFeaturesOption = None,
) -> None:
    """Write one self-contained HTML page: the groups, how they differ, the answers and the confidence."""
    check_file(out)
    with explained_errors():
        from sameornot.export import write_report

        with open_session(session, store, table, features=features) as service:
            page = write_report(service.snapshot())
        write_text(out, page)
