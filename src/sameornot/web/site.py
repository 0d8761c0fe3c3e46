"""The addresses of the page as browsers send them: Host, Origin, and the path and flags of its cookies."""

from dataclasses import dataclass
from hashlib import blake2b

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from sameornot.web.address import PublicUrl


@dataclass(frozen=True)
class Site:
    """The accepted Host headers (ports included), and the address of a proxy in front, if there is one."""

    hosts: tuple[str, ...]
    public: PublicUrl | None = None

    @property
    def front(self) -> str:
        """The path of the front page, as browsers see it."""
        return "/" if self.public is None else f"{self.public.prefix}/"

    def has_host(self, request: Request) -> bool:
        """Whether the Host header names this server."""
        host = request.headers.get("host", "").lower()
        known = (*self.hosts, *(self.public.hosts if self.public else ()))
        # The numeric address of the connection is not a name, so no foreign name can stand for it.
        return host in [name.lower() for name in known] or host == own_address(request)

    def is_cross_site(self, request: Request) -> bool:
        """Whether another site made the request; a link on another site to the page is allowed."""
        origin = request.headers.get("origin")
        if origin is not None and origin not in self._origins(request):
            return True
        site = request.headers.get("sec-fetch-site", "none")
        is_navigation = request.method == "GET" and request.headers.get("sec-fetch-dest") == "document"
        return site not in ("none", "same-origin") and not is_navigation

    def without_prefix(self, scope: Scope) -> Scope:
        """The request as it would be without a proxy, whether or not that one removes the prefix."""
        prefix = self.front.removesuffix("/")
        if not prefix or not scope["path"].startswith(f"{prefix}/"):
            return scope
        return {**scope, "path": scope["path"][len(prefix) :]}

    def lacks_slash(self, scope: Scope) -> bool:
        """Whether the request is for the prefix itself: below it, relative addresses would go wrong."""
        return self.front != "/" and f"{scope['path']}/" == self.front

    def token_cookie(self, request: Request) -> str:
        """The name of the token's cookie: pages on one host share cookies, whatever their ports.

        Several servers behind one public address have the same one.
        """
        if self.public is not None:
            return f"sameornot_token_{blake2b(self.public.front.encode(), digest_size=4).hexdigest()}"
        _, port = request.scope.get("server") or ("", None)
        return f"sameornot_token_{port}"

    def set_cookie(
        self, request: Request, response: Response, name: str, value: str, age: int | None = None
    ) -> None:
        """Set a cookie that scripts cannot read and that requests of other sites do not carry."""
        scheme = request.url.scheme if self.public is None else self.public.scheme
        response.set_cookie(
            name, value, age, path=self.front, secure=scheme == "https", httponly=True, samesite="strict"
        )

    def _origins(self, request: Request) -> tuple[str, ...]:
        if self.public is None:
            return (f"{request.url.scheme}://{request.headers['host']}",)
        own = request.headers["host"].lower()
        # Without the proxy the page is reached over plain HTTP, under a name of this server.
        return (self.public.origin,) if own in self.public.hosts else (self.public.origin, f"http://{own}")


def own_address(request: Request) -> str:
    """The server address and port of this connection, in the form of a Host header."""
    address, port = request.scope.get("server") or ("", None)
    address = address.removeprefix("::ffff:")  # IPv4 on a dual-stack socket
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
