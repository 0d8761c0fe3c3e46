"""Who may speak to the page: host, origin and token are checked before anything else is looked at.

Other sites that the person has open are the danger: a browser sends their requests here too. A foreign name
that resolves to this machine is caught by the Host header, a request from another site by its Origin and by
the browser's fetch metadata, and whoever does not know the token by the lack of its cookie.
"""

import hmac
import html
import re
import secrets
from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
STATIC = "/static/"
METHODS = ("GET", "POST")
PERSON_COOKIE = "sameornot_person"
PERSON_SHAPE = re.compile(r"[A-Za-z0-9_-]{16,40}")
YEAR = 365 * 24 * 3600
NO_TOKEN = "open the address that the command printed: it holds the token that lets you in"
FOREIGN = "a request from another site was refused: use the page itself"


class Safety:
    """Middleware that lets through only what comes from the page itself, and says so in every header."""

    def __init__(self, app: ASGIApp, *, hosts: Sequence[str], token: str | None) -> None:
        self.app = app
        self.hosts = tuple(host.lower() for host in hosts)
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, answer it here, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        person = request.cookies.get(PERSON_COOKIE, "")
        known = PERSON_SHAPE.fullmatch(person) is not None
        scope.setdefault("state", {})["person"] = person if known else secrets.token_urlsafe(12)
        refusal = self._refuse(request)
        answer = refusal or self._move_token(request) or self.app
        new = None if known or refusal else scope["state"]["person"]
        await answer(scope, receive, _sender(scope, send, new))

    def _refuse(self, request: Request) -> Response | None:
        """The reply to a request that must not pass; None if it may."""
        if request.method not in METHODS:
            return refused(request, f"the page answers {' and '.join(METHODS)} only", status=405)
        if not self._knows(request):
            names = ", ".join(self.hosts)
            return refused(request, f"open the page as {names}: a tunnel must keep the same port number")
        if is_foreign(request):
            return refused(request, FOREIGN)
        return refused(request, NO_TOKEN) if self._lacks_token(request) else None

    def _knows(self, request: Request) -> bool:
        host = request.headers.get("host", "").lower()
        # The connection's own address is no name, so nobody can point it here from elsewhere.
        return host in self.hosts or host == own_address(request)

    def _lacks_token(self, request: Request) -> bool:
        if self.token is None:
            return False
        given = _offered(request)
        if given is None:
            given = request.cookies.get(token_cookie(request), "")
        return not hmac.compare_digest(given.encode(), self.token.encode())

    def _move_token(self, request: Request) -> Response | None:
        """Send whoever came with the token in the address to the address without it."""
        if self.token is None or _offered(request) is None:
            return None
        response: Response
        if request.headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            # After a link on another site a browser keeps Strict cookies back, also when it is redirected;
            # a step that starts from a page of our own has them.
            response = HTMLResponse('<meta http-equiv="refresh" content="0;url=/"><a href="/">Go on</a>')
        else:
            response = RedirectResponse("/", status_code=303)
        set_cookie(request, response, token_cookie(request), self.token)
        return response


def own_address(request: Request) -> str:
    """The address and port that this connection came in on, as a Host header has them."""
    address, port = request.scope.get("server") or ("", None)
    address = address.removeprefix("::ffff:")  # IPv4 on a socket that takes both
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def is_foreign(request: Request) -> bool:
    """Whether another site is behind a request; following a link to the page is no harm."""
    site = request.headers.get("sec-fetch-site", "none")
    origin = request.headers.get("origin")
    if origin is not None and origin != f"{request.url.scheme}://{request.headers['host']}":
        return True
    is_visit = request.method == "GET" and request.headers.get("sec-fetch-dest") == "document"
    return site not in ("none", "same-origin") and not is_visit


def token_cookie(request: Request) -> str:
    """The cookie's name: browsers share cookies between the ports of a host, so the port is in it."""
    _, port = request.scope.get("server") or ("", None)
    return f"sameornot_token_{port}"


def set_cookie(request: Request, response: Response, name: str, value: str, age: int | None = None) -> None:
    """Set a cookie that scripts cannot read and other sites cannot make the browser send."""
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=age, path="/", secure=secure, httponly=True, samesite="strict")


def refused(request: Request, sentence: str, *, status: int = 403) -> Response:
    """A refusal as a plain page for a person, as JSON for a script."""
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"error": sentence}, status)
    page = f'<!doctype html><title>sameornot</title><p>{html.escape(sentence)}</p><a href="/">Try again</a>'
    return HTMLResponse(page, status)


def _offered(request: Request) -> str | None:
    """The token in the address, where it counts: on the front page."""
    if request.method != "GET" or request.url.path != "/":
        return None
    return request.query_params.get("token")


def _sender(scope: Scope, send: Send, new_person: str | None) -> Send:
    """A `send` that adds the headers, and the person's cookie if she is new."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if scope["path"].startswith(STATIC):  # the page's own files: kept, but asked about each time
                headers.setdefault("cache-control", "no-cache")
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if new_person is not None:
                carrier = Response()
                set_cookie(Request(scope), carrier, PERSON_COOKIE, new_person, YEAR)
                headers.append("set-cookie", carrier.headers["set-cookie"])
        await send(message)

    return guarded
