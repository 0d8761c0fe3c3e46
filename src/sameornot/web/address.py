"""Addresses of the page: the one that people open, and the Host headers that belong to this machine."""

import re
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

LOOPBACK = "127.0.0.1"
DEFAULT_PORTS = {"http": 80, "https": 443}
PREFIX_SHAPE = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
HOST_SHAPE = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]")
# Documentation addresses (RFC 5737, RFC 3849): the route to them is the default route. Nothing is sent.
ANYWHERE = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


class ServerError(RuntimeError):
    """The server cannot start; the message is one sentence for the user."""


@dataclass(frozen=True)
class PublicUrl:
    """The address of the page behind a proxy: ``https://host/prefix``, without a slash at the end.

    Attributes
    ----------
    scheme : str
        "http" or "https".
    host : str
        Host in lower case, with the port if it is not the usual one of the scheme.
    prefix : str
        Path below which the page is served: "" or "/prefix".
    """

    scheme: str
    host: str
    prefix: str = ""

    @classmethod
    def read(cls, address: str) -> "PublicUrl":
        """Read an address as people write it.

        >>> PublicUrl.read("https://Lab.example:443/same/")
        PublicUrl(scheme='https', host='lab.example', prefix='/same')
        """
        try:
            parts = urlsplit(address.strip())
            port = parts.port
        except ValueError:
            raise _wrong(address) from None
        name = parts.netloc.rpartition("@")[2].removesuffix(f":{port}")
        prefix = parts.path.rstrip("/")
        is_plain = "@" not in parts.netloc and not parts.query and not parts.fragment
        if parts.scheme not in DEFAULT_PORTS or not HOST_SHAPE.fullmatch(name) or not is_plain:
            raise _wrong(address)
        if not PREFIX_SHAPE.fullmatch(prefix):
            raise ServerError(
                f"--public-url has the path {prefix!r}: use letters, digits, - . _ and ~ between its slashes"
            )
        usual = port in (None, DEFAULT_PORTS[parts.scheme])
        return cls(parts.scheme, (name if usual else f"{name}:{port}").lower(), prefix)

    @property
    def origin(self) -> str:
        """What browsers send as Origin."""
        return f"{self.scheme}://{self.host}"

    @property
    def front(self) -> str:
        """The address of the front page."""
        return f"{self.origin}{self.prefix}/"

    @property
    def hosts(self) -> list[str]:
        """The Host headers that a proxy may forward: with and without the usual port."""
        usual = DEFAULT_PORTS[self.scheme]
        has_port = re.search(r":\d+$", self.host) is not None
        return [self.host] if has_port else [self.host, f"{self.host}:{usual}"]


def _wrong(address: str) -> ServerError:
    return ServerError(f"--public-url is {address!r} but https://host or https://host/prefix is needed")


def machine_names() -> list[str]:
    """What other machines may call this one: its addresses, that of the default route first, and its name."""
    name = socket.gethostname()
    found = [address for family, anywhere in ANYWHERE if (address := _source_address(family, anywhere))]
    with suppress(OSError, UnicodeError):
        found += [str(known[4][0]) for known in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)]
    reachable = [address for address in found if _is_reachable(address)]
    return list(dict.fromkeys([*reachable, name, f"{name.removesuffix('.local')}.local"]))


def _source_address(family: int, anywhere: str) -> str | None:
    """The address that packets of this machine to a place would come from."""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((anywhere, 9))
        return str(probe.getsockname()[0])
    return None


def _is_reachable(address: str) -> bool:
    if "%" in address:  # a link-local address is one of its interface only
        return False
    known = ip_address(address)
    return not (known.is_loopback or known.is_link_local or known.is_unspecified)


def allowed_hosts(names: Sequence[str], port: int) -> list[str]:
    """The accepted Host headers: this machine and these names; a name with its own port keeps it."""
    known = [with_port(name, port) for name in (LOOPBACK, "localhost", "::1", *names)]
    bare = [host.removesuffix(":80") for host in known] if port == 80 else []
    return list(dict.fromkeys(known + bare))


def with_port(name: str, port: int) -> str:
    """Add the port to a host name or address that has none; IPv6 addresses get brackets.

    >>> with_port("::1", 8000), with_port("lab.example:443", 8000)
    ('[::1]:8000', 'lab.example:443')
    """
    if name.count(":") > 1 and not name.startswith("["):
        return f"[{name}]:{port}"
    has_port = re.search(r":\d+$", name) is not None
    return name if has_port else f"{name}:{port}"
