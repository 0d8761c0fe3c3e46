"""Check request bodies and query strings: JSON objects of known fields.

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
MAX_INTEGER = 2**53  # larger integers are not exact in JavaScript
TOO_LARGE = f"the request is larger than {MAX_BODY // 1024} KiB: send less at once"


def bad_request(sentence: str) -> HTTPException:
    """The error for a request that the sender can correct."""
    return HTTPException(400, sentence)


def abbreviated(value: Any) -> str:
    """A value as it came, cut to fit into a sentence."""
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def integer(name: str, value: Any) -> int:
    """Check a non-negative integer."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_INTEGER:
        raise bad_request(f"{name}={abbreviated(value)} but a whole number from 0 is needed")
    return value


def number(name: str, value: Any) -> float:
    """Check a finite, non-negative number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= MAX_INTEGER:
        raise bad_request(f"{name}={abbreviated(value)} but a number from 0 is needed")
    return float(value)


def boolean(name: str, value: Any) -> bool:
    """Check a boolean."""
    if not isinstance(value, bool):
        raise bad_request(f"{name}={abbreviated(value)} but true or false is needed")
    return value


def text(name: str, value: Any) -> str:
    """Check a line of text that every store can hold."""
    if not isinstance(value, str):
        raise bad_request(f"{name}={abbreviated(value)} but text is needed")
    if len(value) > MAX_TEXT:
        raise bad_request(f"{name} has {len(value)} characters but at most {MAX_TEXT} are allowed")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in value):
        raise bad_request(f"{name}={abbreviated(value)} holds a control character: leave it out")
    return value


def one_of(*options: str) -> Check:
    """Check that a text is one of these."""

    def check(name: str, value: Any) -> str:
        if value not in options:
            raise bad_request(f"{name}={abbreviated(value)} but one of {', '.join(options)} is needed")
        return str(value)

    return check


def optional(check: Check) -> Check:
    """Accept null, or what passes the check."""
    return lambda name, value: None if value is None else check(name, value)


def list_of(check: Check) -> Check:
    """Check each item of a list."""

    def check_all(name: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise bad_request(f"{name}={abbreviated(value)} but a list is needed")
        return [check(f"{name}[{index}]", item) for index, item in enumerate(value)]

    return check_all


def fields(required: Mapping[str, Check], others: Mapping[str, Check] | None = None) -> Check:
    """Check an object that has the required fields and no unknown ones."""
    known = {**required, **(others or {})}

    def check(name: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise bad_request(f"{name}={abbreviated(value)} but an object is needed")
        if unknown := [key for key in value if key not in known]:
            raise bad_request(f"{name} has a field {abbreviated(unknown[0])} that is not known here")
        if missing := [key for key in required if key not in value]:
            raise bad_request(f"{name} lacks the field {missing[0]!r}")
        return {key: known[key](key, item) for key, item in value.items()}

    return check


def from_query(check: Check) -> Check:
    """The same check for a value of a query string, where everything is text."""

    def read(name: str, value: str) -> Any:
        is_number = value.isascii() and value.isdigit() and len(value) < 20
        return check(name, int(value) if is_number else value)

    return read


async def read_body(request: Request, check: Check) -> dict[str, Any]:
    """Read and check a JSON body."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "send JSON with the content type application/json")
    body = await _read_bounded(request)
    try:
        return dict(check("the request", json.loads(body)))
    except (ValueError, RecursionError):
        raise bad_request("the request is not valid JSON, or is nested too deeply") from None


async def _read_bounded(request: Request) -> bytes:
    """Read a body, and stop as soon as it is too large, whether or not its length was announced."""
    announced = request.headers.get("content-length", "0")
    if not announced.isdigit() or int(announced) > MAX_BODY:
        raise HTTPException(413, TOO_LARGE)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise HTTPException(413, TOO_LARGE)
    return bytes(body)
