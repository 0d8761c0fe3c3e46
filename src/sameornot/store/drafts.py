"""Drafts as they go into a row: words and JSON that every backend keeps exactly, and bounded sizes."""

import json
from typing import Any

from sameornot.store.contract import Draft

LARGEST_DATA = 64 * 1024  # bytes of JSON in one event: a page's request is no larger
LONGEST_WORD = 200  # characters of a session's, an author's or a kind's name


def check_word(name: str, word: str) -> str:
    """A short text that SQLite and PostgreSQL both keep as it is."""
    if not isinstance(word, str):
        raise ValueError(f"{name}={word!r} but text is needed")
    if len(word) > LONGEST_WORD:
        raise ValueError(f"{name} has {len(word)} characters but at most {LONGEST_WORD} are kept: shorten it")
    if "\0" in word or any("\ud800" <= letter <= "\udfff" for letter in word):
        raise ValueError(f"{name}={word!r} holds a character that is no text: leave it out")
    return word


def encode(draft: Draft) -> dict[str, str]:
    """The columns of a row that come from the draft."""
    return {
        "author": check_word("author", draft.author),
        "kind": check_word("kind", draft.kind),
        "data": encode_data(draft.data),
    }


def encode_data(data: dict[str, Any]) -> str:
    """JSON in ASCII only, which any server's encoding can hold; no NaN, and bounded."""
    try:
        text = json.dumps(data, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"the data of an event must be what JSON can hold: {error}") from None
    if len(text) > LARGEST_DATA:
        raise ValueError(
            f"the data of an event takes {len(text):,} bytes but at most {LARGEST_DATA:,} are kept"
        )
    return text
