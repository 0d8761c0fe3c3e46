"""Access control: host, origin and access token are checked before anything else.

The threat is other sites that are open in the same browser, whose requests reach this server too. The Host
header stops a foreign name that resolves to this machine (DNS rebinding), the Origin header and the fetch
metadata stop requests from other sites (CSRF), and the token's cookie stops everybody without the token.
"""

import html
import re
import secrets

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sameornot.web.access import Access, Refused, Visitor
from sameornot.web.site import Site

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
HEALTH = "/health"
METHODS = ("GET", "POST")
PERSON_COOKIE = "sameornot_person"
PERSON_SHAPE = re.compile(r"[A-Za-z0-9_-]{16,40}")
YEAR = 365 * 24 * 3600
UNKNOWN_HOST = (
    "the server does not know this address: open the one that the command printed (a tunnel must keep the "
    "port number), or start it with --public-url and the address of the proxy in front of it"
)
CROSS_SITE = "a request from another site was refused: use the page itself"


class SecurityMiddleware:
    """Middleware that passes requests of the page itself only, and adds security headers to responses."""

    def __init__(self, app: ASGIApp, *, site: Site, access: Access) -> None:
        self.app = app
        self.site = site
        self.access = access
        self._threads = CapacityLimiter(8)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, redirect it, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self.site.lacks_slash(scope):
            query = scope["query_string"].decode("latin-1")
            there = f"{self.site.front}?{query}" if query else self.site.front
            await RedirectResponse(there, 308, HEADERS)(scope, receive, send)
            return
        scope = self.site.without_prefix(scope)
        request = Request(scope, receive)
        if scope["path"] == HEALTH:  # says nothing of the session, and is asked by whatever address
            await self.app(scope, receive, self._with_headers(scope, send))
            return
        person = request.cookies.get(PERSON_COOKIE, "")
        is_known = PERSON_SHAPE.fullmatch(person) is not None
        state = scope.setdefault("state", {})
        state["person"] = person if is_known else secrets.token_urlsafe(12)
        try:
            self._check(request)
            state["visitor"] = visitor = await self._admit(request)
        except Refused as refusal:
            await refusal_response(request, refusal)(scope, receive, self._with_headers(scope, send))
            return
        if visitor.person is not None:
            state["person"] = visitor.person
        answer = self._exchange_token(request, visitor) or self.app
        new_person = None if is_known or visitor.person else state["person"]
        await answer(scope, receive, self._with_headers(scope, send, new_person))

    def _check(self, request: Request) -> None:
        """Refuse a request that does not come from the page itself."""
        if request.method not in METHODS:
            raise Refused(f"the page answers {' and '.join(METHODS)} only", 405)
        if not self.site.has_host(request):
            raise Refused(UNKNOWN_HOST)
        if self.site.is_cross_site(request):
            raise Refused(CROSS_SITE)

    async def _admit(self, request: Request) -> Visitor:
        given = _token_in_address(request)
        if given is None:
            given = request.cookies.get(self.site.token_cookie(request))
        client = request.client.host if request.client else ""
        # A link that was taken back elsewhere shows in the store: its reader may have to wait.
        return await to_thread.run_sync(self.access.admit, given, client, limiter=self._threads)

    def _exchange_token(self, request: Request, visitor: Visitor) -> Response | None:
        """Store the token of the address in a cookie, and redirect to the address without it."""
        given = _token_in_address(request)
        if not given or not (self.access.needs_token or visitor.person):
            return None
        response: Response
        front = self.site.front
        if request.headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            # After a link on another site, a browser does not send Strict cookies, not even to a redirect;
            # a navigation that starts from a page of our own has them.
            response = HTMLResponse(
                f'<meta http-equiv="refresh" content="0;url={front}"><a href="{front}">Continue</a>'
            )
        else:
            response = RedirectResponse(front, status_code=303)
        age = YEAR if visitor.person else None
        self.site.set_cookie(request, response, self.site.token_cookie(request), given, age)
        return response

    def _with_headers(self, scope: Scope, send: Send, new_person: str | None = None) -> Send:
        """A `send` that adds the security headers, and a cookie for a new person."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if scope["path"].startswith(STATIC):  # cached, but revalidated each time
                    headers.setdefault("cache-control", "no-cache")
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if new_person is not None:
                    carrier = Response()
                    self.site.set_cookie(Request(scope), carrier, PERSON_COOKIE, new_person, YEAR)
                    headers.append("set-cookie", carrier.headers["set-cookie"])
            await send(message)

        return send_with_headers


def refusal_response(request: Request, refusal: Refused) -> Response:
    """A refusal, as a plain page for a browser window and as JSON for a script."""
    sentence, status = str(refusal), refusal.status
    headers = {"retry-after": "60"} if status == 429 else None
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"error": sentence}, status, headers)
    page = f'<!doctype html><title>sameornot</title><p>{html.escape(sentence)}</p><a href="">Try again</a>'
    return HTMLResponse(page, status, headers)


def _token_in_address(request: Request) -> str | None:
    """The token in the query string, which is read on the front page only."""
    if request.method != "GET" or request.url.path != "/":
        return None
    return request.query_params.get("token")
