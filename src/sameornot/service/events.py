"""What the events of a session hold: each kind is a class, and `draft` makes one that can be stored.

An event that cannot be applied raises an EventError: it names something that this session does not have.
"""

from collections.abc import Container
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, ClassVar

from sameornot._types import Answer, Pair
from sameornot.service.knowledge import Item, LabelItem, PairItem
from sameornot.store import Draft

# Of the events. Since 2, "shown" and "answered" say whether the question is a recheck; since 3, they may
# name the other candidates of a choice; since 4, there are personal links and second opinions; since 5, what
# was known before the first question.
FORMAT = 5
# Most candidates of a choice, beside the first.
MAX_OTHERS = 8


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
    """A pair, or with `others` a choice, was given to a person; `is_recheck` is None in old logs.

    `is_second`: the pair was drawn at random from those that another person has answered.
    """

    kind: ClassVar[str] = "shown"
    pair: Pair
    is_recheck: bool | None
    others: tuple[int, ...] = ()
    is_second: bool = False

    def data(self) -> dict[str, Any]:
        """What is stored."""
        data = {"left": self.pair.left, "right": self.pair.right, "recheck": self.is_recheck}
        return data | _optional("others", self.others) | ({"second": True} if self.is_second else {})


@dataclass(frozen=True)
class Answered:
    """A person answered a `question` that was shown, or (None) told about a pair of her own choice.

    `others` are the other candidates of a choice, as in a `Reply`.
    """

    kind: ClassVar[str] = "answered"
    pair: Pair
    answer: Answer
    step: int
    question: int | None = None
    seconds: float | None = None
    is_recheck: bool | None = False
    others: tuple[int, ...] = ()

    def data(self) -> dict[str, Any]:
        """What is stored."""
        data = {
            "left": self.pair.left,
            "right": self.pair.right,
            "answer": self.answer.value,
            "step": self.step,
            "question": self.question,
            "seconds": self.seconds,
            "recheck": self.is_recheck,
        }
        return data | _optional("others", self.others)


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
    """The answer with this number was corrected.

    Of a choice, `candidates` are those that are left, the one that the answer names first; () for all.
    """

    kind: ClassVar[str] = "changed"
    answer: int
    to: Answer
    candidates: tuple[int, ...] = ()

    def data(self) -> dict[str, Any]:
        """What is stored."""
        return {"answer": self.answer, "to": self.to.value} | _optional("candidates", self.candidates)


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
class Preferred:
    """How many groups a person wants to choose from at once: 1 for pairs, None for what saves questions."""

    kind: ClassVar[str] = "preferred"
    choices: int | None

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


@dataclass(frozen=True)
class Invited:
    """A personal link was made; of its token, the SHA-256 hash is stored."""

    kind: ClassVar[str] = "invited"
    link: str
    name: str
    role: str
    token_hash: str
    expires: datetime | None = None

    def data(self) -> dict[str, Any]:
        """What is stored."""
        return asdict(self) | {"expires": None if self.expires is None else self.expires.isoformat()}


@dataclass(frozen=True)
class Revoked:
    """A personal link was taken back."""

    kind: ClassVar[str] = "revoked"
    link: str

    def data(self) -> dict[str, Any]:
        """What is stored."""
        return asdict(self)


@dataclass(frozen=True)
class Overlapped:
    """The share of questions that go to a second person was set."""

    kind: ClassVar[str] = "overlapped"
    share: float

    def data(self) -> dict[str, Any]:
        """What is stored."""
        return asdict(self)


@dataclass(frozen=True)
class Learned:
    """What a column or a file says was known before the first question.

    It takes the place of what that source said before.
    """

    kind: ClassVar[str] = "learned"
    source: str
    items: tuple[Item, ...]

    def data(self) -> dict[str, Any]:
        """What is stored."""
        labels = [[item.row, item.label] for item in self.items if isinstance(item, LabelItem)]
        pairs = [
            [item.left, item.right, item.answer.value, item.line]
            for item in self.items
            if isinstance(item, PairItem)
        ]
        return {"source": self.source} | ({"labels": labels} if labels else {"pairs": pairs})


@dataclass(frozen=True)
class Disregarded:
    """The items of a source that are left out: these, and no others."""

    kind: ClassVar[str] = "disregarded"
    source: int
    items: tuple[int, ...]

    def data(self) -> dict[str, Any]:
        """What is stored."""
        return {"source": self.source, "items": list(self.items)}


SessionEvent = (
    Opened
    | Shown
    | Answered
    | Retracted
    | Changed
    | Named
    | Regrouped
    | Introduced
    | Preferred
    | Left
    | Invited
    | Revoked
    | Overlapped
    | Learned
    | Disregarded
)


def draft(person: str, event: SessionEvent) -> Draft:
    """The event as it goes into the store."""
    return Draft(person, event.kind, event.data())


def _optional(name: str, rows: tuple[int, ...]) -> dict[str, Any]:
    return {name: list(rows)} if rows else {}
