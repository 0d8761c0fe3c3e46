"""What requests say, checked: answers, changes and names as the page sends them."""

from collections.abc import Iterable, Mapping
from typing import Any

from sameornot._types import Answer, Pair
from sameornot.service.entry import Change, Lease
from sameornot.service.errors import ServiceError
from sameornot.service.events import Disregarded
from sameornot.service.log import Log
from sameornot.service.proposal import NewAnswer
from sameornot.service.session_state import SessionState

LONGEST_NAME = 200
REMOVE = "remove"


def read_answer(answer: Any) -> Answer:
    """An answer by its name."""
    try:
        return Answer(answer)
    except ValueError:
        raise ServiceError(f"the answer is {answer!r} but same, different or unsure is needed") from None


def read_change(change: Mapping[str, Any]) -> Change:
    """A correction of an earlier answer, or its removal."""
    to = change["to"]
    candidates = tuple(int(row) for row in change.get("candidates", ()))
    return Change(int(change["seq"]), None if to == REMOVE else read_answer(to), candidates)


def read_new_answer(said: Mapping[str, Any], state: SessionState) -> NewAnswer:
    """An answer that comes with changes."""
    pair = Pair(read_row(said["left"], state), read_row(said["right"], state))
    others = tuple(read_row(row, state) for row in said.get("others", ()))
    if len({*pair, *others}) < 2 + len(others):
        raise ServiceError("different records are needed")
    return NewAnswer(pair, read_answer(said["answer"]), said.get("question"), others=others)


def read_chosen(
    lease: Lease, answer: Answer, candidate: int | None, seconds: float | None = None
) -> NewAnswer:
    """An answer to a choice: "same" as a candidate, "different" from all of them, or "unsure"."""
    if (answer is Answer.SAME) != (candidate is not None):
        raise ServiceError("the answer “same” needs a candidate, and no other answer has one")
    chosen = lease.pair.right if candidate is None else candidate
    if chosen not in lease.candidates:
        raise ServiceError(f"row {chosen!r} was not shown in question {lease.question}: reload the page")
    others = tuple(row for row in lease.candidates if row != chosen)
    return NewAnswer(Pair(lease.pair.left, chosen), answer, lease.question, seconds, others)


def read_disregarded(source: int, items: Iterable[int], log: Log) -> Disregarded:
    """The items of a source that are to be left out."""
    known = next((known for known in log.knowledge.sources if known.seq == source), None)
    if known is None:
        raise ServiceError("this source is not there any more: look at the history again")
    wanted = sorted(set(items))
    if wanted and not 0 <= wanted[0] <= wanted[-1] < len(known.items):
        raise ServiceError(f"{known.name} has {len(known.items)} items, and {wanted[-1]} is none of them")
    return Disregarded(source, tuple(wanted))


def read_more_disregarded(places: Iterable[Mapping[str, Any]], log: Log) -> tuple[Disregarded, ...]:
    """The items that are left out already, and some more."""
    more: dict[int, set[int]] = {}
    for place in places:
        more.setdefault(int(place["source"]), set()).add(int(place["at"]))
    removed = {known.seq: known.removed for known in log.knowledge.sources}
    return tuple(
        read_disregarded(source, items | removed.get(source, frozenset()), log)
        for source, items in more.items()
    )


def read_row(row: Any, state: SessionState) -> int:
    """A row that questions can be about."""
    if not isinstance(row, int) or isinstance(row, bool) or not state.has_row(row):
        raise ServiceError(f"row {row!r} is none of those that can be asked about")
    return row


def read_name(name: Any) -> str:
    """A name on one line."""
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        raise ServiceError(f"a name of at most {LONGEST_NAME} characters is needed")
    whole = name.encode("utf-8", "ignore").decode()  # half a surrogate pair could not be written to a file
    return " ".join(whole.split())
