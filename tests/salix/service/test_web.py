"""web.http_request: which addresses, over which connections, trusting whom, and what comes back of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runtime.sdk.values import Value
from salix.service.outside import TrustUnreadable, trust
from salix.service.settings import WebSettings
from salix.service.webclient import AddressRefused, RequestFailed, WebClient, is_public
from tests.salix.certificates import Authority
from tests.salix.loopback import Answer, Loopback
from tests.salix.services import CALLER, DENIED, HOST_ERROR, World, world


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "224.0.0.1",
     "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "::", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
     "2002:7f00:1::", "255.255.255.255", "198.18.0.1", "fec0::1", "64:ff9b:1::a00:1", "::127.0.0.1", "::10.0.0.1",
     "::ffff:0:127.0.0.1", "3fff::1", "5f00::1", "100::1", "2001:db8::1", "ff02::1", "ff0e::1", "4000::1",
     "192.0.0.8", "192.88.99.1", "198.51.100.1", "203.0.113.1", "240.0.0.1", "0.1.2.3", "2002:c0a8:101::",
     "64:ff9b::c0a8:101"],
)  # fmt: skip
def test_addresses_of_this_machine_and_its_networks_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    ["9.9.9.9", "172.32.0.1", "100.128.0.1", "2620:fe::fe", "::ffff:9.9.9.9", "64:ff9b::909:909", "2002:909:909::",
     "192.0.1.1", "192.88.98.1", "3fee::1"],
)  # fmt: skip
def test_their_neighbours_are(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/", "http://[::1]/", "http://0/", "http://2130706433/", "http://0x7f.1/", "http://localhost/",
     "http://[::ffff:127.0.0.1]/", "http://[fe80::1]/", "ftp://9.9.9.9/", "file:///etc/passwd", "http:///x",
     "http://user:pw@9.9.9.9/", "nonsense"],
)  # fmt: skip
def test_what_loops_may_not_fetch_is_denied(tmp_path: Path, url: str) -> None:
    async def run() -> None:
        async with world(f"sqlite:///{tmp_path}/x.db", tmp_path) as w:
            assert await w.call(await w.loop(CALLER), "e1", "web.http_request", {"url": url}) == DENIED

    asyncio.run(run())


def test_a_name_is_private_if_any_of_its_addresses_is(tmp_path: Path) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["9.9.9.9", "10.0.0.1"]

    async def run() -> None:
        client = WebClient(WebSettings(), trust(None), resolve)
        with pytest.raises(AddressRefused):
            await client.request("GET", "http://example.test/", {}, "")
        await client.close()

    asyncio.run(run())


async def fetched(w: World, loop_id: str, event_id: str, **arguments: object) -> Value:
    line = await w.call(loop_id, event_id, "web.http_request", arguments)
    return line if line.startswith("-") else json.loads(line)


def test_requests_over_http(tmp_path: Path) -> None:
    async def run() -> None:
        async with (
            Loopback() as server,
            world(
                f"sqlite:///{tmp_path}/x.db",
                tmp_path,
                web=WebSettings(allow_private=True, timeout_ms=20_000, redirects=2),
            ) as w,
        ):
            loop_id = await w.loop(CALLER)
            server.answers = {
                "/ok": Answer(200, b"hello", {"Content-Type": "text/plain"}),
                "/missing": Answer(404, b"no"),
                "/to-ok": Answer(302, b"", {"Location": "/ok"}),
                "/round": Answer(302, b"", {"Location": "/round"}),
                "/file": Answer(302, b"", {"Location": "file:///etc/passwd"}),
            }
            found = await fetched(w, loop_id, "e1", url=server.url + "/ok", headers={"X-Test": "1"})
            assert (found["status"], found["body"], found["truncated"]) == (200, "hello", False)
            assert found["headers"]["content-type"] == "text/plain"
            assert server.requests[-1].headers["x-test"] == "1"
            assert (await fetched(w, loop_id, "e2", url=server.url + "/missing"))["status"] == 404
            assert (await fetched(w, loop_id, "e3", url=server.url + "/to-ok"))["body"] == "hello"
            assert await fetched(w, loop_id, "e4", url=server.url + "/round") == HOST_ERROR
            assert await fetched(w, loop_id, "e5", url=server.url + "/file") == DENIED
            assert await fetched(w, loop_id, "e6", url=server.url + "/ok", method="DELETE") == DENIED
            assert await fetched(w, loop_id, "e7", url=server.url + "/ok", headers={"Host": "x"}) == DENIED
            assert await fetched(w, loop_id, "e8", url="http://127.0.0.1:1/") == HOST_ERROR

    asyncio.run(run())


def test_a_redirect_to_a_private_address_is_denied(tmp_path: Path) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    async def run() -> None:
        async with Loopback() as server:
            client = WebClient(WebSettings(allow_private=True), trust(None), resolve)
            server.answers = {"/": Answer(302, b"", {"Location": "http://inside.test/"})}
            judged: list[str] = []

            async def judging(host: str, port: int) -> str:
                judged.append(host)
                if len(judged) == 2:
                    raise AddressRefused(host)
                return "127.0.0.1"

            client._address = judging  # type: ignore[method-assign]
            with pytest.raises(AddressRefused):
                await client.request("GET", server.url.replace("127.0.0.1", "outside.test") + "/", {}, "")
            assert judged == ["outside.test", "inside.test"]
            await client.close()

    asyncio.run(run())


@pytest.mark.parametrize("body", [b"x" * 100_000, b'"' * 12_000, b"\0" * 12_000, "\u00e9".encode() * 20_000])
def test_large_bodies_are_cut_to_what_a_guest_can_hold(tmp_path: Path, body: bytes) -> None:
    async def run() -> None:
        async with Loopback() as server:
            client = WebClient(WebSettings(allow_private=True), trust(None))
            server.answers = {"/": Answer(200, body)}
            reply = await client.request("GET", server.url + "/", {}, "")
            assert reply.truncated
            assert len(json.dumps(reply.body, ensure_ascii=False).encode()) <= 12 * 1024 + 2
            assert body.decode().startswith(reply.body)
            await client.close()

    asyncio.run(run())


# ---------------------------------------------------------------- what one request leaves for the next: nothing


def test_cookies_of_one_loops_request_are_not_sent_with_anothers(tmp_path: Path) -> None:
    async def run() -> None:
        web = WebSettings(allow_private=True)
        async with Loopback() as server, world(f"sqlite:///{tmp_path}/x.db", tmp_path, web=web) as w:
            one, other = await w.loop(CALLER), await w.loop(CALLER)
            server.answers = {
                "/in": Answer(302, b"", {"Set-Cookie": "session=secret; Path=/", "Location": "/ok"}),
                "/ok": Answer(200, b"hello"),
            }
            assert (await fetched(w, one, "e1", url=server.url + "/in"))["body"] == "hello"
            assert (await fetched(w, other, "e1", url=server.url + "/ok"))["body"] == "hello"
            await fetched(w, one, "e2", url=server.url + "/ok", headers={"Cookie": "mine=1"})
            cookies = [request.headers.get("cookie") for request in server.requests]
            assert cookies == [None, None, None, "mine=1"], "what a Loop sends itself is its own"

    asyncio.run(run())


async def here(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


@contextmanager
def client(authority: Authority | None) -> Iterator[WebClient]:
    """One that takes every name for this machine."""
    yield WebClient(WebSettings(allow_private=True), trust(None if authority is None else authority.file), here)


def test_an_authority_that_is_configured_is_trusted_and_no_other(tmp_path: Path) -> None:
    async def run() -> None:
        authority = Authority(tmp_path)
        async with Loopback(authority.server("inside.test")) as server:
            server.answers = {"/": Answer(200, b"hello")}
            url = f"https://inside.test:{server.port}/"
            with client(authority) as trusting:
                reply = await trusting.request("GET", url, {}, "")
                assert (reply.body, server.requests[0].headers["host"]) == ("hello", f"inside.test:{server.port}")
                await trusting.close()
            with client(None) as usual:
                with pytest.raises(RequestFailed, match=r"inside\.test .* certificate is not accepted: .*issuer"):
                    await usual.request("GET", url, {}, "")
                await usual.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("days", "host", "reason"), [(0, "outside.test", "Hostname mismatch"), (1, "inside.test", "expired")]
)
def test_a_certificate_of_another_name_or_time_is_refused(tmp_path: Path, days: int, host: str, reason: str) -> None:
    async def run() -> None:
        authority = Authority(tmp_path)
        async with Loopback(authority.server("inside.test", expired_days=days)) as server:
            with client(authority) as trusting:
                with pytest.raises(RequestFailed, match=reason):
                    await trusting.request("GET", f"https://{host}:{server.port}/", {}, "")
                await trusting.close()
            assert server.requests == []

    asyncio.run(run())


def test_each_name_has_to_show_its_certificate_also_at_an_address_that_showed_anothers(tmp_path: Path) -> None:
    """A connection that was kept would carry the second request with the first one's certificate."""

    async def run() -> None:
        authority = Authority(tmp_path)
        async with Loopback(authority.server("inside.test"), keep_alive=True) as server:
            server.answers = {"/": Answer(200, b"hello")}
            with client(authority) as trusting:
                for connections in (1, 2):
                    await trusting.request("GET", f"https://inside.test:{server.port}/", {}, "")
                    assert server.connections == connections
                with pytest.raises(RequestFailed, match="Hostname mismatch"):
                    await trusting.request("GET", f"https://outside.test:{server.port}/", {}, "")
                await trusting.close()

    asyncio.run(run())


def test_a_loop_is_told_in_its_log_why_a_server_is_not_trusted(tmp_path: Path) -> None:
    async def run() -> None:
        web = WebSettings(allow_private=True)
        authority = Authority(tmp_path)
        async with (
            Loopback(authority.server("localhost")) as server,
            world(f"sqlite:///{tmp_path}/x.db", tmp_path, web=web) as w,
        ):
            server.answers = {"/": Answer(200, b"hello")}
            loop_id = await w.loop(CALLER)
            url = f"https://localhost:{server.port}/"
            assert await fetched(w, loop_id, "e1", url=url) == HOST_ERROR
            (line,) = (each for each in await w.lines(loop_id) if "failed" in each)
            assert "localhost was not reached: its certificate is not accepted: unable to get local issuer" in line
            await w.restart(ca_file=authority.file)
            await w.quiet(loop_id)
            assert (await fetched(w, loop_id, "e2", url=url))["body"] == "hello"

    asyncio.run(run())


@pytest.mark.parametrize("content", [None, b"", b"no certificate"])
def test_a_file_of_certificates_that_is_none_is_named(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "ca.pem").write_bytes(content)
    with pytest.raises(TrustUnreadable, match=r"ca\.pem has no certificates"):
        trust(tmp_path / "ca.pem")
