"""Stored events, checked: what each says, or why it cannot be applied (an EventError)."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sameornot._types import Answer, Pair
from sameornot.service.events import (
    MAX_OTHERS,
    Answered,
    Changed,
    Disregarded,
    EventError,
    Introduced,
    Invited,
    Learned,
    Left,
    Limits,
    Named,
    Opened,
    Overlapped,
    Preferred,
    Regrouped,
    Retracted,
    Revoked,
    SessionEvent,
    Shown,
)
from sameornot.service.knowledge import Item, LabelItem, PairItem
from sameornot.store import Event

MAX_SECONDS = 1e9


def read_event(stored: Event, limits: Limits) -> SessionEvent:
    """What a stored event says; an EventError if it cannot be applied."""
    read = _READERS.get(stored.kind)
    if read is None:
        raise EventError(f"events of the kind {stored.kind!r} are not known to this version")
    try:
        return read(stored, limits)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise (
            error if isinstance(error, EventError) else EventError(f"its data are malformed: {error!r}")
        ) from None


def rows_of(event: SessionEvent) -> tuple[int, ...]:
    """The rows of the table that an event names."""
    if isinstance(event, Shown | Answered):
        return (*event.pair, *event.others)
    if isinstance(event, Learned):
        return tuple(row for item in event.items for row in item.rows)
    return (event.row,) if isinstance(event, Named) else ()


def is_opening(data: dict[str, Any]) -> bool:
    """Whether the data of an "opened" event say which table it is about."""
    kinds = {"title": str, "fingerprint": str, "n_rows": int}
    return all(isinstance(data.get(name), kind) for name, kind in kinds.items())


def _opened(stored: Event, limits: Limits) -> Opened:
    if not is_opening(stored.data):
        raise EventError("the event does not say which table was opened")
    return Opened(stored.data)


def _shown(stored: Event, limits: Limits) -> Shown:
    pair = _pair(stored.data, limits)
    is_second = bool(_flag(stored.data.get("second", False)))
    return Shown(pair, _flag(stored.data.get("recheck")), _others(stored.data, pair, limits), is_second)


def _answered(stored: Event, limits: Limits) -> Answered:
    data = stored.data
    step, question, seconds = _whole(data["step"]), data["question"], data["seconds"]
    if not 0 <= step <= stored.seq:
        raise EventError(f"step {step} cannot have been reached by event {stored.seq}")
    pair = _pair(data, limits)
    return Answered(
        pair,
        Answer(data["answer"]),
        step,
        None if question is None else _whole(question),
        _seconds(seconds),
        _flag(data.get("recheck")),
        _others(data, pair, limits),
    )


def _changed(stored: Event, limits: Limits) -> Changed:
    data = stored.data
    candidates = _rows(data.get("candidates", []), limits)
    return Changed(_whole(data["answer"]), Answer(data["to"]), candidates)


def _preferred(stored: Event, limits: Limits) -> Preferred:
    choices = stored.data["choices"]
    if choices is not None and not 1 <= _whole(choices) <= MAX_OTHERS + 1:
        raise EventError(f"{choices} groups to choose from are wanted but 1 to {MAX_OTHERS + 1} is needed")
    return Preferred(choices)


def _invited(stored: Event, limits: Limits) -> Invited:
    data = stored.data
    link, name, role, token_hash = (_text(data[field]) for field in ("link", "name", "role", "token_hash"))
    expires = data.get("expires")
    until = None if expires is None else datetime.fromisoformat(expires)
    if until is not None and until.tzinfo is None:
        raise EventError(f"the time {expires!r} has no time zone")
    return Invited(link, name, role, token_hash, until)


def _overlapped(stored: Event, limits: Limits) -> Overlapped:
    share = float(stored.data["share"])
    if not 0.0 <= share <= 1.0:
        raise EventError(f"a share of {share} stands where 0 to 1 is needed")
    return Overlapped(share)


def _learned(stored: Event, limits: Limits) -> Learned:
    data = stored.data
    items: list[Item] = [
        LabelItem(limits.check_row(row), _text(label)) for row, label in data.get("labels", ())
    ]
    for left, right, answer, line in data.get("pairs", ()):
        pair = _pair({"left": left, "right": right}, limits)
        items.append(PairItem(*pair, Answer(answer), _whole(line)))
    return Learned(_text(data["source"]), tuple(items))


def _others(data: dict[str, Any], pair: Pair, limits: Limits) -> tuple[int, ...]:
    others = _rows(data.get("others", []), limits)
    if set(pair) & set(others):
        raise EventError(f"rows {others} are shown beside rows {tuple(pair)}: some are the same")
    return others


def _rows(values: Any, limits: Limits) -> tuple[int, ...]:
    rows = tuple(limits.check_row(row) for row in values)
    if len(set(rows)) < len(rows) or len(rows) > MAX_OTHERS + 1:
        raise EventError(f"rows {rows} stand where at most {MAX_OTHERS + 1} different rows are needed")
    return rows


def _pair(data: dict[str, Any], limits: Limits) -> Pair:
    pair = Pair(*(limits.check_row(data[side]) for side in ("left", "right")))
    if pair.left == pair.right:
        raise EventError(f"row {pair.left} is compared with itself")
    return pair


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise EventError(f"{value!r} stands where a whole number is needed")
    return value


def _seconds(value: Any) -> float | None:
    """How long an answer took; an answer holds whatever stands there."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MAX_SECONDS
    return float(value) if is_number else None


def _flag(value: Any) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise EventError(f"{value!r} stands where true or false is needed")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise EventError(f"{value!r} stands where text is needed")
    return value


_READERS: dict[str, Callable[[Event, Limits], SessionEvent]] = {
    "opened": _opened,
    "shown": _shown,
    "answered": _answered,
    "retracted": lambda stored, limits: Retracted(_whole(stored.data["answer"])),
    "changed": _changed,
    "named": lambda stored, limits: Named(limits.check_row(stored.data["row"]), _text(stored.data["name"])),
    "regrouped": lambda stored, limits: Regrouped(limits.check_clusters(stored.data["clusters"])),
    "introduced": lambda stored, limits: Introduced(_text(stored.data["name"])),
    "preferred": _preferred,
    "left": lambda stored, limits: Left(),
    "invited": _invited,
    "revoked": lambda stored, limits: Revoked(_text(stored.data["link"])),
    "overlapped": _overlapped,
    "learned": _learned,
    "disregarded": lambda stored, limits: Disregarded(
        _whole(stored.data["source"]), tuple(_whole(at) for at in stored.data["items"])
    ),
}
