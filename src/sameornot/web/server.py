"""The HTTP server of the page: binds the socket, runs the application, and shuts down without hanging."""

import errno
import ipaddress
import re
import secrets
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

import uvicorn

from sameornot.service import LabellingService
from sameornot.web.address import (
    LOOPBACK,
    PublicUrl,
    ServerError,
    allowed_hosts,
    machine_names,
    with_port,
)
from sameornot.web.app import make_app
from sameornot.web.browser import open_privately
from sameornot.web.connections import BACKLOG, GuardedProtocol
from sameornot.web.events import DEFAULT_TIMING, EventTiming
from sameornot.web.site import Site

SHUTDOWN_SECONDS = 20  # for responses under way when the server is stopped
TOKEN_SHAPE = re.compile(r"[A-Za-z0-9_-]{16,200}")


@dataclass(frozen=True)
class Binding:
    """Where the page is served, and who gets in.

    Attributes
    ----------
    host : str
        Address to listen on.
    port : int
        0 takes a free port.
    token : str, optional
        Access token. If it is omitted and other machines can reach the host, a random one is generated.
    names : sequence of str
        Further host names under which people reach this machine, with or without a port.
    public_url : str, optional
        The address that people open if there is a proxy in front of the page: ``https://host/prefix``.
    """

    host: str = LOOPBACK
    port: int = 0
    token: str | None = None
    names: Sequence[str] = ()
    public_url: str | None = None


LOCAL = Binding()


class PageServer(uvicorn.Server):
    """A server of one labelling service, bound to its address but not yet started."""

    def __init__(
        self, service: LabellingService, binding: Binding = LOCAL, timing: EventTiming = DEFAULT_TIMING
    ) -> None:
        self.token = check_token(binding.token)
        self.public = None if binding.public_url is None else PublicUrl.read(binding.public_url)
        self.listener = bind(binding.host, binding.port)
        bound, self.port = self.listener.getsockname()[:2]
        address = ipaddress.ip_address(bound)
        if self.token is None and not (address.is_loopback and self.public is None):
            self.token = secrets.token_urlsafe(32)
        self.hosts = machine_names() if address.is_unspecified else [binding.host]
        self.ready: Callable[..., None] | None = None
        site = Site(tuple(allowed_hosts([*self.hosts, *binding.names], self.port)), self.public)
        self.app = make_app(service, token=self.token, site=site, timing=timing)
        # The log goes to stderr and holds no requests, because addresses hold tokens.
        config = uvicorn.Config(
            self.app,
            http=GuardedProtocol,
            backlog=BACKLOG,
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            # What proxies say about a client is believed only where there is one.
            proxy_headers=self.public is not None,
            timeout_keep_alive=60,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
        super().__init__(config)

    @property
    def address(self) -> str:
        """The address to open in a browser, with the token."""
        return self.addresses[0]

    @property
    def addresses(self) -> list[str]:
        """Every address that can be opened in a browser, the likeliest to work first."""
        query = "" if self.token is None else f"?token={self.token}"
        if self.public is not None:
            return [self.public.front + query]
        return [f"http://{with_port(host, self.port)}/{query}" for host in self.hosts]

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until stopped."""
        super().run(sockets=[self.listener])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Report the addresses once the server answers."""
        await super().startup(sockets)
        if self.ready is not None:
            self.ready(*self.addresses)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the event streams first: the server would wait for them."""
        self.app.state.events.close()
        await super().shutdown(sockets)


def serve(
    service: LabellingService,
    binding: Binding = LOCAL,
    *,
    open_browser: bool = False,
    ready: Callable[..., None] | None = None,
) -> None:
    """Serve the page until Ctrl-C or SIGTERM; `ready` is called with its addresses once it answers.

    The first address is the one to open. Requests under way are finished first.
    """
    server = PageServer(service, binding)

    def on_ready(address: str, *others: str) -> None:
        if ready is not None:
            ready(address, *others)
        if open_browser:
            opened.enter_context(open_privately(address))

    server.ready = on_ready
    with ExitStack() as opened, suppress(KeyboardInterrupt), _interrupted_by_sigterm():
        server.run()


@contextmanager
def _interrupted_by_sigterm() -> Iterator[None]:
    """Have SIGTERM end the block like Ctrl-C: uvicorn sends itself the signal again once it has stopped."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def bind(host: str, port: int) -> socket.socket:
    """Listen on an address, or raise with one sentence."""
    if not 0 <= port <= 65535:
        raise ServerError(f"port {port} does not exist: choose one from 1024 to 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise ServerError(f"{host!r} is no address of this machine: leave it out for {LOOPBACK}") from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise ServerError(_bind_sentence(host, port, error)) from None
    return listener


def _bind_sentence(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken by another program: choose another, or leave it out to get a free one"
    if error.errno == errno.EACCES:
        return f"port {port} may not be used by this account: choose one above 1023"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{host!r} is no address of this machine: leave it out for {LOOPBACK}"
    return f"the page cannot be served at {host} port {port}: {error.strerror}"


def check_binding(binding: Binding) -> None:
    """Refuse what `PageServer` would refuse, before a session is begun."""
    check_token(binding.token)
    if binding.public_url is not None:
        PublicUrl.read(binding.public_url)
    bind(binding.host, binding.port).close()


def check_token(token: str | None) -> str | None:
    """Refuse a token that can be guessed or cannot be the value of a cookie."""
    if token is not None and not TOKEN_SHAPE.fullmatch(token):
        raise ServerError("a token has 16 to 200 letters, digits, - and _: choose another, or leave it out")
    return token
