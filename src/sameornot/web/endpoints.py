"""The HTTP interface: methods of the labelling service by name, and the arguments that each takes.

The fields of a request are the arguments of the method; the person is identified by a cookie.
"""

from typing import NamedTuple

from sameornot.service.links import ROLES
from sameornot.web.validation import (
    Check,
    boolean,
    fields,
    from_query,
    integer,
    list_of,
    number,
    one_of,
    optional,
    text,
)

ANSWER = one_of("same", "different", "unsure")
CHANGE = fields(
    {"seq": integer, "to": one_of("same", "different", "unsure", "remove")}, {"candidates": list_of(integer)}
)
NEW_ANSWER = fields(
    {"left": integer, "right": integer, "answer": ANSWER, "question": optional(integer)},
    {"others": list_of(integer)},
)
NOTHING = fields({})

COMMANDS: dict[str, Check] = {
    "answer": fields({"question": integer, "answer": ANSWER}, {"seconds": optional(number)}),
    "choose": fields(
        {"question": integer, "answer": ANSWER}, {"candidate": optional(integer), "seconds": optional(number)}
    ),
    "prefer": fields({"choices": optional(integer)}),
    "say": fields({"left": integer, "right": integer, "answer": ANSWER}),
    "undo": NOTHING,
    "change": CHANGE,
    "resolve": fields(
        {"said": optional(NEW_ANSWER), "changes": list_of(CHANGE)},
        {"clusters": optional(integer), "disregard": list_of(fields({"source": integer, "at": integer}))},
    ),
    "disregard": fields({"source": integer, "items": list_of(integer)}),
    "ask_about": fields({"row": integer}),
    "wrong": fields({"row": integer}),
    "merge": fields({"a": text, "b": text}, {"confirm": boolean}),
    "name": fields({"group": text, "name": text}),
    "regroup": fields({"clusters": optional(integer)}),
    "introduce": fields({"name": text}),
    "invite": fields({"name": text, "role": one_of(*ROLES)}, {"days": optional(number)}),
    "revoke": fields({"link": text}),
    "overlap": fields({"share": number}),
    "settle": fields({"left": integer, "right": integer, "answer": one_of("same", "different")}),
}
# What only the owner and links with the role "manage" may do; "download" are all downloads.
MANAGED = frozenset({"invite", "revoke", "overlap", "settle", "team", "download"})


class Query(NamedTuple):
    """A method that changes nothing: the check of its arguments, and whether it is given the person."""

    check: Check
    is_personal: bool = False


QUERIES = {
    "state": Query(NOTHING, is_personal=True),
    "picture": Query(NOTHING, is_personal=True),
    "history": Query(NOTHING, is_personal=True),
    "team": Query(NOTHING, is_personal=True),
    "groups": Query(NOTHING),
    "members": Query(
        fields(
            {"group": text, "order": one_of("typical", "unsure", "placed")},
            {"offset": from_query(integer), "limit": from_query(integer)},
        )
    ),
    "record": Query(fields({"row": from_query(integer)})),
}
