"""Malformed requests over every route, generated from a schema of the HTTP interface.

A request is a valid one of some route, of which parts are replaced: fields, the body, the content type, the
query, the path, the method, the headers that say who sends it. `send` sends it over a real connection.
"""

import http.client
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st

from sameornot.web.downloads import DOWNLOADS
from sameornot.web.endpoints import COMMANDS, QUERIES

SECONDS = 30
N_ROWS = 24

row = st.integers(0, N_ROWS - 1)
event = st.integers(0, 60)
said = st.sampled_from(["same", "different", "unsure"])
key = st.integers(0, 5).map(str)
change = st.fixed_dictionaries({"seq": event, "to": said}, optional={"candidates": st.lists(row, max_size=3)})
new_answer = st.fixed_dictionaries(
    {"left": row, "right": row, "answer": said, "question": st.none() | event},
    optional={"others": st.lists(row, max_size=4)},
)
maybe_seconds = {"seconds": st.none() | st.floats(0, 100)}

# The fields of each command and query as the page sends them.
BODIES: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "answer": st.fixed_dictionaries({"question": event, "answer": said}, optional=maybe_seconds),
    "choose": st.fixed_dictionaries(
        {"question": event, "answer": said}, optional={"candidate": row, **maybe_seconds}
    ),
    "prefer": st.fixed_dictionaries({"choices": st.none() | st.integers(0, 12)}),
    "say": st.fixed_dictionaries({"left": row, "right": row, "answer": said}),
    "undo": st.just({}),
    "change": change,
    "resolve": st.fixed_dictionaries(
        {"said": st.none() | new_answer, "changes": st.lists(change, max_size=3)},
        optional={
            "clusters": st.none() | st.integers(0, 40),
            "disregard": st.lists(st.fixed_dictionaries({"source": event, "at": row}), max_size=2),
        },
    ),
    "disregard": st.fixed_dictionaries({"source": event, "items": st.lists(row, max_size=3)}),
    "ask_about": st.fixed_dictionaries({"row": row}),
    "wrong": st.fixed_dictionaries({"row": row}),
    "merge": st.fixed_dictionaries({"a": key, "b": key}, optional={"confirm": st.booleans()}),
    "name": st.fixed_dictionaries({"group": key, "name": st.text(max_size=20)}),
    "regroup": st.fixed_dictionaries({"clusters": st.none() | st.integers(0, 40)}),
    "introduce": st.fixed_dictionaries({"name": st.text(max_size=20)}),
    "invite": st.fixed_dictionaries(
        {"name": st.text(max_size=20), "role": st.sampled_from(["annotate", "manage"])},
        optional={"days": st.none() | st.floats(0, 1e6)},
    ),
    "overlap": st.fixed_dictionaries({"share": st.floats(0, 1.5)}),
    "settle": st.fixed_dictionaries(
        {"left": row, "right": row, "answer": st.sampled_from(["same", "different"])}
    ),
    "revoke": st.fixed_dictionaries({"link": st.text(max_size=20)}),
}
ARGUMENTS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    **dict.fromkeys(("state", "picture", "history", "team", "groups"), st.just({})),
    "members": st.fixed_dictionaries(
        {"group": key, "order": st.sampled_from(["typical", "unsure", "placed"])},
        optional={"offset": row, "limit": row},
    ),
    "record": st.fixed_dictionaries({"row": row}),
}
FILES = ["/", "/health", "/api/events", "/static/main.js", *(f"/download/{name}" for name in DOWNLOADS)]

odd_text = st.sampled_from(
    ["", "\0", "\ud800", "x" * 300, "../../etc/passwd", "%2e%2e", "'; DROP TABLE x", "=1+1", "{{7*7}}", "٣"]
) | st.text(max_size=8)
odd_number = st.sampled_from(
    [-1, 2**31, 2**53 + 1, 2**63, 10**400, -(10**18), 0.5, -0.0, 1e308, math.nan, math.inf, True, False]
)
odd: st.SearchStrategy[Any] = st.recursive(
    st.none() | odd_number | odd_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(odd_text, inner, max_size=3),
    max_leaves=4,
)
DEEP = [b"[" * n + b"]" * n for n in (300, 956, 5_000)]
NO_JSON = [b"", b"{", b"null", b"[]", b"\xff\xfe", b'"x"', *DEEP, b"9" * 70_000]
NO_JSON += [b'{"question": ' + deep + b', "answer": "same"}' for deep in DEEP]
TYPES = ["text/plain", "", "application/json; charset=utf-16", "application/jsonx", "multipart/form-data"]
METHODS = ["PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "GET", "POST", "get"]


@dataclass(frozen=True)
class Hostile:
    """A request; `right` says whether it comes with a token, from the page itself."""

    method: str
    path: str
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    right: str = "owner"


@st.composite
def bodies(draw: st.DrawFn, name: str) -> bytes:
    """The body of a command, valid or with some of it replaced."""
    how = draw(st.sampled_from(["valid", "field", "field", "missing", "more", "garbage"]))
    if how == "garbage":
        return draw(st.sampled_from(NO_JSON) | st.binary(max_size=40))
    body = dict(draw(BODIES[name]))
    if how == "more" or not body:
        body[draw(odd_text)] = draw(odd)
    elif how == "field":
        body[draw(st.sampled_from(sorted(body)))] = draw(odd)
    elif how == "missing":
        body.pop(draw(st.sampled_from(sorted(body))))
    return json.dumps(body).encode()


@st.composite
def queries(draw: st.DrawFn, name: str) -> str:
    """The address of a query, valid or with some of it replaced."""
    given = {name: str(value) for name, value in draw(ARGUMENTS[name]).items()}
    how = draw(st.sampled_from(["valid", "field", "more"]))
    if how == "more" or not given:
        given[draw(odd_text)] = draw(odd_text)
    elif how == "field":
        given[draw(st.sampled_from(sorted(given)))] = draw(odd_text | st.just("9" * 5000))
    return f"/api/{name}?" + "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in given.items())


@st.composite
def requests(draw: st.DrawFn) -> Hostile:
    """A request to some route, or beside one."""
    right = draw(st.sampled_from(["owner", "owner", "owner", "link", "nobody", "wrong token", "other site"]))
    kind = draw(st.sampled_from(["command"] * 6 + ["query"] * 3 + ["file", "image", "elsewhere", "method"]))
    if kind == "command":
        name = draw(st.sampled_from(sorted(COMMANDS)))
        typed = draw(st.sampled_from(["application/json"] * 9 + TYPES))
        return Hostile("POST", f"/api/{name}", draw(bodies(name)), {"Content-Type": typed}, right)
    if kind == "query":
        return Hostile("GET", draw(st.sampled_from(sorted(QUERIES)).flatmap(queries)), right=right)
    if kind == "file":
        return Hostile("GET", draw(st.sampled_from(FILES)), right=right)
    tail = _quoted(draw(odd_text | st.integers(-1, 30).map(str) | st.just("9" * 5000)))
    if kind == "image":
        return Hostile("GET", f"/image/{tail}", right=right)
    start = draw(st.sampled_from(["/", "/api/", "/static/", "/download/", "/image/0/", "//", "/api/state/"]))
    if kind == "elsewhere":
        return Hostile("GET", start + tail, right=right)
    paths = ["/", "/api/undo", "/api/state", "/image/0", "/download/labels.csv", "/static/main.js", "*"]
    return Hostile(draw(st.sampled_from(METHODS)), draw(st.sampled_from(paths)), right=right)


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


@dataclass(frozen=True)
class Answered:
    status: int
    body: bytes


class Sender:
    """Sends requests over one connection, with the cookies that their right needs."""

    def __init__(self, port: int, tokens: dict[str, str]) -> None:
        self.port, self.tokens = port, tokens
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)

    def send(self, request: Hostile) -> Answered:
        """The response; of a stream of events, its head."""
        headers = {**request.headers, **self._cookies(request.right)}
        if request.right == "other site":
            headers |= {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
        self.connection.request(request.method, request.path, request.body, headers)
        response = self.connection.getresponse()
        is_stream = response.getheader("content-type", "").startswith("text/event-stream")
        body = b"" if is_stream else response.read()
        if is_stream:
            self.close()
        return Answered(response.status, body)

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        self.connection.close()

    def _cookies(self, right: str) -> dict[str, str]:
        token = self.tokens.get("owner" if right == "other site" else right)
        person = f"sameornot_person={'p' * 16}"
        return {"Cookie": person if token is None else f"{person}; sameornot_token_{self.port}={token}"}


RAW: Sequence[bytes] = [
    b"\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost:\xff\r\n\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST /api/undo HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST /api/undo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    b"POST /api/undo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}",
    b"POST /api/undo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /api/undo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000,
    b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    bytes(range(256)) * 4,
]
