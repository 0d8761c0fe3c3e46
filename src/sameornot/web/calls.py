"""What can be asked of the desk over HTTP: the methods by name, and the fields that each takes.

Fields are the arguments of the desk's method of that name; the person comes from her cookie.
"""

from typing import NamedTuple

from sameornot.web.bodies import Check, fields, flag, from_query, list_of, maybe, number, text, whole, word

ANSWER = word("same", "different", "unsure")
CHANGE = fields({"seq": whole, "to": word("same", "different", "unsure", "remove")})
SAID = fields({"left": whole, "right": whole, "answer": ANSWER, "question": maybe(whole)})
NOTHING = fields({})

POSTS: dict[str, Check] = {
    "answer": fields({"question": whole, "answer": ANSWER}, {"seconds": maybe(number)}),
    "say": fields({"left": whole, "right": whole, "answer": ANSWER}),
    "undo": NOTHING,
    "change": CHANGE,
    "resolve": fields({"said": maybe(SAID), "changes": list_of(CHANGE)}, {"clusters": maybe(whole)}),
    "ask_about": fields({"row": whole}),
    "wrong": fields({"row": whole}),
    "merge": fields({"a": text, "b": text}, {"confirm": flag}),
    "name": fields({"group": text, "name": text}),
    "regroup": fields({"clusters": maybe(whole)}),
    "introduce": fields({"name": text}),
}


class Look(NamedTuple):
    """Something to look at: what the address may say, and whether the desk wants to know who looks."""

    check: Check
    personal: bool = False


LOOKS = {
    "state": Look(NOTHING, personal=True),
    "picture": Look(NOTHING, personal=True),
    "history": Look(NOTHING, personal=True),
    "groups": Look(NOTHING),
    "members": Look(
        fields(
            {"group": text, "order": word("typical", "unsure", "placed")},
            {"offset": from_query(whole), "limit": from_query(whole)},
        )
    ),
    "record": Look(fields({"row": from_query(whole)})),
}
