"""Sessions in one file that every kind of store can write and read: compressed lines of JSON.

The first line says what the file is, the last one how many events there are: a file that was cut short is
refused before anything is stored. A session is restored whole, in one transaction, with the times and numbers
of its events.
"""

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from sameornot.store.contract import Event, Store, StoreError

KIND = "sameornot backup"
FORMAT = 1


@dataclass(frozen=True)
class Restored:
    """What became of a session of a backup: "restored", or "there already" where the store has it."""

    session: str
    n_events: int
    outcome: str


def write_backup(store: Store, file: IO[bytes], sessions: Sequence[str]) -> int:
    """Write these sessions to a file; returns the number of events."""
    n_events = 0
    with gzip.open(file, "wt", encoding="utf-8", newline="\n") as lines:
        _write(lines, {"kind": KIND, "format": FORMAT, "made": datetime.now(UTC).isoformat()})
        for session in sessions:
            for event in store.read(session):
                _write(lines, {"session": session, **_as_json(event)})
                n_events += 1
        _write(lines, {"kind": "end", "events": n_events})
    return n_events


def read_backup(path: Path) -> dict[str, list[Event]]:
    """The events of each session in a file; a StoreError if it is no backup or not all of one."""
    sessions: dict[str, list[Event]] = {}
    n_events, end = 0, None
    try:
        for line in _lines(path):
            if line.get("kind") == "end" and "session" not in line:
                end = line["events"]
                continue
            sessions.setdefault(line["session"], []).append(_event(line))
            n_events += 1
    except (EOFError, zlib.error, gzip.BadGzipFile, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(
            f"{path} is no backup of sameornot, or damaged ({error}): take another copy."
        ) from None
    if end != n_events:
        raise StoreError(f"{path} is not complete: it has {n_events} events and no matching end.")
    for session, events in sessions.items():
        if [event.seq for event in events] != list(range(1, len(events) + 1)):
            raise StoreError(f"{path} is damaged: the events of session {session} have gaps.")
    return sessions


def restore_backup(store: Store, sessions: dict[str, list[Event]]) -> list[Restored]:
    """Add sessions to a store. Those that it has, perhaps with more events, are left as they are.

    A StoreError, and nothing is stored, if the store has a session of the same name with other events.
    """
    known = {session: store.read(session) for session in sessions}
    for session, events in sessions.items():
        if known[session] and known[session][: len(events)] != events:
            raise StoreError(
                f"The store has a session {session} with other events: delete it, or choose another store."
            )
    outcomes = []
    for session, events in sessions.items():
        if not known[session]:
            store.restore(session, events)
        outcomes.append(Restored(session, len(events), "there already" if known[session] else "restored"))
    return outcomes


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        head = json.loads(next(lines, "null"))
        if not isinstance(head, dict) or head.get("kind") != KIND:
            raise ValueError("its first line is another")
        if head["format"] > FORMAT:
            raise StoreError(f"{path} was written by a newer version of sameornot: upgrade sameornot.")
        yield from map(json.loads, lines)


def _write(lines: Any, value: dict[str, Any]) -> None:
    lines.write(json.dumps(value, allow_nan=False) + "\n")


def _as_json(event: Event) -> dict[str, Any]:
    return {
        "seq": event.seq,
        "at": event.at.isoformat(),
        "author": event.author,
        "event": event.kind,
        "data": event.data,
    }


def _event(line: dict[str, Any]) -> Event:
    at = datetime.fromisoformat(line["at"])
    if at.tzinfo is None or not isinstance(line["data"], dict) or not isinstance(line["seq"], int):
        raise ValueError("an event is malformed")
    return Event(line["seq"], at, line["author"], line["event"], line["data"])
