"""What every request goes through: who it is from, how often, how large, and what it says."""

from __future__ import annotations

import base64
import binascii
from collections import OrderedDict
from collections.abc import Sequence

from starlette.requests import Request

from runtime.sdk.values import Value
from salix.service import Clock, Refusal, Refused, Service
from salix.service.jsontext import strict_json
from salix.store import identities

MAX_BODY_BYTES = 256 * 1024  # of sources for a build, mostly
ABSENT = object()
_JSON = "application/json"
_UNASKED = "application/x-www-form-urlencoded"  # what curl -d and urllib say of any body; no browser's form has a key
_MOST_BUCKETS = 10_000


class Rate:
    """So many requests a minute from each source, in bursts of as many; sources that were quiet are forgotten."""

    def __init__(self, clock: Clock, per_minute: int) -> None:
        self._clock, self._per_minute = clock, per_minute
        self._buckets: OrderedDict[str, tuple[float, int]] = OrderedDict()  # what is left, and when that was so

    def take(self, source: str) -> None:
        """Raises Refused (RATE_LIMITED)."""
        now_ms = self._clock.now_ms()
        left, at_ms = self._buckets.get(source, (float(self._per_minute), now_ms))
        left = min(float(self._per_minute), left + max(0, now_ms - at_ms) * self._per_minute / 60_000)
        if left < 1:
            raise Refused(Refusal.RATE_LIMITED, f"more than {self._per_minute} requests in a minute")
        self._buckets[source] = (left - 1, now_ms)
        self._buckets.move_to_end(source)
        if len(self._buckets) > _MOST_BUCKETS:
            self._buckets.popitem(last=False)


async def group_of(request: Request, service: Service, rate: Rate, schemes: Sequence[str] = ("bearer",)) -> str:
    """The group whose key came with a request: `Authorization: Bearer KEY`, or Basic with KEY as the password.

    schemes: which are taken; browsers repeat Basic by themselves, for whatever page asks them to. Raises Refused:
    UNAUTHENTICATED, RATE_LIMITED.
    """
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() not in schemes:
        credentials = ""
    elif scheme.lower() == "basic":
        try:
            credentials = base64.b64decode(credentials, validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            credentials = ""
    source = request.client.host if request.client else ""
    group_id = None
    if credentials:
        async with service.store.read() as tx:
            group_id = await identities.group_of_key(tx, credentials)
    rate.take(source if group_id is None else f"group {group_id}")
    if group_id is None:
        raise Refused(Refusal.UNAUTHENTICATED, "a group's key is needed: Authorization: Bearer KEY")
    return group_id


def agent_of(request: Request) -> str:
    """Who calls, by the request. Raises Refused (INVALID)."""
    agent_id = request.headers.get("salix-agent")
    if not agent_id:
        raise Refused(Refusal.INVALID, "the header Salix-Agent has to say which agent calls")
    return agent_id


async def body_of(request: Request, limit: int = MAX_BODY_BYTES) -> bytes:
    """The body. Raises Refused (TOO_LARGE), without reading what is beyond the limit, and nothing if that was said."""
    if int(request.headers.get("content-length", 0)) > limit:
        raise Refused(Refusal.TOO_LARGE, f"the body has more than {limit} bytes")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > limit:
            raise Refused(Refusal.TOO_LARGE, f"the body has more than {limit} bytes")
    return bytes(body)


async def json_of(request: Request, limit: int = MAX_BODY_BYTES, *, empty: Value = ABSENT) -> Value:
    """The body as JSON; empty: what a body of no bytes stands for. Raises Refused: TOO_LARGE, INVALID,
    UNSUPPORTED_MEDIA_TYPE.
    """
    kind = request.headers.get("content-type", _JSON).partition(";")[0].strip().lower()
    if kind not in (_JSON, _UNASKED) and not kind.endswith("+json"):
        raise Refused(Refusal.UNSUPPORTED_MEDIA_TYPE, f"the body must be {_JSON}, not {kind[:64]!r}")
    body = await body_of(request, limit)
    if not body and empty is not ABSENT:
        return empty
    try:
        return strict_json(body)
    except ValueError as error:
        raise Refused(Refusal.INVALID, f"the body is no JSON: {error}") from error
