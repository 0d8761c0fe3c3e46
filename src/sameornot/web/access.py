"""Who gets in: the owner with the token of the server, others with personal links, nobody by guessing."""

import hmac
import threading
import time
from collections import OrderedDict
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

from sameornot.service import LabellingService
from sameornot.service.links import MANAGE

NO_TOKEN = "open the address that the command printed, or your personal link: it holds the access token"
TOO_MANY = "too many wrong access tokens came from your address: wait a minute and open your link again"
# Wrong tokens of one address in a window of so many seconds, after which none is looked at any more.
MAX_WRONG = 20
WINDOW = 60.0
N_CLIENTS = 10_000


class Visitor(NamedTuple):
    """Who a token lets in: what she may do, and who she is if a personal link says so."""

    role: str
    person: str | None = None


OWNER = Visitor(MANAGE)


class Refused(Exception):
    """A token that opens nothing; the message is one sentence, `status` that of the response."""

    def __init__(self, sentence: str, status: int = 403) -> None:
        super().__init__(sentence)
        self.status = status


class Access:
    """The tokens of one service; without a `token` of the server, everybody is its owner."""

    def __init__(self, service: LabellingService, token: str | None) -> None:
        self._service, self._token = service, token
        self._attempts = Attempts()

    @property
    def needs_token(self) -> bool:
        """Whether nobody comes in without one."""
        return self._token is not None

    def admit(self, given: str | None, client: str) -> Visitor:
        """Who comes with a token from an address; raises Refused. It may wait for the store."""
        if not given and self._token is not None:
            raise Refused(NO_TOKEN)
        if given and self._attempts.is_blocked(client, given):
            raise Refused(TOO_MANY, 429)
        visitor = self._find(given)
        if visitor is None:
            self._attempts.note_wrong(client, given or "")
            raise Refused(NO_TOKEN)
        self._attempts.note_right(given or "")
        return visitor

    def _find(self, given: str | None) -> Visitor | None:
        if not given:
            return OWNER
        if self._token is not None and hmac.compare_digest(given.encode(), self._token.encode()):
            return OWNER
        link = self._service.links.find(given)
        if link is None:
            return OWNER if self._token is None else None
        if reason := link.closed(datetime.now(UTC)):
            raise Refused(reason)
        return Visitor(link.role, link.person)


class Attempts:
    """Wrong tokens by the address that they came from. A token that was right before is always looked at."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wrong: OrderedDict[str, dict[bytes, float]] = OrderedDict()
        self._right: OrderedDict[bytes, None] = OrderedDict()

    def is_blocked(self, client: str, token: str) -> bool:
        """Whether no more tokens of an address are looked at, this one included."""
        with self._lock:
            return _digest(token) not in self._right and len(self._recent(client)) >= MAX_WRONG

    def note_wrong(self, client: str, token: str) -> None:
        """Count a wrong token; one that is sent again, as by a page that was left open, counts once."""
        with self._lock:
            self._wrong[client] = {**self._recent(client), _digest(token): time.monotonic()}
            _bound(self._wrong, client)

    def note_right(self, token: str) -> None:
        """Remember a token that was right."""
        with self._lock:
            self._right[_digest(token)] = None
            _bound(self._right, _digest(token))

    def _recent(self, client: str) -> dict[bytes, float]:
        since = time.monotonic() - WINDOW
        return {token: at for token, at in self._wrong.get(client, {}).items() if at > since}


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "replace")).digest()


def _bound(known: OrderedDict[Any, Any], latest: object) -> None:
    known.move_to_end(latest)
    while len(known) > N_CLIENTS:
        known.popitem(last=False)
