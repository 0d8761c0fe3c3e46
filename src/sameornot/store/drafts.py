"""Drafts as rows of the table: text and JSON that every backend keeps exactly, of bounded size."""

import json
from typing import Any

from sameornot.store.contract import Draft

MAX_DATA_BYTES = 64 * 1024  # bytes of JSON in one event: a page's request is no larger
MAX_NAME = 200  # characters of a session's, an author's or a kind's name


def check_name(field: str, name: str) -> str:
    """A short text that SQLite and PostgreSQL both keep as it is."""
    if not isinstance(name, str):
        raise ValueError(f"{field}={name!r} but text is needed")
    if len(name) > MAX_NAME:
        raise ValueError(f"{field} has {len(name)} characters but at most {MAX_NAME} are kept: shorten it")
    if "\0" in name or any("\ud800" <= letter <= "\udfff" for letter in name):
        raise ValueError(f"{field}={name!r} holds a character that is no text: leave it out")
    return name


def encode(draft: Draft) -> dict[str, str]:
    """The columns of a row that come from the draft."""
    return {
        "author": check_name("author", draft.author),
        "kind": check_name("kind", draft.kind),
        "data": encode_data(draft.data),
    }


def encode_data(data: dict[str, Any]) -> str:
    """JSON in ASCII only, which any server's encoding can hold; no NaN, and bounded."""
    try:
        text = json.dumps(data, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"the data of an event must be what JSON can hold: {error}") from None
    if len(text) > MAX_DATA_BYTES:
        raise ValueError(
            f"the data of an event takes {len(text):,} bytes but at most {MAX_DATA_BYTES:,} are kept"
        )
    return text
