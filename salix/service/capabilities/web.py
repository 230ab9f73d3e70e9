"""web.http_request: one request to a public address, bounded in time and size."""

from __future__ import annotations

from runtime.sdk.values import Value
from salix.service.capabilities.calling import Call, Denied, Failed
from salix.service.webclient import AddressRefused, RequestFailed, RequestRefused

_MAX_URL_BYTES = 2048


async def http_request(call: Call) -> Value:
    """{url, method?, headers?, body?} -> {status, url, headers, body, truncated}.

    SF_DENIED for what is never fetched (a private address, another scheme, a method that is not allowed), also where a
    redirect leads there; SF_HOST_ERROR for what went wrong on the way. Any status of the server is a result.
    """
    given = call.members(("url",), ("method", "headers", "body"))
    url = call.text("url", given["url"], _MAX_URL_BYTES)
    method, headers, body = given.get("method", "GET"), given.get("headers", {}), given.get("body", "")
    if not isinstance(method, str) or not isinstance(body, str) or not isinstance(headers, dict):
        raise Denied("method and body are strings, headers an object")
    if not all(isinstance(value, str) for value in headers.values()):
        raise Denied("values of headers are strings")
    await call.current()
    outcome, detail = "failed", ""
    try:
        reply = await call.web.request(method, url, headers, body)
        outcome, detail = str(reply.status), f"{method} {reply.url}"
    except (AddressRefused, RequestRefused) as refused:
        outcome, detail = "denied", f"{url}: {refused}"
        raise Denied(detail) from refused
    except RequestFailed as failed:
        detail = f"{url}: {failed}"
        raise Failed(detail) from failed
    finally:
        async with call.store.write() as tx:
            await call.record(tx, "web.http_request", outcome, detail)
    return {
        "status": reply.status,
        "url": reply.url,
        "headers": dict(reply.headers),
        "body": reply.body,
        "truncated": reply.truncated,
    }
