"""One call to `/chat/completions` of an OpenAI-compatible endpoint: time limits, retries, back-off."""

import http.client
import ipaddress
import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

PATH = "/chat/completions"
MAX_REPLY = 2**20
# Responses after which the same request may succeed later.
PASSING = {408, 409, 425, 429, 500, 502, 503, 504, 529}


class AnnotatorError(RuntimeError):
    """The endpoint cannot be used; the message is one sentence that holds no key and no record."""


class PassingError(Exception):
    """A failure that may pass; `after` is how many seconds the endpoint asks to wait."""

    def __init__(self, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.after = after


class Completion(NamedTuple):
    """The text of a reply, and the tokens of request and reply together."""

    text: str
    n_tokens: int


@dataclass(frozen=True)
class Retries:
    """How often a request is sent, and how long to wait between: twice as long each time, with some jitter.

    Attributes
    ----------
    n_tries : int
        Requests in all.
    first, longest : float
        Seconds of the first wait, and of the longest, also where the endpoint asks for more.
    timeout : float
        Seconds that one request may take from connecting to the last byte.
    """

    n_tries: int = 5
    first: float = 1.0
    longest: float = 60.0
    timeout: float = 60.0

    def wait(self, n_failed: int, asked: float | None) -> float:
        """Seconds to wait after so many failures."""
        wanted = self.first * 2.0 ** (n_failed - 1) if asked is None else asked
        return min(self.longest, wanted) * random.uniform(1.0, 1.25)


@dataclass(frozen=True)
class Endpoint:
    """Where a model answers.

    Parameters
    ----------
    url : str
        The base address, such as ``https://api.example.com/v1``.
    model : str
        The name of the model there.
    key : str, optional
        Its API key, which is sent to this address only and never shown.
    retries : Retries
        Time limits and back-off.

    Examples
    --------
    >>> endpoint = Endpoint("http://localhost:11434/v1/", "llama3")
    >>> endpoint.host, endpoint.address
    ('localhost:11434', 'http://localhost:11434/v1/chat/completions')
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    retries: Retries = Retries()

    def __post_init__(self) -> None:
        parts = self._parts
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise AnnotatorError(
                f"the address of the annotator is {_shown(self.url)!r} but one like https://host/v1 is needed"
            )
        if parts.username or parts.password:
            raise AnnotatorError(
                "the address of the annotator holds a password: put the key into SAMEORNOT_ANNOTATOR_KEY"
            )
        if self.key and parts.scheme == "http" and not _is_local(parts.hostname):
            raise AnnotatorError(
                f"the key of the annotator would be sent unencrypted to {parts.hostname}: use https://"
            )
        if self.key and not (self.key.isascii() and self.key.isprintable()):
            raise AnnotatorError("the key of the annotator holds characters that no key has")

    @property
    def _parts(self) -> SplitResult:
        try:
            parts = urlsplit(self.url)
            _ = parts.port
        except ValueError:
            raise AnnotatorError(
                "the address of the annotator cannot be read: give https://host/v1"
            ) from None
        return parts

    @property
    def host(self) -> str:
        """Host and port that requests go to."""
        return self._parts.netloc

    @property
    def path(self) -> str:
        """The path that requests go to."""
        path = self._parts.path.rstrip("/")
        return path if path.endswith(PATH) else path + PATH

    @property
    def address(self) -> str:
        """The whole address that requests go to."""
        return f"{self._parts.scheme}://{self.host}{self.path}"

    def complete(
        self,
        messages: list[dict[str, str]],
        stop: threading.Event | None = None,
        note: Callable[[], None] = lambda: None,
    ) -> Completion:
        """Send messages and return the reply; raises AnnotatorError once it has failed too often.

        `note` is called before each request, `stop` ends the waiting between two.
        """
        stopped = stop or threading.Event()
        for n_failed in range(1, self.retries.n_tries + 1):
            try:
                note()
                return self._send(messages)
            except PassingError as error:
                if n_failed == self.retries.n_tries:
                    raise AnnotatorError(f"the annotator at {self.host} did not answer: {error}") from None
                if stopped.wait(self.retries.wait(n_failed, error.after)):
                    raise AnnotatorError("the annotator was stopped") from None
        raise AssertionError("unreachable")

    def _send(self, messages: list[dict[str, str]]) -> Completion:
        deadline = time.monotonic() + self.retries.timeout
        body = json.dumps({"model": self.model, "messages": messages, "temperature": 0}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._parts.hostname or "", self._parts.port, timeout=self.retries.timeout)
        try:
            connection.request("POST", self.path, body, headers)
            with connection.getresponse() as response:
                data = _read(connection, response, deadline)
        except TimeoutError:
            raise PassingError(f"no reply within {self.retries.timeout:g} seconds") from None
        except (OSError, http.client.HTTPException) as error:
            raise PassingError(getattr(error, "strerror", None) or type(error).__name__) from None
        finally:
            connection.close()
        _check_status(response, self.host)
        return _read_completion(data, len(body))


def _read(
    connection: http.client.HTTPConnection, response: http.client.HTTPResponse, deadline: float
) -> bytes:
    """Read a response of bounded size, also where it comes a byte at a time."""
    data = bytearray()
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if connection.sock is not None:
            connection.sock.settimeout(left)
        part = response.read1(65536)
        if not part:
            return bytes(data)
        data += part
        if len(data) > MAX_REPLY:
            raise PassingError("its reply is too long")


def _check_status(response: http.client.HTTPResponse, host: str) -> None:
    if response.status == 200:
        return
    if response.status in PASSING:
        raise PassingError(f"HTTP {response.status}", _seconds(response.getheader("retry-after")))
    hint = {
        401: "check the key in SAMEORNOT_ANNOTATOR_KEY",
        403: "check the key in SAMEORNOT_ANNOTATOR_KEY",
        404: "check the address and the name of the model",
    }.get(response.status, "check the address, the model and the key")
    raise AnnotatorError(f"the annotator at {host} refuses requests (HTTP {response.status}): {hint}")


def _seconds(text: str | None) -> float | None:
    """Seconds of a Retry-After header; None for a date, or nonsense."""
    return float(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 7 else None


def _read_completion(data: bytes, n_sent: int) -> Completion:
    try:
        reply: Any = json.loads(data)
        text = reply["choices"][0]["message"]["content"]
        usage = reply.get("usage") or {}
        n_tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
    except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError):
        raise PassingError("its reply is not of OpenAI's protocol") from None
    if not isinstance(text, str):
        raise PassingError("its reply holds no text")
    is_count = isinstance(n_tokens, int) and not isinstance(n_tokens, bool) and 0 < n_tokens < 10**9
    return Completion(text, int(n_tokens or 0) if is_count else (n_sent + len(text)) // 3 + 1)


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _shown(url: str) -> str:
    """An address without what may be a password."""
    return url.rpartition("@")[2][:100]
