"""Opening a session: a new one for a table that is new, the stored one for a table that is not."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from sameornot.embedding import EmbeddingModels
from sameornot.service.errors import ServiceError
from sameornot.service.event_reading import is_opening, read_event, rows_of
from sameornot.service.events import FORMAT, EventError, Limits, Opened, draft
from sameornot.service.log import Log
from sameornot.service.log_key import LogKey
from sameornot.service.options import Options
from sameornot.service.session_state import IMPOSSIBLE, SessionFactory, split_replies
from sameornot.service.table_view import TableView
from sameornot.store import Event, LogGrewError, SessionLine, Store
from sameornot.table import TableSample


@dataclass(frozen=True)
class TableSource:
    """A table as it is opened: its rows, what to call it, and the file or folder that it came from.

    `models` have the functions that embed its texts and pictures, if any, the cache, and how to report
    progress.
    """

    table: TableSample
    title: str
    path: Path | None = None
    models: EmbeddingModels = field(default_factory=EmbeddingModels)

    @property
    def folder(self) -> Path | None:
        """Where pictures lie."""
        if self.path is None:
            return None
        return self.path if self.path.is_dir() else self.path.parent

    @property
    def description(self) -> dict[str, Any]:
        """What an "opened" event says about the table."""
        path, features = None if self.path is None else str(self.path), self.table.features
        return {
            "title": self.title,
            "path": path,
            "fingerprint": self.table.fingerprint,
            "n_rows": len(self.table),
            "features_path": None if features is None else str(features.path.resolve()),
        }


@dataclass(frozen=True)
class OpenedSession:
    """A session of the store, its options as they are stored, and its table."""

    session: str
    options: Mapping[str, Any]
    table_view: TableView

    @property
    def limits(self) -> Limits:
        """What its events can be about."""
        view = self.table_view
        return Limits(view, min(view.pool_size, view.n_available))


@dataclass(frozen=True)
class Stored:
    """What the store has of a session: its name, its last readable options, and its events."""

    session: str
    opened: Mapping[str, Any]
    events: Sequence[Event] = ()


def open_session(
    store: Store, source: TableSource, options: Options, *, new: bool, session: str | None = None
) -> OpenedSession:
    """The table's session: the last one, that of a name, or a `new` one; its options are stored again."""
    while True:
        stored = _choose_session(store, source, new=new, session=session)
        opened, event = _prepare(stored, source, options)
        if event is None:
            return opened
        try:
            store.append(opened.session, [draft("", event)], after=len(stored.events))
        except LogGrewError:  # somebody else has just opened it, or answered
            new, session = False, opened.session
        else:
            return opened


def _choose_session(store: Store, source: TableSource, *, new: bool, session: str | None) -> Stored:
    lines = [_readable(store, line) for line in store.sessions()]
    line = None if new else _find(lines, source, session)
    if line is not None:
        stored = Stored(line.session, line.opened, store.read(line.session))
        _check_stored(stored, source)
        return stored
    if session is not None:
        raise ServiceError(f"there is no session {session!r} in the store")
    return Stored(_new_name(source, {line.session for line in lines}), {})


def _check_stored(stored: Stored, source: TableSource) -> None:
    if stored.opened.get("fingerprint") != source.table.fingerprint:
        raise ServiceError(
            f"{source.title} is not the table that session {stored.session} was begun with: give that table, "
            "or start a new session with --new; earlier answers are kept"
        )
    version = stored.opened.get("format", 1)
    if not isinstance(version, int) or version > FORMAT:
        raise ServiceError(
            f"session {stored.session} was written by a newer version of sameornot (its format is {version}, "
            f"not {FORMAT}): upgrade sameornot, or start a new session with --new"
        )


def _prepare(stored: Stored, source: TableSource, options: Options) -> tuple[OpenedSession, Opened | None]:
    """The session with these options, and the event that stores them if they are new."""
    table = source.table
    wanted = options.over({**stored.opened, "clusters": None}).check(table).filled(len(table))
    rows = _rows_named(stored.events, len(table))
    models = source.models.with_choices(wanted.text, wanted.image_model, source.folder)
    view = TableView(table, wanted, models=models, rows=rows)
    wanted = replace(wanted, text=view.text_model or wanted.text)
    opened = OpenedSession(stored.session, {**source.description, **asdict(wanted), "format": FORMAT}, view)
    log = Log(opened.limits).extended(stored.events)
    clusters = _choose_clusters(options.clusters, log, SessionFactory(view, view.pool_size, 0))
    opened = replace(opened, options={**opened.options, "clusters": clusters})
    is_stored = bool(stored.opened) and opened.options == {**stored.opened, "clusters": log.clusters}
    return opened, None if is_stored else Opened(dict(opened.options))


def _rows_named(events: Sequence[Event], n_rows: int) -> set[int]:
    """The rows that people have seen."""
    limits = Limits(range(n_rows), n_rows)
    rows: set[int] = set()
    for event in events:
        try:
            rows.update(rows_of(read_event(event, limits)))
        except EventError:
            continue  # the log notes it
    return rows


def _choose_clusters(wanted: int | None, log: Log, factory: SessionFactory) -> int | None:
    """The number of groups that is wanted, which the answers have to allow; else the one that holds."""
    if wanted is None or wanted == log.clusters:
        return log.clusters
    try:
        log.limits.check_clusters(wanted)
        possible, _ = split_replies(factory.closure(log.key), log.key.replies)
        factory.closure(LogKey.of(wanted, known=log.key.known)).of(possible)
    except EventError as error:
        raise ServiceError(str(error)) from None
    except IMPOSSIBLE:
        raise ServiceError(
            f"{wanted} groups are wanted but the answers of this session tell more apart: give more, or "
            "start a new session with --new; earlier answers are kept"
        ) from None
    return wanted


def _readable(store: Store, line: SessionLine) -> SessionLine:
    """The line with the last "opened" event that can be read, {} if there is none."""
    if not line.opened or is_opening(line.opened):
        return line
    events = store.read(line.session)
    opened = (event.data for event in reversed(events) if event.kind == "opened" and is_opening(event.data))
    return replace(line, opened=next(opened, {}))


def _find(lines: Sequence[SessionLine], source: TableSource, session: str | None) -> SessionLine | None:
    """The session of a name; else the last one on the same contents, else on the same file."""
    known = [line for line in lines if line.opened]
    if session is not None:
        return next((line for line in known if line.session == session), None)
    table = source.description
    same = [line for line in known if line.opened["fingerprint"] == table["fingerprint"]]
    files = ("path", "features_path")
    on_file = [
        line
        for line in known
        if table["path"] and all(line.opened.get(file) == table[file] for file in files)
    ]
    return next(iter(same or on_file), None)


def _new_name(source: TableSource, taken: set[str]) -> str:
    """A name that can be typed: the table's, and as much of its fingerprint as tells it from the others."""
    stem = re.sub(r"[^a-z0-9]+", "-", source.title.lower()).strip("-")[:40] or "table"
    name, n = f"{stem}-{source.table.fingerprint[:4]}", 1
    while name in taken:
        n += 1
        name = f"{stem}-{source.table.fingerprint[:4]}-{n}"
    return name
