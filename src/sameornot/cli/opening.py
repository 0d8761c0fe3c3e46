"""How commands open a session: on a table, to be answered, or from the store, to be read."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sameornot.cli.common import fail, printable
from sameornot.cli.options import OpenOptions

if TYPE_CHECKING:
    from sameornot.service import LabellingService
    from sameornot.service.events import Learned
    from sameornot.store import SessionLine, Store
    from sameornot.table import TableSample

# Reading a larger file, or a folder, takes a while, and a message says so.
SLOW_BYTES = 20_000_000


@contextmanager
def open_table(options: OpenOptions) -> "Iterator[LabellingService]":
    """Open the session of a table: the one that is in the store, or a new one."""
    from sameornot.cli.output import embedding_progress
    from sameornot.embedding import EmbeddingModels
    from sameornot.service import LabellingService, Options
    from sameornot.store import default_store, open_store, vectors_beside

    settings = Options(
        clusters=options.clusters,
        id=options.id_column,
        show=split_columns(options.show),
        ignore=ignored_columns(options),
        image=split_columns(options.image),
        text=options.text,
        image_model=options.image_model,
        budget=options.budget,
        seed=options.seed,
    )
    path = options.table
    sample = read_with_message(path, options.engine)
    if options.features is not None:
        sample = add_features(sample, options.features, path, options.id_column)
        settings = replace(settings, features=options.features.stem)
    learned = read_known(sample, options)
    store = open_store(options.store or default_store())
    try:
        title = printable(path.name)
        with embedding_progress() as progress:
            models = EmbeddingModels(cache=vectors_beside(options.store), progress=progress)
            service = LabellingService.open(
                store, sample, title=title, path=path, new=options.new, options=settings, models=models
            )
    except BaseException:
        store.close()
        raise
    try:
        for source in learned:
            service.learn(source)
        yield service
    finally:
        service.close()


def ignored_columns(options: OpenOptions) -> list[str] | None:
    """The columns that are not learned from: those asked for, and that of the known labels."""
    asked = split_columns(options.ignore)
    return asked if options.labels is None else [*(asked or []), options.labels]


def read_known(sample: "TableSample", options: OpenOptions) -> "list[Learned]":
    """The labels and pairs that are known already; lines that cannot be used are named."""
    from sameornot.service.known_files import read_labels, read_pairs

    learned = [] if options.labels is None else [read_labels(sample, options.labels)]
    if options.pairs is not None:
        reading = read_pairs(options.pairs, sample, options.id_column)
        for notice in reading.notices:
            typer.echo(printable(notice), err=True)
        learned.append(reading.learned)
    return learned


def add_features(sample: "TableSample", features: Path, table: Path, id_column: str | None) -> "TableSample":
    """The table with the vectors of a file beside it."""
    from sameornot.table import read_features

    vectors = read_features(features, id_column)
    return sample.with_features(vectors, title=printable(table.name), id_column=id_column)


def split_columns(columns: list[str] | None) -> list[str] | None:
    """Column names given as a,b,c or by repeating the option."""
    return None if columns is None else [name for names in columns for name in names.split(",") if name]


def read_with_message(table: Path, engine: str | None = None) -> "TableSample":
    """Read a table; if it is large, say that this takes a while."""
    from sameornot.table import read_sample

    if engine is not None and not table.is_dir():
        fail(f"--engine is for a folder of Parquet files, and {table} is one file")
    if table.is_dir() or (table.is_file() and table.stat().st_size > SLOW_BYTES):
        typer.echo(f"Reading {printable(table.name)}: this may take a minute.", err=True)
    return read_sample(table, engine)


@contextmanager
def open_session(
    session: str | None,
    store: str | None,
    table: Path | None,
    engine: str | None = None,
    features: Path | None = None,
) -> "Iterator[LabellingService]":
    """Open a session that is in the store, to be read and not to be answered."""
    from sameornot.cli.output import embedding_progress
    from sameornot.embedding import EmbeddingModels
    from sameornot.service import LabellingService
    from sameornot.store import default_store, open_store, vectors_beside

    opened = open_store(store or default_store())
    try:
        line = find_session(opened, session)
        path = table or (Path(line.opened["path"]) if line.opened["path"] else None)
        if path is None:
            fail(f"session {line.session} was begun on a table without a file: give it with --table")
        sample = read_with_message(path, engine)
        beside = features or line.opened.get("features_path")
        if beside:
            sample = add_features(sample, Path(beside), path, line.opened.get("id"))
        with embedding_progress() as progress:
            models = EmbeddingModels(cache=vectors_beside(store), progress=progress)
            service = LabellingService.open(
                opened, sample, title=line.title, path=path, session=line.session, ahead=False, models=models
            )
        yield service
    finally:
        opened.close()


def find_session(store: "Store", session: str | None) -> "SessionLine":
    """The session of that name, or the last one."""
    lines = store.sessions()
    if not lines:
        fail("there is no session yet: begin one with `sameornot label TABLE`")
    if session is None:
        return lines[0]
    found = next((line for line in lines if line.session == session), None)
    if found is None:
        known = ", ".join(line.session for line in lines[:5])
        fail(f"there is no session {session!r}: the last ones are {known}")
    return found
