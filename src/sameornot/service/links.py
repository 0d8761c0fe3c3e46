"""Personal links: who may enter a session beside its owner. Of a token only the hash is stored.

A link is made by an "invited" event and closed by a "revoked" one, so it belongs to the session wherever that
is moved. What its holder stores is signed with `Link.person`, which no browser can claim by a cookie.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sameornot.service.errors import ServiceError
from sameornot.service.events import Invited

ANNOTATE, MANAGE = "annotate", "manage"
ROLES = (ANNOTATE, MANAGE)
SIGNED = "link:"
MAX_DAYS = 3650


@dataclass(frozen=True)
class Link:
    """A link as the log has it: for whom, what it allows, and until when."""

    id: str
    name: str
    role: str
    token_hash: str
    made: datetime
    expires: datetime | None = None
    revoked: datetime | None = None

    @property
    def person(self) -> str:
        """The author of what its holder does."""
        return f"{SIGNED}{self.id}"

    def closed(self, now: datetime) -> str | None:
        """Why it does not open the session any more, as a sentence; None if it does."""
        if self.revoked is not None:
            return f"the link of {self.name} was taken back: ask for a new one"
        if self.expires is not None and now >= self.expires:
            return f"the link of {self.name} has expired: ask for a new one"
        return None

    def as_json(self, now: datetime, n_answers: int) -> dict[str, Any]:
        """The link as a line of a list, without its token."""
        return {
            "id": self.id,
            "name": self.name,
            "role": self.role,
            "made": self.made.isoformat(),
            "expires": None if self.expires is None else self.expires.isoformat(),
            "revoked": None if self.revoked is None else self.revoked.isoformat(),
            "open": self.closed(now) is None,
            "answers": n_answers,
        }


def new_link(name: str, role: str, days: float | None, now: datetime) -> tuple[Invited, str]:
    """The event that makes a link, and the token that is shown once."""
    if not name:
        raise ServiceError("a link needs the name of the person whom it is for")
    if role not in ROLES:
        raise ServiceError(f"role is {role!r} but one of {', '.join(ROLES)} is needed")
    if days is not None and not 0 < days <= MAX_DAYS:
        raise ServiceError(f"days is {days:g} but more than 0 and at most {MAX_DAYS} are needed")
    token = secrets.token_urlsafe(24)
    expires = None if days is None else now + timedelta(days=days)
    return Invited(secrets.token_hex(4), name, role, token_hash(token), expires), token


def token_hash(token: str) -> str:
    """What is stored of a token. It is random and long, so that no slow hash is needed."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def find_link(links: Iterable[Link], token: str) -> Link | None:
    """The link of a token; the time that this takes does not depend on how much of a token is right."""
    given, found = token_hash(token), None
    for link in links:
        if hmac.compare_digest(link.token_hash, given):
            found = link
    return found


def pick_link(links: Iterable[Link], wanted: str) -> Link:
    """An open link by its id, or by the name of its person if only one has that."""
    known = [link for link in links if link.revoked is None]
    found = [link for link in known if link.id == wanted] or [link for link in known if link.name == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        raise ServiceError(f"{len(found)} links are for {wanted}: name one of {_named(found)}")
    raise ServiceError(
        f"there is no open link {wanted!r}" + (f": choose one of {_named(known)}" if known else "")
    )


def _named(links: Iterable[Link]) -> str:
    return ", ".join(f"{link.id} ({link.name})" for link in links)
