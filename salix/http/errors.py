"""Refusals over HTTP: {"error": {"kind", "message"}}, with a status that says whether to try again.

Whatever is answered with 400 or more has that shape: also what no route takes, and what a defect of ours breaks.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.exc import TimeoutError as NoConnection
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from salix.service import Refusal, Refused

Handler: TypeAlias = Callable[[Request, Any], Response | Awaitable[Response]]

STATUS = {
    Refusal.UNAUTHENTICATED: 401,
    Refusal.NOT_FOUND: 404,
    Refusal.INVALID: 400,
    Refusal.CONFLICT: 409,
    Refusal.TOO_LARGE: 413,
    Refusal.QUOTA: 403,
    Refusal.INBOX_FULL: 429,
    Refusal.RATE_LIMITED: 429,
    Refusal.INVALID_PROGRAM: 422,
    Refusal.UNAVAILABLE: 503,
    Refusal.METHOD_NOT_ALLOWED: 405,
    Refusal.UNSUPPORTED_MEDIA_TYPE: 415,
    Refusal.INTERNAL: 500,
}
PAGE = "/"  # for browsers, which know how to ask people for a name and a password
_TRY_AGAIN_SECONDS = {Refusal.INBOX_FULL: 60, Refusal.RATE_LIMITED: 60, Refusal.UNAVAILABLE: 5}
_OURS = (DataError, IntegrityError, ProgrammingError)  # of a database that answers


def refusal(request: Request, error: Refused) -> Response:
    """What a refused request is answered."""
    return _answer(request, error.kind, str(error))


def unrouted(request: Request, error: HTTPException) -> Response:
    """What no route takes: the path is none (what there is, is said), or the method is another."""
    asked = request.url.path[:128]
    if error.status_code == STATUS[Refusal.METHOD_NOT_ALLOWED]:
        allowed = (error.headers or {}).get("Allow", "")
        return _answer(request, Refusal.METHOD_NOT_ALLOWED, f"{asked} takes {allowed}", {"Allow": allowed})
    return _answer(request, Refusal.NOT_FOUND, f"there is no {asked}; there are {_listed(request)}")


def unreachable(request: Request, error: Exception) -> Response:
    """What a request is answered whose database is away. Raises what a database that answers has said."""
    if isinstance(error, _OURS):
        raise error
    return _answer(request, Refusal.UNAVAILABLE, "the database cannot be reached")


def defect(request: Request, _: Exception) -> Response:
    """What is answered where we failed; the server's own log has the rest."""
    return _answer(request, Refusal.INTERNAL, "the server failed at this; its log says where")


HANDLERS: Mapping[Any, Handler] = {
    Refused: refusal,
    HTTPException: unrouted,
    DBAPIError: unreachable,
    NoConnection: unreachable,
    ConnectionError: unreachable,
    Exception: defect,
}


def _answer(request: Request, kind: Refusal, message: str, more: Mapping[str, str] | None = None) -> Response:
    headers = dict(more or {})
    if kind in _TRY_AGAIN_SECONDS:
        headers["Retry-After"] = str(_TRY_AGAIN_SECONDS[kind])
    if kind is Refusal.UNAUTHENTICATED:
        scheme = "Basic" if request.url.path == PAGE else "Bearer"
        headers["WWW-Authenticate"] = f'{scheme} realm="salix", charset="UTF-8"'
    return JSONResponse({"error": {"kind": kind.value, "message": message}}, STATUS[kind], headers)


def _listed(request: Request) -> str:
    """The routes, with their methods."""
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    return ", ".join(f"{'|'.join(sorted((route.methods or {'POST'}) - {'HEAD'}))} {route.path}" for route in routes)
