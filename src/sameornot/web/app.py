"""The page's addresses: each calls one method of the desk, in a worker thread, and answers in JSON."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.templating import Jinja2Templates

from sameornot.service import Desk
from sameornot.web.bodies import Check, read_body
from sameornot.web.calls import LOOKS, POSTS, Look
from sameornot.web.downloads import download_response
from sameornot.web.errors import HANDLERS
from sameornot.web.events import Events
from sameornot.web.images import image_response
from sameornot.web.safety import Safety

HERE = Path(__file__).parent

Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(desk: Desk, *, token: str | None, hosts: Sequence[str]) -> Starlette:
    """The application for one desk.

    `hosts` are the values of the Host header that it answers to, ports included; with a `token`, only
    browsers that were opened with it get in. `app.state.events.close()` ends the open event streams.
    """
    events = Events(desk)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        events.start()
        yield
        await events.stop()

    app = Starlette(
        routes=_routes(desk, events),
        middleware=[Middleware(Safety, hosts=hosts, token=token)],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    app.state.events = events
    return app


def _routes(desk: Desk, events: Events) -> list[BaseRoute]:
    # Worker threads by purpose: neither pictures nor slow downloads keep an answer waiting.
    answering, looking, saving = CapacityLimiter(8), CapacityLimiter(8), CapacityLimiter(2)
    posts = [
        Route(f"/api/{name}", _post(desk, name, check, answering), methods=["POST"])
        for name, check in POSTS.items()
    ]
    looks = [Route(f"/api/{name}", _look(desk, name, look, looking)) for name, look in LOOKS.items()]
    return [
        Route("/", _front_page(desk)),
        Mount("/static", StaticFiles(directory=HERE / "static")),
        *posts,
        *looks,
        Route("/api/events", events.stream),
        Route("/image/{wanted:int}", _file(desk, image_response, looking)),
        Route("/download/{wanted}", _file(desk, download_response, saving)),
    ]


def _front_page(desk: Desk) -> Endpoint:
    templates = Jinja2Templates(directory=HERE / "templates")

    async def front_page(request: Request) -> Response:
        return templates.TemplateResponse(request, "page.html", {"title": desk.title})

    return front_page


def _post(desk: Desk, name: str, check: Check, threads: CapacityLimiter) -> Endpoint:
    async def post(request: Request) -> Response:
        body = await read_body(request, check)
        call = partial(getattr(desk, name), request.state.person, **body)
        return JSONResponse(await to_thread.run_sync(call, limiter=threads))

    return post


def _look(desk: Desk, name: str, look: Look, threads: CapacityLimiter) -> Endpoint:
    async def get(request: Request) -> Response:
        wanted = look.check("the address", dict(request.query_params))
        person = (request.state.person,) if look.personal else ()
        call = partial(getattr(desk, name), *person, **wanted)
        return JSONResponse(await to_thread.run_sync(call, limiter=threads))

    return get


def _file(desk: Desk, respond: Callable[[Desk, Any], Response], threads: CapacityLimiter) -> Endpoint:
    async def get(request: Request) -> Response:
        call = partial(respond, desk, request.path_params["wanted"])
        return await to_thread.run_sync(call, limiter=threads)

    return get
