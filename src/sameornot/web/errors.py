"""What goes wrong, as one sentence in JSON with the status that a page can act on."""

from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from sameornot.export.model import ModelProblem
from sameornot.service import Clash, DeskProblem
from sameornot.store import StoreProblem
from sameornot.table import TableProblem
from sameornot.web.safety import HEADERS

BROKEN = "something went wrong here; your answers are safe"
SENTENCES = {
    404: "there is nothing at this address",
    405: "this address does not answer that method",
}


async def _clash(request: Request, clash: Clash) -> Response:
    return JSONResponse(clash.payload, 409)


async def _problem(request: Request, problem: Exception) -> Response:
    return JSONResponse({"error": str(problem)}, 400)


async def _store_problem(request: Request, problem: StoreProblem) -> Response:
    return JSONResponse({"error": str(problem)}, 503)


async def _http_error(request: Request, error: HTTPException) -> Response:
    is_bare = error.detail == HTTPStatus(error.status_code).phrase
    sentence = SENTENCES.get(error.status_code, error.detail) if is_bare else error.detail
    return JSONResponse({"error": sentence}, error.status_code, headers=error.headers)


async def _gone(request: Request, error: ClientDisconnect) -> Response:
    return Response(status_code=400)  # nobody is left to read it


async def _broken(request: Request, error: Exception) -> Response:
    # Made outside the middleware that adds the headers. The server logs the error with its traceback.
    return JSONResponse({"error": BROKEN}, 500, headers=HEADERS)


HANDLERS: dict[Any, Any] = {
    Clash: _clash,
    DeskProblem: _problem,
    ModelProblem: _problem,
    StoreProblem: _store_problem,
    TableProblem: _problem,
    HTTPException: _http_error,
    ClientDisconnect: _gone,
    Exception: _broken,
}
