"""What the events of a session hold, and how stored ones are checked.

Each kind of event is a class; `read_event` makes one of a stored event, and `draft` the other way round. An
event that cannot be applied raises an EventError: it names something that this session does not have.
"""

from collections.abc import Callable, Container
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from sameornot._types import Answer, Pair
from sameornot.store import Draft, Event

# Of the events. Since 2, "shown" and "answered" say whether the question is a recheck.
FORMAT = 2


class EventError(ValueError):
    """An event that cannot be applied; the message says why."""


@dataclass(frozen=True)
class Limits:
    """What events can be about: rows of the table, and how many groups there can be at most."""

    rows: Container[int]
    max_groups: int

    def check_row(self, row: Any) -> int:
        """A row that can be asked about."""
        if not isinstance(row, int) or isinstance(row, bool) or row not in self.rows:
            raise EventError(f"row {row!r} is not in the table")
        return row

    def check_clusters(self, clusters: Any) -> int | None:
        """A number of groups that there can be, or None."""
        if clusters is None:
            return None
        if not isinstance(clusters, int) or isinstance(clusters, bool) or clusters < 1:
            raise EventError(f"{clusters!r} groups are wanted but 1 or more is needed")
        if clusters > self.max_groups:
            raise EventError(
                f"{clusters} groups are wanted but questions are about {self.max_groups} rows of the table"
            )
        return clusters


@dataclass(frozen=True)
class Opened:
    """The session was begun or resumed, with these options."""

    kind: ClassVar[str] = "opened"
    options: dict[str, Any]

    def data(self) -> dict[str, Any]:
        """What is stored."""
        return self.options


@dataclass(frozen=True)
class Shown:
    """A pair was given to a person; `is_recheck` is None in logs that do not say."""

    kind: ClassVar[str] = "shown"
    pair: Pair
    is_recheck: bool | None

    def data(self) -> dict[str, Any]:
        """What is stored."""
        return {"left": self.pair.left, "right": self.pair.right, "recheck": self.is_recheck}


@dataclass(frozen=True)
class Answered:
    """A person answered a `question` that was shown, or (None) told about a pair of her own choice."""

    kind: ClassVar[str] = "answered"
    pair: Pair
    answer: Answer
    step: int
    question: int | None = None
    seconds: float | None = None
    is_recheck: bool | None = False

    def data(self) -> dict[str, Any]:
        """What is stored."""
        return {
            "left": self.pair.left,
            "right": self.pair.right,
            "answer": self.answer.value,
            "step": self.step,
            "question": self.question,
            "seconds": self.seconds,
            "recheck": self.is_recheck,
        }


@dataclass(frozen=True)
class Retracted:
    """The answer with this number was taken back."""

    kind: ClassVar[str] = "retracted"
    answer: int

    def data(self) -> dict[str, Any]:
        """What is stored."""
        return asdict(self)


@dataclass(frozen=True)
class Changed:
    """The answer with this number was corrected."""

    kind: ClassVar[str] = "changed"
    answer: int
    to: Answer

    def data(self) -> dict[str, Any]:
        """What is stored."""
        return {"answer": self.answer, "to": self.to.value}


@dataclass(frozen=True)
class Named:
    """The group of a row was given a name."""

    kind: ClassVar[str] = "named"
    row: int
    name: str

    def data(self) -> dict[str, Any]:
        """What is stored."""
        return asdict(self)


@dataclass(frozen=True)
class Regrouped:
    """The number of groups was set; None leaves it to the answers."""

    kind: ClassVar[str] = "regrouped"
    clusters: int | None

    def data(self) -> dict[str, Any]:
        """What is stored."""
        return asdict(self)


@dataclass(frozen=True)
class Introduced:
    """A person said what to call her."""

    kind: ClassVar[str] = "introduced"
    name: str

    def data(self) -> dict[str, Any]:
        """What is stored."""
        return asdict(self)


@dataclass(frozen=True)
class Left:
    """A person closed her page: her question is free for others."""

    kind: ClassVar[str] = "left"

    def data(self) -> dict[str, Any]:
        """What is stored."""
        return {}


SessionEvent = Opened | Shown | Answered | Retracted | Changed | Named | Regrouped | Introduced | Left


def draft(person: str, event: SessionEvent) -> Draft:
    """The event as it goes into the store."""
    return Draft(person, event.kind, event.data())


def read_event(stored: Event, limits: Limits) -> SessionEvent:
    """What a stored event says; an EventError if it cannot be applied."""
    read = _READERS.get(stored.kind)
    if read is None:
        raise EventError(f"events of the kind {stored.kind!r} are not known to this version")
    try:
        return read(stored, limits)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise (
            error if isinstance(error, EventError) else EventError(f"its data are malformed: {error!r}")
        ) from None


def rows_of(event: SessionEvent) -> tuple[int, ...]:
    """The rows of the table that an event names."""
    if isinstance(event, Shown | Answered):
        return event.pair
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
    return Shown(_pair(stored.data, limits), _flag(stored.data.get("recheck")))


def _answered(stored: Event, limits: Limits) -> Answered:
    data = stored.data
    step, question, seconds = _whole(data["step"]), data["question"], data["seconds"]
    if not 0 <= step <= stored.seq:
        raise EventError(f"step {step} cannot have been reached by event {stored.seq}")
    return Answered(
        _pair(data, limits),
        Answer(data["answer"]),
        step,
        None if question is None else _whole(question),
        None if seconds is None else float(seconds),
        _flag(data.get("recheck")),
    )


def _pair(data: dict[str, Any], limits: Limits) -> Pair:
    pair = Pair(*(limits.check_row(data[side]) for side in ("left", "right")))
    if pair.left == pair.right:
        raise EventError(f"row {pair.left} is compared with itself")
    return pair


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise EventError(f"{value!r} stands where a whole number is needed")
    return value


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
    "changed": lambda stored, limits: Changed(_whole(stored.data["answer"]), Answer(stored.data["to"])),
    "named": lambda stored, limits: Named(limits.check_row(stored.data["row"]), _text(stored.data["name"])),
    "regrouped": lambda stored, limits: Regrouped(limits.check_clusters(stored.data["clusters"])),
    "introduced": lambda stored, limits: Introduced(_text(stored.data["name"])),
    "left": lambda stored, limits: Left(),
}
