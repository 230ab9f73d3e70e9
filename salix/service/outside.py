"""What all clients of the outside world share: whom they trust, that they remember nothing, and why they failed.

A client serves all Loops, so it must keep nothing of one request for the next: no cookies, which are somebody's, and no
connections. A connection goes to an address that was judged, and was shown a certificate for one name; the next request
to that address may be for another name, and has to be shown its own.
"""

from __future__ import annotations

import ssl
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path

import httpx


class TrustUnreadable(Exception):
    """The file of certificates to trust is none; the message names it."""


def trust(ca_file: Path | None) -> ssl.SSLContext:
    """The authorities that are trusted: the usual ones, and those in `ca_file` (PEM). Raises TrustUnreadable."""
    context = httpx.create_ssl_context(trust_env=False)
    if ca_file is not None:
        try:
            context.load_verify_locations(ca_file)
        except OSError as error:  # ssl.SSLError is one
            raise TrustUnreadable(f"{ca_file} has no certificates that could be trusted: {error.strerror}") from error
    return context


def client(trusted: ssl.SSLContext, timeout_ms: int) -> httpx.AsyncClient:
    """A client as the module says; the environment's proxies and certificates are not used."""
    return httpx.AsyncClient(
        verify=trusted,
        timeout=timeout_ms / 1000,
        trust_env=False,
        follow_redirects=False,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
    )


def why(error: BaseException) -> str:
    """The reason of a failure, as far down as there is one, for people."""
    reason = type(error).__name__
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, ssl.SSLCertVerificationError):
            return f"its certificate is not accepted: {inner.verify_message}"
        if isinstance(inner, OSError) and inner.strerror:
            reason = inner.strerror
        inner = inner.__cause__ or inner.__context__
    return reason
