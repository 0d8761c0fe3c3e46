"""The page from Python: open it on a table, for example in a notebook, and read the labels."""

import secrets
import threading
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pandas as pd

from sameornot.embedding import EmbeddingModels
from sameornot.export.labels import labels_table
from sameornot.service import LabellingService, Options
from sameornot.store import default_store, open_store, vectors_beside
from sameornot.table import TableSample, read_sample, read_table
from sameornot.web.address import LOOPBACK
from sameornot.web.server import Binding, PageServer


class Page:
    """A labelling page that is served in the background; made by `open_page`.

    Open `address` in a browser. Closing it, or leaving its `with` block, stops the server. The answers stay
    in the store, and a page opened on the same table resumes the session.
    """

    def __init__(self, service: LabellingService, server: PageServer, resources: ExitStack) -> None:
        self.service = service
        self.address = server.address
        self._server = server
        self._resources = resources
        self._thread = threading.Thread(target=server.run, name="sameornot page", daemon=True)
        self._thread.start()

    def labels(self) -> pd.DataFrame:
        """The current group of every row, in the order of the table; `row` counts from 1."""
        return labels_table(self.service.snapshot())

    def close(self) -> None:
        """Stop the server; closing twice does no harm."""
        self._server.should_exit = True
        self._thread.join()
        self._resources.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Page {self.service.title!r} at {self.address}>"


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
    public_url: str | None = None,
    **options: Any,
) -> Page:
    """Open the labelling page on a table and return at once.

    Parameters
    ----------
    table : DataFrame or path
        A CSV, TSV, Parquet or XLSX file, or a folder of Parquet files. Of a large table a sample of the rows
        is held in memory, and questions are about those.
    n_clusters : int, optional
        Number of groups. If omitted, it is estimated from the answers.
    store : path or postgresql:// address, optional
        Where the answers are kept; by default a file in the user's data folder.
    title : str, optional
        Title of the page; by default the name of the file.
    new : bool
        Start a new session. Earlier answers about this table are kept.
    host, port, token, public_url
        As for `Binding`. If the token is omitted, a random one is generated. It is part of the address.
    **options
        Fields of `sameornot.service.Options`: id, show, ignore, image, budget, seed, pool, text, image_model.
        The last two can also be functions, as `sameornot.embedding.EmbeddingModels` describes.
    """
    path = None if isinstance(table, pd.DataFrame) else Path(table)
    sample = (
        TableSample.of(read_table(table)) if isinstance(table, pd.DataFrame) else read_sample(Path(table))
    )
    name = title or ("Table" if path is None else path.stem)
    with ExitStack() as resources:
        opened = open_store(default_store() if store is None else store)
        resources.callback(opened.close)
        own = {"text": options.get("text"), "image": options.get("image_model")}
        functions = {kind: model for kind, model in own.items() if callable(model)}
        named = {option: value for option, value in options.items() if not callable(value)}
        service = LabellingService.open(
            opened,
            sample,
            title=name,
            path=path,
            new=new,
            options=Options(clusters=n_clusters, **named),
            models=EmbeddingModels(**functions, cache=vectors_beside(store)),
        )
        resources.callback(service.close)
        binding = Binding(host, port, token or secrets.token_urlsafe(24), public_url=public_url)
        return Page(service, PageServer(service, binding), resources.pop_all())
