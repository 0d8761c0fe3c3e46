"""The page from Python: a notebook opens it on a table and takes the labels back."""

import secrets
import threading
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pandas as pd

from sameornot.export.labels import labels_table
from sameornot.service import Desk, Options
from sameornot.store import default_store, open_store
from sameornot.table import Excerpt, read_excerpt, read_table
from sameornot.web.server import LOOPBACK, PageServer


class Page:
    """A labelling page that is served in the background; made by `open_page`.

    `address` is what to open in a browser. Leaving a `with` block, or `close`, ends it; the answers stay in
    the store, and a page that is opened on the same table goes on from them.
    """

    def __init__(self, desk: Desk, server: PageServer, closing: ExitStack) -> None:
        self.desk = desk
        self.address = server.address
        self._server = server
        self._closing = closing
        self._thread = threading.Thread(target=server.run, name="sameornot page", daemon=True)
        self._thread.start()

    def labels(self) -> pd.DataFrame:
        """The group of every row as things stand, in the order of the table; `row` counts them from 1."""
        return labels_table(self.desk.snapshot())

    def close(self) -> None:
        """Stop serving; once is enough, and more does no harm."""
        self._server.should_exit = True
        self._thread.join()
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Page {self.desk.title!r} at {self.address}>"


def open_page(
    table: pd.DataFrame | str | Path,
    n_clusters: int | None = None,
    store: str | Path | None = None,
    *,
    title: str | None = None,
    new: bool = False,
    host: str = LOOPBACK,
    port: int = 0,
    token: str | None = None,
    **options: Any,
) -> Page:
    """Open the labelling page on a table, without waiting for the person to be done.

    Parameters
    ----------
    table : DataFrame, or path of a CSV, TSV, Parquet or XLSX file or of a folder of Parquet files
        Of a large one some rows are held in memory, and questions are about those.
    n_clusters : number of groups, optional
        Found from the answers unless given.
    store : path or postgresql:// address, optional
        Where the answers are kept; this user's own file unless given.
    title, new
        What the page is called; whether to begin anew although there are answers on this table.
    host, port, token
        As for `serve`; a token is made unless given, and is part of the page's address.
    **options
        Those of `sameornot.service.Options`: id, show, ignore, image, budget, seed, pool.
    """
    path = None if isinstance(table, pd.DataFrame) else Path(table)
    read = Excerpt.of(read_table(table)) if isinstance(table, pd.DataFrame) else read_excerpt(Path(table))
    called = title or ("Table" if path is None else path.stem)
    with ExitStack() as closing:
        opened = open_store(default_store() if store is None else store)
        closing.callback(opened.close)
        wanted = Options(clusters=n_clusters, **options)
        desk = Desk.open(opened, read, title=called, path=path, new=new, options=wanted)
        closing.callback(desk.close)
        server = PageServer(desk, host=host, port=port, token=token or secrets.token_urlsafe(24))
        return Page(desk, server, closing.pop_all())
