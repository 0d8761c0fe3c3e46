"""What a request may say: JSON objects of known fields, checked before the desk sees them.

A check is a function of a field's name and value that returns the value or refuses it in one sentence.
"""

import json
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

Check = Callable[[str, Any], Any]

MAX_BODY = 64 * 1024
MAX_TEXT = 200
MAX_WHOLE = 2**53  # beyond it, the page's own numbers are no longer exact
TOO_LARGE = f"the request is larger than {MAX_BODY // 1024} KiB: send less at once"


def refuse(sentence: str) -> HTTPException:
    """What to raise when the sender can put it right."""
    return HTTPException(400, sentence)


def shown(value: Any) -> str:
    """A value as it came, cut to what fits into a sentence."""
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def whole(name: str, value: Any) -> int:
    """A whole number from 0."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_WHOLE:
        raise refuse(f"{name}={shown(value)} but a whole number from 0 is needed")
    return value


def number(name: str, value: Any) -> float:
    """A finite number from 0."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= MAX_WHOLE:
        raise refuse(f"{name}={shown(value)} but a number from 0 is needed")
    return float(value)


def flag(name: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise refuse(f"{name}={shown(value)} but true or false is needed")
    return value


def text(name: str, value: Any) -> str:
    """A line of text that every store can hold."""
    if not isinstance(value, str):
        raise refuse(f"{name}={shown(value)} but text is needed")
    if len(value) > MAX_TEXT:
        raise refuse(f"{name} has {len(value)} characters but at most {MAX_TEXT} are allowed")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in value):
        raise refuse(f"{name}={shown(value)} holds a control character: leave it out")
    return value


def word(*options: str) -> Check:
    """One of a few words."""

    def check(name: str, value: Any) -> str:
        if value not in options:
            raise refuse(f"{name}={shown(value)} but one of {', '.join(options)} is needed")
        return str(value)

    return check


def maybe(check: Check) -> Check:
    """Nothing at all, or what passes the check."""
    return lambda name, value: None if value is None else check(name, value)


def list_of(check: Check) -> Check:
    """A list whose items pass the check."""

    def check_all(name: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise refuse(f"{name}={shown(value)} but a list is needed")
        return [check(f"{name}[{place}]", item) for place, item in enumerate(value)]

    return check_all


def fields(needed: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with these fields and no others."""
    known = {**needed, **(optional or {})}

    def check(name: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise refuse(f"{name}={shown(value)} but an object is needed")
        if unknown := [key for key in value if key not in known]:
            raise refuse(f"{name} has a field {shown(unknown[0])} that is not known here")
        if missing := [key for key in needed if key not in value]:
            raise refuse(f"{name} lacks the field {missing[0]!r}")
        return {key: known[key](key, item) for key, item in value.items()}

    return check


def from_query(check: Check) -> Check:
    """The same check for a value in the address, where everything is text."""

    def read(name: str, value: str) -> Any:
        is_number = value.isascii() and value.isdigit() and len(value) < 20
        return check(name, int(value) if is_number else value)

    return read


async def read_body(request: Request, check: Check) -> dict[str, Any]:
    """The checked fields of a JSON body."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "send JSON with the content type application/json")
    body = await _read_bounded(request)
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise refuse("the request is not valid JSON") from None
    return dict(check("the request", value))


async def _read_bounded(request: Request) -> bytes:
    """The body, given up as soon as it is too large, whether or not its length was announced."""
    announced = request.headers.get("content-length", "0")
    if not announced.isdigit() or int(announced) > MAX_BODY:
        raise HTTPException(413, TOO_LARGE)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise HTTPException(413, TOO_LARGE)
    return bytes(body)
