"""The page's server: a socket on this machine, the application on it, and an end that does not hang."""

import errno
import ipaddress
import re
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress

import uvicorn

from sameornot.service import Desk
from sameornot.web.app import make_app

LOOPBACK = "127.0.0.1"
GRACE = 2  # seconds for answers on their way when the server is told to stop
TOKEN_SHAPE = re.compile(r"[A-Za-z0-9_-]{16,200}")


class ServerProblem(RuntimeError):
    """A server that cannot start, in one sentence."""


class PageServer(uvicorn.Server):
    """A server for one desk, bound to its address but not yet started.

    `host` is 127.0.0.1 unless given; for what other machines can reach, a token is made if none is given.
    `names` are further host names under which people reach this machine, with or without a port.
    """

    def __init__(
        self,
        desk: Desk,
        *,
        host: str = LOOPBACK,
        port: int = 0,
        token: str | None = None,
        names: Sequence[str] = (),
    ) -> None:
        self.token = check_token(token)
        self.listener = bind(host, port)
        bound, self.port = self.listener.getsockname()[:2]
        address = ipaddress.ip_address(bound)
        if self.token is None and not address.is_loopback:
            self.token = secrets.token_urlsafe(32)
        self.host = socket.gethostname() if address.is_unspecified else host
        self.ready: Callable[[str], None] | None = None
        hosts = allowed_hosts([self.host, *names], self.port)
        self.app = make_app(desk, token=self.token, hosts=hosts)
        # The log goes to stderr, and holds no requests: their addresses hold tokens.
        config = uvicorn.Config(
            self.app,
            http="h11",
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_keep_alive=60,
            timeout_graceful_shutdown=GRACE,
        )
        super().__init__(config)

    @property
    def address(self) -> str:
        """What to open in a browser: the token is in it."""
        query = "" if self.token is None else f"?token={self.token}"
        return f"http://{with_port(self.host, self.port)}/{query}"

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until told to stop."""
        super().run(sockets=[self.listener])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Say where the page is, once it answers."""
        await super().startup(sockets)
        if self.ready is not None:
            self.ready(self.address)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the event streams first: they would be waited for."""
        self.app.state.events.close()
        await super().shutdown(sockets)


def serve(
    desk: Desk,
    *,
    host: str = LOOPBACK,
    port: int = 0,
    token: str | None = None,
    names: Sequence[str] = (),
    open_browser: bool = False,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve the page until Ctrl-C; `ready` is called with its address once it answers."""
    server = PageServer(desk, host=host, port=port, token=token, names=names)

    def is_up(address: str) -> None:
        if ready is not None:
            ready(address)
        if open_browser:
            # Some browsers run in the terminal and return only when they are closed.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    server.ready = is_up
    with suppress(KeyboardInterrupt):
        server.run()


def bind(host: str, port: int) -> socket.socket:
    """A socket that is bound to the address, or one sentence that says why not."""
    if not 0 <= port <= 65535:
        raise ServerProblem(f"port {port} does not exist: choose one from 1024 to 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise ServerProblem(f"{host!r} is no address of this machine: leave it out for {LOOPBACK}") from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise ServerProblem(_bind_sentence(host, port, error)) from None
    return listener


def _bind_sentence(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken by another program: choose another, or leave it out to get a free one"
    if error.errno == errno.EACCES:
        return f"port {port} may not be used by this account: choose one above 1023"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{host!r} is no address of this machine: leave it out for {LOOPBACK}"
    return f"the page cannot be served at {host} port {port}: {error.strerror}"


def check_token(token: str | None) -> str | None:
    """The token that was given, if any, provided that it cannot be guessed."""
    if token is not None and not TOKEN_SHAPE.fullmatch(token):
        raise ServerProblem("a token has 16 to 200 letters, digits, - and _: choose another, or leave it out")
    return token


def allowed_hosts(names: Sequence[str], port: int) -> list[str]:
    """The Host headers of this machine and of these names; a name that has a port of its own keeps it."""
    known = [with_port(name, port) for name in (LOOPBACK, "localhost", "::1", *names)]
    bare = [host.removesuffix(":80") for host in known] if port == 80 else []
    return list(dict.fromkeys(known + bare))


def with_port(name: str, port: int) -> str:
    """A host name or address with a port, IPv6 addresses in brackets.

    >>> with_port("::1", 8000), with_port("lab.example:443", 8000)
    ('[::1]:8000', 'lab.example:443')
    """
    if name.count(":") > 1 and not name.startswith("["):
        return f"[{name}]:{port}"
    has_port = re.search(r":\d+$", name) is not None
    return name if has_port else f"{name}:{port}"
