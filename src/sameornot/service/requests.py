"""What requests say, checked: answers, changes and names as the page sends them."""

from collections.abc import Mapping
from typing import Any

from sameornot._types import Answer, Pair
from sameornot.service.errors import ServiceError
from sameornot.service.log import Change
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
    return Change(int(change["seq"]), None if to == REMOVE else read_answer(to))


def read_new_answer(said: Mapping[str, Any], state: SessionState) -> NewAnswer:
    """An answer that comes with changes."""
    pair = Pair(read_row(said["left"], state), read_row(said["right"], state))
    return NewAnswer(pair, read_answer(said["answer"]), said.get("question"))


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
