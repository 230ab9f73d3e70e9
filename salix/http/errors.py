"""Refusals over HTTP: {"error": {"kind", "message"}}, with a status that says whether to try again."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from salix.service import Refusal, Refused

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
}
_TRY_AGAIN_SECONDS = {Refusal.INBOX_FULL: 60, Refusal.RATE_LIMITED: 60, Refusal.UNAVAILABLE: 5}


def refusal(request: Request, error: Exception) -> Response:
    """What a refused request is answered."""
    assert isinstance(error, Refused)
    headers = {}
    if error.kind in _TRY_AGAIN_SECONDS:
        headers["Retry-After"] = str(_TRY_AGAIN_SECONDS[error.kind])
    if error.kind is Refusal.UNAUTHENTICATED:
        headers["WWW-Authenticate"] = 'Basic realm="salix", charset="UTF-8"'
    body = {"error": {"kind": error.kind.value, "message": str(error)}}
    return JSONResponse(body, status_code=STATUS[error.kind], headers=headers)
