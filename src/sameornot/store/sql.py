"""The store in SQL, for SQLite and PostgreSQL alike: one table of events that is only inserted into.

The primary key (session, seq) orders and guards the log: of two clients that append after the same event, one
fails. The differences between the databases (connection setup, meaning of errors) are in `sqlite.py` and
`postgres.py`.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Table,
    Text,
    case,
    delete,
    exc,
    func,
    insert,
    inspect,
    select,
)

from sameornot.store.contract import Draft, Event, LogGrewError, SessionLine, StoreError
from sameornot.store.drafts import check_name, encode

FORMAT = 1  # of the tables below: a store with a higher number was made by a newer version
SAFE = "what was stored before is safe"

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)

TABLES = MetaData()
ABOUT = Table("sameornot_store", TABLES, Column("format", Integer, primary_key=True, autoincrement=False))
EVENTS = Table(
    "sameornot_events",
    TABLES,
    Column("session", Text, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", Text, nullable=False),  # ISO 8601 in UTC, of one length: sorts as text and reads by eye
    Column("author", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("data", Text, nullable=False),  # JSON as text: comes back as it went in, NUL characters included
    CheckConstraint("seq >= 1", name="sameornot_events_from_one"),
)
ADDS = case((EVENTS.c.kind == "answered", 1), (EVENTS.c.kind == "retracted", -1), else_=0)


@dataclass(frozen=True)
class Backend:
    """A database.

    `place` names it in messages, and `explain` turns its errors into messages. Transactions that write use
    `engine.execution_options(writes=True)`. `before_creation` is called in the transaction that creates the
    tables, `after_opening` once the database is known to be a store. `check` is
    called before each append and `note` after it, to find damage. `clock` is one for all its clients.
    """

    engine: Engine
    place: str
    explain: Callable[[BaseException], str]
    before_creation: Callable[[Connection], None]
    after_opening: Callable[[], None]
    check: Callable[[], None] = lambda: None
    note: Callable[[], None] = lambda: None
    clock: Callable[[Connection], datetime] = lambda connection: datetime.now(UTC)


class SqlStore:
    """A store behind a backend; made by `open_store`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._reader = backend.engine
        self._writer = backend.engine.execution_options(writes=True)
        try:
            self._prepare()
            backend.after_opening()
        except StoreError:
            self.close()
            raise

    def sessions(self) -> list[SessionLine]:
        """Every session that has an event, the one last added to first."""
        log = EVENTS.c
        span = func.min(log.at).label("began"), func.max(log.at).label("last")
        length = func.length
        size = func.sum(length(log.data) + length(log.author) + length(log.kind) + length(log.at))
        counts = func.sum(ADDS).label("n_answers"), func.count().label("n_events"), size.label("n_bytes")
        summary = select(log.session, *counts, *span).group_by(log.session)
        openings = select(log.session, log.data).where(log.kind == "opened").order_by(log.session, log.seq)
        with self._transaction(self._reader) as connection:
            rows = [row._asdict() for row in connection.execute(summary)]
            opened = {row.session: _data(row.data) for row in connection.execute(openings)}
        lines = [_session_line(row, opened.get(row["session"], {})) for row in rows]
        return sorted(lines, key=lambda line: (line.last, line.session), reverse=True)

    def read(self, session: str, after: int = 0) -> list[Event]:
        """The events numbered above `after`, in order; none for a session that is not known."""
        log = EVENTS.c
        wanted = (log.session == check_name("session", session)) & (log.seq > after)
        query = select(log.seq, log.at, log.author, log.kind, log.data).where(wanted).order_by(log.seq)
        with self._transaction(self._reader) as connection:
            return [_event(row._asdict()) for row in connection.execute(query)]

    def now(self) -> datetime:
        """The clock that events are stamped with, in UTC."""
        with self._transaction(self._reader) as connection:
            return self._backend.clock(connection)

    def append(self, session: str, drafts: Sequence[Draft], *, after: int) -> list[Event]:
        """Add events behind event number `after`, all or none; they are on disk when this returns."""
        key = {"session": check_name("session", session)}
        rows = [{**key, "seq": seq, **encode(draft)} for seq, draft in enumerate(drafts, after + 1)]
        self._backend.check()
        with self._transaction(self._writer) as connection:
            self._check_end(connection, session, after)
            at = _utc(self._backend.clock(connection))
            rows = [{**row, "at": at} for row in rows]
            if rows:
                _insert(connection, rows)
        self._backend.note()
        return [_event(row) for row in rows]

    def restore(self, session: str, events: Sequence[Event]) -> None:
        """Add all events of a session that the store does not have, as they are."""
        key = check_name("session", session)
        rows = [
            {"session": key, "seq": event.seq, "at": _utc(event.at), **encode(_draft(event))}
            for event in events
        ]
        with self._transaction(self._writer) as connection:
            self._check_end(connection, session, 0)
            if rows:
                _insert(connection, rows)

    def delete(self, session: str) -> int:
        """Remove a session with all of its events for good; returns their number."""
        with self._transaction(self._writer) as connection:
            found = connection.execute(
                delete(EVENTS).where(EVENTS.c.session == check_name("session", session))
            )
            return int(found.rowcount)

    def close(self) -> None:
        """Close files and connections."""
        self._backend.engine.dispose()

    def _check_end(self, connection: Connection, session: str, after: int) -> None:
        last = select(func.coalesce(func.max(EVENTS.c.seq), 0)).where(EVENTS.c.session == session)
        end = connection.execute(last).scalar_one()
        if end > after:
            raise LogGrewError(
                f"session {session} has {end} events, not {after}: read the rest and try again"
            )
        if end < after:  # reading again would not help, so this is not LogGrewError
            raise StoreError(
                f"Session {session} has {end} events in {self._backend.place}, but {after} were read before: "
                "the store was replaced or restored from a copy, so open the session again."
            )

    def _prepare(self) -> None:
        """Create missing tables; refuse a store of a newer version."""
        with self._transaction(self._reader) as connection:
            found = self._format(connection)
        if found is not None:
            return
        with self._transaction(self._writer) as connection:
            self._backend.before_creation(connection)
            if self._format(connection) is None:  # still: another process may have been faster
                TABLES.create_all(connection)
                connection.execute(insert(ABOUT).values(format=FORMAT))

    def _format(self, connection: Connection) -> int | None:
        if not inspect(connection).has_table(ABOUT.name):
            return None
        found = connection.execute(select(func.max(ABOUT.c.format))).scalar_one()
        if found > FORMAT:
            raise StoreError(
                f"A newer version of sameornot made {self._backend.place} (its format is {found}, "
                f"not {FORMAT}): upgrade sameornot, or choose another store."
            )
        return int(found)

    @contextmanager
    def _transaction(self, engine: Engine) -> Iterator[Connection]:
        """Commit at the end; what the database reports becomes one sentence."""
        try:
            with engine.begin() as connection:
                yield connection
        except (exc.DBAPIError, exc.TimeoutError) as error:
            if (
                type(error) is exc.DatabaseError
            ):  # damage: no connection may go on with pages it has in memory
                self._backend.engine.dispose()
            raise StoreError(self._backend.explain(error)) from error


def _insert(connection: Connection, rows: list[dict[str, Any]]) -> None:
    try:
        connection.execute(insert(EVENTS), rows)
    except exc.IntegrityError:
        raise LogGrewError("someone else appended at the same moment: read the rest and try again") from None


def _utc(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _draft(event: Event) -> Draft:
    return Draft(event.author, event.kind, event.data)


def _event(row: dict[str, Any]) -> Event:
    return Event(row["seq"], _time(row["at"]), row["author"], row["kind"], _data(row["data"]))


def _time(text: str) -> datetime:
    """The time of an event; that of a damaged row is long ago."""
    try:
        at = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return LONG_AGO
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _data(text: str) -> dict[str, Any]:
    """The data of an event; {} if it is no JSON object: one damaged row must not hide the others."""
    try:
        data = json.loads(text)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _session_line(row: dict[str, Any], opened: dict[str, Any]) -> SessionLine:
    return SessionLine(
        session=row["session"],
        title=str(opened.get("title", row["session"])),
        n_answers=int(row["n_answers"]),
        began=_time(row["began"]),
        last=_time(row["last"]),
        opened=opened,
        n_events=int(row["n_events"]),
        n_bytes=int(row["n_bytes"]),
    )
