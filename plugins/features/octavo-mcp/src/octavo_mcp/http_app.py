"""Streamable HTTP application: every request needs the bearer token and allowed Host and Origin headers."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from octavo_contracts import UsageError
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/mcp"

LEAST_TOKEN = 16
"""Fewest characters of a token."""

_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, kw_only=True)
class HttpOptions:
    """Options of the HTTP server.

    Attributes:
        host: address to listen on.
        port: TCP port.
        token: token that clients send as `Authorization: Bearer TOKEN`.
        allow_hosts: additional Host headers, with port, that clients may use.
        allow_origins: origins of web pages that may call the server; by default only its own loopback origin.
    """

    host: str
    port: int
    token: str
    allow_hosts: Sequence[str] = ()
    allow_origins: Sequence[str] = ()

    def check(self) -> None:
        """Check that the server can be protected.

        Raises:
            UsageError: the token is too short, or the address is a wildcard and `allow_hosts` is empty.
        """
        if len(self.token) < LEAST_TOKEN or not self.token.isascii() or not self.token.isprintable():
            raise UsageError(
                f"the token must have at least {LEAST_TOKEN} printable ASCII characters",
                remedy="Remove the token file; the command then creates one with a token of 43",
            )
        if not is_loopback(self.host) and _is_any(self.host) and not self.allow_hosts:
            raise UsageError(
                f"{self.host} is every address of this machine, so that the Host header cannot be checked",
                remedy="Name the server as clients call it: --allow-host NAME:PORT",
            )

    @property
    def security(self) -> TransportSecuritySettings:
        """Allowed hosts and origins."""
        names = _LOOPBACK_NAMES if is_loopback(self.host) else (_bracketed(self.host),)
        own = [f"{name}:{self.port}" for name in names]
        return TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[*own, *self.allow_hosts],
            allowed_origins=[*(f"http://{name}" for name in own), *self.allow_origins],
        )


def make_app(server: Server[Any], options: HttpOptions) -> Starlette:
    """Create the ASGI application that serves the protocol at `/mcp`.

    Args:
        server: the server.
        options: options of the HTTP server.

    Raises:
        UsageError: as `HttpOptions.check`.
    """
    options.check()
    app = server.streamable_http_app(streamable_http_path=PATH, transport_security=options.security, host=options.host)
    app.user_middleware.insert(0, Middleware(BearerToken, token=options.token))
    return app


class BearerToken:
    """Middleware that answers 401 to every request without the token.

    Args:
        app: the wrapped ASGI application.
        token: the expected token.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an authorised request to the application; answer others with 401."""
        if scope["type"] == "http":
            given = Headers(scope=scope).get("authorization", "").encode("latin-1", "replace")
            if not hmac.compare_digest(given, self._expected):
                refused = PlainTextResponse(
                    "A bearer token is needed: send the content of the server's token file.\n",
                    status_code=401,
                    headers={"WWW-Authenticate": 'Bearer realm="octavo"'},
                )
                await refused(scope, receive, send)
                return
        await self._app(scope, receive, send)


def is_loopback(host: str) -> bool:
    """Whether an address is a loopback address."""
    try:
        return host == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_any(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return host == ""


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
