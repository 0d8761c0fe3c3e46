"""Structured logs: one line of JSON for each request and each error, without tokens and cell contents.

Requests are logged by the name of their route: addresses hold tokens, row numbers and group names. Of an
error its type and its place are logged, not its message, which may quote a cell.
"""

import json
import logging
import time
import traceback
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sameornot.service.links import SIGNED
from sameornot.web.site import Site

LOGGER = logging.getLogger("sameornot.web")


class RequestLog:
    """Middleware that logs each request once it has ended, at the level INFO."""

    def __init__(self, app: ASGIApp, *, site: Site, names: frozenset[str]) -> None:
        self.app, self._site, self._names = app, site, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and log it."""
        if scope["type"] != "http" or not LOGGER.isEnabledFor(logging.INFO):
            await self.app(scope, receive, send)
            return
        state, started, status = scope.setdefault("state", {}), time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noted)
        finally:
            LOGGER.info(
                "request",
                extra={
                    "fields": {
                        "method": scope["method"],
                        "route": route_name(self._site.without_prefix(scope)["path"], self._names),
                        "status": status,
                        "ms": round(1000.0 * (time.perf_counter() - started), 1),
                        "person": pseudonym(state.get("person")),
                        "client": (scope.get("client") or ("",))[0],
                    }
                },
            )


def route_name(path: str, known: frozenset[str]) -> str:
    """The part of a path that says nothing of a table: "/api/answer", "/image", "unknown".

    >>> route_name("/api/members", frozenset({"members"})), route_name("/image/17", frozenset())
    ('/api/members', '/image')
    """
    first, _, rest = path.lstrip("/").partition("/")
    if first == "api" and rest in known:
        return f"/api/{rest}"
    return f"/{first}" if first in ("", "static", "image", "download", "health") else "unknown"


def pseudonym(person: str | None) -> str | None:
    """What a person is called in the log: the id of her link, or a hash of what her cookie says."""
    if person is None or person.startswith(SIGNED):
        return person
    return sha256(person.encode()).hexdigest()[:8]


class JsonLines(logging.Formatter):
    """Log records as lines of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """One record, without the message of an exception."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage().strip(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            frames = traceback.extract_tb(record.exc_info[2])
            line["at"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-8:]]
        return json.dumps(line)


def log_as_json() -> None:
    """Write the log of this process to stderr as lines of JSON."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    LOGGER.setLevel(logging.INFO)
