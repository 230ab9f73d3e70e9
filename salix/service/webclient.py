"""HTTP requests in the name of a Loop: to public addresses only, bounded.

The name is resolved once and the connection goes to the address that was judged, so that a name that resolves otherwise
the next time gains nothing; TLS still asks for the name. Each redirect is judged anew. The environment's proxies are
not used: they would resolve names themselves.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, TypeAlias

import httpx

from salix.service import outside
from salix.service.settings import WebSettings

Resolve: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_GIVEN_OUT = ipaddress.IPv6Network("2000::/3")
_NOBODYS_6 = (ipaddress.IPv6Network("3fff::/20"),)  # documentation, RFC 9637: Python does not know it yet
_NOBODYS_4 = (  # what IANA keeps for protocols, and relays that there are no more (RFC 6890, RFC 7526)
    ipaddress.IPv4Network("192.0.0.0/24"),
    ipaddress.IPv4Network("192.88.99.0/24"),
)
_HEADER = re.compile(r"[A-Za-z0-9-]{1,64}")
_NOT_SETTABLE = {
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "te",
    "upgrade",
    "proxy-authorization",
    "accept-encoding",
}
_SECRET = {"authorization", "cookie"}
_SHOWN = ("content-type", "etag", "last-modified", "retry-after", "location", "date", "link")
_MAX_HEADERS = 32
_REDIRECTS = (301, 302, 303, 307, 308)


class AddressRefused(Exception):
    """The address is none that Loops may reach."""


class RequestRefused(Exception):
    """Not a request that is ever made."""


class RequestFailed(Exception):
    """It was made, and there is no answer."""


class Reply(NamedTuple):
    """What the server said, cut to what a guest can hold."""

    status: int
    url: str
    headers: tuple[tuple[str, str], ...]
    body: str
    truncated: bool


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, by the system's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def is_public(address: str) -> bool:
    """Whether an address belongs to the internet at large, whatever form it is wrapped in.

    Of IPv6 only what is given out to be (RFC 4291: 2000::/3); what there is beside it leads to networks of one's own,
    such as site-local addresses, local NAT64 (RFC 8215) and IPv4 in its older wrappings.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        teredo = ip.teredo[1] if ip.teredo is not None else None
        nat64 = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None
        inner = ip.ipv4_mapped or ip.sixtofour or teredo or nat64
        if inner is None:
            return ip in _GIVEN_OUT and ip.is_global and not any(ip in network for network in _NOBODYS_6)
        ip = inner
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _NOBODYS_4)


class WebClient:
    """See the module. trusted: whose certificates are accepted. resolve: for tests."""

    def __init__(self, settings: WebSettings, trusted: ssl.SSLContext, resolve: Resolve = resolve) -> None:
        self._settings, self._resolve = settings, resolve
        self._client = outside.client(trusted, settings.timeout_ms)

    async def close(self) -> None:
        await self._client.aclose()

    async def request(self, method: str, url: str, headers: Mapping[str, str], body: str) -> Reply:
        """Raises AddressRefused, RequestRefused, RequestFailed."""
        settings = self._settings
        if method not in settings.methods:
            raise RequestRefused(f"the method must be one of {', '.join(settings.methods)}")
        sent = _headers(headers)
        try:
            async with asyncio.timeout(settings.timeout_ms / 1000):
                for _ in range(settings.redirects + 1):
                    reply, redirect = await self._once(method, url, sent, body)
                    if redirect is None:
                        return reply
                    old, new = httpx.URL(url), httpx.URL(url).join(redirect)
                    if (old.scheme, old.host, old.port) != (new.scheme, new.host, new.port):
                        sent = {name: value for name, value in sent.items() if name not in _SECRET}
                    if reply.status == 303 or (reply.status in (301, 302) and method == "POST"):
                        method, body = ("HEAD" if method == "HEAD" else "GET"), ""
                    url = str(new)
        except TimeoutError as error:
            raise RequestFailed(f"no answer in {settings.timeout_ms} ms") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise RequestFailed(f"{httpx.URL(url).host} was not reached: {outside.why(error)}") from error
        raise RequestFailed(f"more than {settings.redirects} redirects")

    async def _once(self, method: str, url: str, headers: Mapping[str, str], body: str) -> tuple[Reply, str | None]:
        """One request, and where it is redirected to."""
        try:
            parsed = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise RequestRefused("that is no URL") from error
        if parsed.scheme not in ("http", "https") or not parsed.host or parsed.userinfo:
            raise RequestRefused("the URL must be http or https, of a host, without a user")
        address = await self._address(parsed.host, parsed.port or (443 if parsed.scheme == "https" else 80))
        request = self._client.build_request(
            method,
            parsed.copy_with(host=address),
            headers={**headers, "host": parsed.netloc.decode(), "accept-encoding": "identity"},
            content=body.encode() or None,
            extensions={"sni_hostname": parsed.host},
        )
        answer = await self._client.send(request, stream=True)
        try:
            content, truncated = await self._body(answer)
        finally:
            await answer.aclose()
        shown = tuple((name, answer.headers[name][:500]) for name in _SHOWN if name in answer.headers)
        redirect = answer.headers.get("location") if answer.status_code in _REDIRECTS else None
        return Reply(answer.status_code, str(parsed), shown, content, truncated), redirect

    async def _body(self, answer: httpx.Response) -> tuple[str, bool]:
        """As much of the body as there is room for, as text: its JSON spelling has to fit, too.

        Raw: nothing is decompressed, since a few bytes may be made to become very many.
        """
        room, body = self._settings.body_bytes, bytearray()
        async for part in answer.aiter_raw(4096):
            body += part
            if len(body) > room:
                break
        try:
            text = bytes(body[:room]).decode(answer.charset_encoding or "utf-8", errors="replace")
        except LookupError:
            text = bytes(body[:room]).decode(errors="replace")
        encoded = 0
        for index, character in enumerate(text):
            encoded += 6 if character < " " else 2 if character in '"\\' else len(character.encode())
            if encoded > room:
                return text[:index], True
        return text, len(body) > room

    async def _address(self, host: str, port: int) -> str:
        """The address to connect to. If any of a host's addresses is private, the host is."""
        try:
            found = await self._resolve(host, port)
        except OSError as error:
            raise RequestFailed(f"{host} has no address") from error
        if not found:
            raise RequestFailed(f"{host} has no address")
        if not self._settings.allow_private and not all(map(is_public, found)):
            raise AddressRefused(f"{host} is not a public address")
        return found[0]


def _headers(given: Mapping[str, str]) -> dict[str, str]:
    """Raises RequestRefused."""
    found = {name.lower(): value for name, value in given.items()}
    if len(found) > _MAX_HEADERS:
        raise RequestRefused(f"more than {_MAX_HEADERS} headers")
    for name, value in found.items():
        if not _HEADER.fullmatch(name) or name in _NOT_SETTABLE or not (value.isascii() and value.isprintable()):
            raise RequestRefused(f"the header {name[:64]!r} cannot be set to that")
    return found
