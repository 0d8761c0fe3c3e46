"""PostgreSQL as a store, for a team: reached through psycopg 3. No message ever holds a password."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event, exc, make_url, text

from sameornot.store.contract import StoreError
from sameornot.store.sql import SAFE, Backend

CONNECT_SECONDS = 10
SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
CREATION_LOCK = 0x5A3E0247  # advisory lock under which tables are created: any number, but always the same

# A network that went away is noticed within about half a minute, not after the system's hours.
NETWORK = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
# A server may be configured to answer before a commit is on disk: not for this store.
SETTINGS = """
    SELECT set_config('lock_timeout', %(wait)s, false),
           CASE WHEN current_setting('synchronous_commit') = 'off'
                THEN set_config('synchronous_commit', 'on', false) END
"""

# By SQLSTATE, or the first letters of it. A connection that never came about has none.
SENTENCES = {
    "25006": "{place} takes no writes at present ({error}): connect to the server that does.",
    "42501": "{place} does not let this user make or use tables ({error}): ask its owner for the right.",
    "53100": "the disk of {place} is full: make room and try again; {safe}.",
    "55P03": "another program has been writing to {place} for too long: close it and try again.",
    "57P": "{place} was stopped or is starting: try again when it is up; {safe}.",
}
GONE = "{place} cannot be reached ({error}): check that it is up and its address right; {safe}."
OTHERWISE = "{place} could not be used ({error}): try again, or choose another store."


def postgres_backend(address: str, wait: float) -> Backend:
    """The database at an address like postgresql://user:password@host:5432/name.

    `wait`: seconds to wait for another client that is writing.
    """
    url = _read_address(address)
    place = f"the database {url.database or url.username or ''} on {url.host or 'this computer'}"
    try:
        engine = create_engine(
            url,
            connect_args={name: value for name, value in NETWORK.items() if name not in url.query},
            isolation_level="READ COMMITTED",
            pool_pre_ping=True,
            pool_timeout=wait,
            hide_parameters=True,
        )
    except ImportError as error:
        raise StoreError(
            f"A PostgreSQL store needs psycopg ({error}): pip install 'sameornot[postgres]'."
        ) from None
    event.listen(engine, "connect", lambda connection, record: _configure(connection, wait))
    return Backend(
        engine, place, lambda error: _explain(error, place, url), _lock_creation, lambda: None, clock=_clock
    )


def _read_address(address: str) -> URL:
    """The address in parts; nothing of one that cannot be read is repeated, as it may hold a password."""
    scheme = address.partition("://")[0]
    if scheme not in SCHEMES:
        raise StoreError(f"A store at {scheme}:// is not known: use postgresql:// or the path of a file.")
    try:
        if address.count("@") > 1:  # the rest of a password would be taken for a host, and shown
            raise ValueError
        return make_url(address).set(drivername="postgresql+psycopg")
    except (exc.ArgumentError, ValueError):
        raise StoreError(
            "The address of the store cannot be read: write postgresql://user:password@host:5432/database, "
            "with %40 for @, %3A for : and %2F for / within the password."
        ) from None


def _configure(connection: Any, wait: float) -> None:
    connection.execute(SETTINGS, {"wait": f"{round(1000 * wait)}ms"})
    connection.commit()


def _lock_creation(connection: Connection) -> None:
    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": CREATION_LOCK})


def _clock(connection: Connection) -> datetime:
    """The server's clock: the computers of its clients may disagree about the time."""
    now: datetime = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
    return now.astimezone(UTC)


def _explain(error: BaseException, place: str, url: URL) -> str:
    original = getattr(error, "orig", None) or error
    state = getattr(original, "sqlstate", None) or ""
    known = next((sentence for code, sentence in SENTENCES.items() if state.startswith(code)), None)
    lost = not state or state.startswith("08") or getattr(error, "connection_invalidated", False)
    pattern = known or (GONE if lost else OTHERWISE)
    sentence = pattern.format(place=place, error=_reason(original, url), safe=SAFE)
    return sentence[0].upper() + sentence[1:]


def _reason(error: BaseException, url: URL) -> str:
    """What the server or the driver said, without hints on further lines."""
    first = (str(error).splitlines() or [type(error).__name__])[0]
    reason = first.rpartition("FATAL:")[2].strip()
    for secret in (url.password, url.query.get("password")):
        if secret:
            reason = reason.replace(str(secret), "…")
    return reason
