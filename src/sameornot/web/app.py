"""The web application: each route calls one method of the labelling service in a worker thread."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.templating import Jinja2Templates

from sameornot.service import LabellingService
from sameornot.service.links import MANAGE
from sameornot.store import StoreError
from sameornot.web.access import Access
from sameornot.web.downloads import download_response
from sameornot.web.endpoints import COMMANDS, MANAGED, QUERIES, Query
from sameornot.web.errors import HANDLERS
from sameornot.web.events import DEFAULT_TIMING, EventBroadcaster, EventTiming
from sameornot.web.images import image_response, thumbnail_response
from sameornot.web.request_log import RequestLog
from sameornot.web.security import SecurityMiddleware
from sameornot.web.site import Site
from sameornot.web.validation import Check, read_body

FOLDER = Path(__file__).parent

Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(
    service: LabellingService,
    *,
    token: str | None,
    site: Site,
    timing: EventTiming = DEFAULT_TIMING,
) -> Starlette:
    """The application of one labelling service.

    It answers to the addresses of `site`, and with a `token` only to browsers that were opened with it.
    `app.state.events.close()` ends the open event streams.
    """
    events = EventBroadcaster(service, timing)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        events.start()
        yield
        await events.stop()

    app = Starlette(
        routes=_routes(service, events),
        middleware=[
            Middleware(RequestLog, site=site, names=frozenset([*COMMANDS, *QUERIES, "events"])),
            Middleware(SecurityMiddleware, site=site, access=Access(service, token)),
        ],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # such a redirect would name this server, not the proxy
    app.state.events = events
    return app


def _routes(service: LabellingService, events: EventBroadcaster) -> list[BaseRoute]:
    # Separate worker threads, so that neither slow queries nor downloads delay an answer.
    command_threads, query_threads, download_threads = (
        CapacityLimiter(8),
        CapacityLimiter(8),
        CapacityLimiter(2),
    )
    commands = [
        Route(f"/api/{name}", _command(service, name, check, command_threads), methods=["POST"])
        for name, check in COMMANDS.items()
    ]
    queries = [
        Route(f"/api/{name}", _query(service, name, query, query_threads)) for name, query in QUERIES.items()
    ]
    return [
        Route("/", _front_page(service)),
        Mount("/static", StaticFiles(directory=FOLDER / "static")),
        *commands,
        *queries,
        Route("/api/events", events.stream),
        Route("/image/{key}", _file(service, image_response, "image", query_threads)),
        Route("/thumbnail/{key}", _file(service, thumbnail_response, "image", query_threads)),
        Route("/download/{key}", _file(service, download_response, "download", download_threads)),
        Route("/health", _health(service, query_threads)),
    ]


def _front_page(service: LabellingService) -> Endpoint:
    templates = Jinja2Templates(directory=FOLDER / "templates")

    async def front_page(request: Request) -> Response:
        return templates.TemplateResponse(request, "page.html", {"title": service.title})

    return front_page


def _command(service: LabellingService, name: str, check: Check, threads: CapacityLimiter) -> Endpoint:
    async def post(request: Request) -> Response:
        _check_role(request, name)
        body = await read_body(request, check)
        call = partial(getattr(service, name), request.state.person, **body)
        return JSONResponse(await to_thread.run_sync(call, limiter=threads))

    return post


def _query(service: LabellingService, name: str, query: Query, threads: CapacityLimiter) -> Endpoint:
    async def get(request: Request) -> Response:
        _check_role(request, name)
        arguments = query.check("the address", dict(request.query_params))
        person = (request.state.person,) if query.is_personal else ()
        call = partial(getattr(service, name), *person, **arguments)
        return JSONResponse(await to_thread.run_sync(call, limiter=threads))

    return get


def _check_role(request: Request, name: str) -> None:
    """Refuse what a link for answering does not allow."""
    if name in MANAGED and request.state.visitor.role != MANAGE:
        raise HTTPException(403, "your link is for answering: ask for one that can also manage the session")


def _file(
    service: LabellingService,
    respond: Callable[[LabellingService, Any], Response],
    name: str,
    threads: CapacityLimiter,
) -> Endpoint:
    async def get(request: Request) -> Response:
        _check_role(request, name)
        call = partial(respond, service, request.path_params["key"])
        return await to_thread.run_sync(call, limiter=threads)

    return get


def _health(service: LabellingService, threads: CapacityLimiter) -> Endpoint:
    """Whether answers can be stored: 200, or 503 while the store cannot be reached."""

    async def health(request: Request) -> Response:
        try:
            await to_thread.run_sync(service.check_store, limiter=threads)
        except StoreError:
            return JSONResponse({"status": "the store cannot be reached"}, 503)
        return JSONResponse({"status": "ok"})

    return health
