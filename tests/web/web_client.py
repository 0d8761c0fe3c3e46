"""An HTTP client with cookies, and a server in a thread, for the tests of the HTTP interface."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any

from sameornot.web.events import DEFAULT_TIMING, EventTiming
from sameornot.web.server import Binding, PageServer

TIMEOUT = 30


@dataclass(frozen=True)
class Reply:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def cookies(self) -> SimpleCookie:
        jar = SimpleCookie()
        for line in self.headers.get_all("set-cookie") or []:
            jar.load(line)
        return jar


class Browser:
    """Sends the requests of a page, and keeps cookies."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}

    @contextmanager
    def open(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Iterator[http.client.HTTPResponse]:
        """A response that may be incomplete; the connection is closed at the end of the block."""
        jar = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())} if self.cookies else {}
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)) as connection:
            connection.request(method, path, body, {**jar, **(headers or {})})
            with connection.getresponse() as response:
                yield response

    def request(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Reply:
        with self.open(method, path, body, headers) as response:
            reply = Reply(response.status, response.headers, response.read())
        self.cookies |= {name: morsel.value for name, morsel in reply.cookies.items()}
        return reply

    def get(self, path: str, **headers: str) -> Reply:
        return self.request("GET", path, headers=_names(headers))

    def post(self, name: str, said: Any, **headers: str) -> Reply:
        sent = {"Content-Type": "application/json", **_names(headers)}
        return self.request("POST", f"/api/{name}", json.dumps(said), sent)

    @contextmanager
    def events(self) -> Iterator[Iterator[dict[str, Any]]]:
        with self.open("GET", "/api/events") as response:
            assert response.status == 200
            assert response.headers["content-type"].startswith("text/event-stream")
            assert response.readline().startswith(b":")  # the page has subscribed
            yield (json.loads(line[6:]) for line in response if line.startswith(b"data: "))


def _names(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@contextmanager
def serving(service: Any, timing: EventTiming = DEFAULT_TIMING, **binding: Any) -> Iterator[PageServer]:
    """A real server on a free port of this machine, until the end of the block."""
    server = PageServer(service, Binding(**binding), timing)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.should_exit = True
        thread.join(TIMEOUT)
        assert not thread.is_alive()
