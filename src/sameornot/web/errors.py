"""Errors as one sentence in JSON, with the HTTP status that the page acts on."""

from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from sameornot.export.model_format import ModelError
from sameornot.service import Conflict, ServiceError
from sameornot.store import StoreError
from sameornot.table import TableError
from sameornot.web.security import HEADERS

INTERNAL_ERROR = "something went wrong here; your answers are safe"
SENTENCES = {
    404: "there is nothing at this address",
    405: "this address does not answer that method",
}


async def _conflict(request: Request, error: Conflict) -> Response:
    return JSONResponse(error.payload, 409)


async def _user_error(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400)


async def _store_error(request: Request, error: StoreError) -> Response:
    return JSONResponse({"error": str(error)}, 503)


async def _http_error(request: Request, error: HTTPException) -> Response:
    is_bare = error.detail == HTTPStatus(error.status_code).phrase
    sentence = SENTENCES.get(error.status_code, error.detail) if is_bare else error.detail
    return JSONResponse({"error": sentence}, error.status_code, headers=error.headers)


async def _disconnected(request: Request, error: ClientDisconnect) -> Response:
    return Response(status_code=400)  # nobody reads it


async def _internal_error(request: Request, error: Exception) -> Response:
    # This response is made outside of the middleware that adds the headers. The server logs the traceback.
    return JSONResponse({"error": INTERNAL_ERROR}, 500, headers=HEADERS)


HANDLERS: dict[Any, Any] = {
    Conflict: _conflict,
    ServiceError: _user_error,
    ModelError: _user_error,
    StoreError: _store_error,
    TableError: _user_error,
    HTTPException: _http_error,
    ClientDisconnect: _disconnected,
    Exception: _internal_error,
}
