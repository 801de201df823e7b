"""Middleware that stands before every page: Host and Origin checks, the asker's grant, and headers of each answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .access import Grant
from .options import DashboardOptions
from .problems import Refused
from .sessions import Session, Sessions
from .timed_protocol import timely

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
DOCUMENT_POLICY = (
    "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; "
    "sandbox allow-same-origin"
)
"""For HTML made from a document, which the page shows in a frame: no scripts, no forms, no pictures, no popups."""

_HEADERS = {
    "content-security-policy": PAGE_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_OPEN_PATHS = ("/static/", "/login", "/health", "/ready")
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, kw_only=True)
class Asker:
    """Who makes a request.

    Attributes:
        grant: what the asker may see; None for a page that needs none.
        session: the browser's session; None for a program.
    """

    grant: Grant | None
    session: Session | None


def asker_of(request: Request) -> Asker:
    """Who makes this request."""
    found = request.scope["octavo.asker"]
    assert isinstance(found, Asker)
    return found


def unauthorised() -> Refused:
    """The answer to a request without a valid token."""
    return Refused(401, "A token is needed", reason="token_needed", remedy="Log in, or send it as a bearer token")


class Protection:
    """ASGI middleware: every request passes through it before any other code of the application.

    Args:
        app: the wrapped application.
        options: options of the server.
        sessions: makes and checks session cookies.
        refuse: makes the answer to a refused request.
    """

    def __init__(
        self,
        app: ASGIApp,
        options: DashboardOptions,
        sessions: Sessions,
        refuse: Callable[[Request, Refused], Response],
    ) -> None:
        self._app = app
        self._options = options
        self._hosts = options.hosts
        self._sessions = sessions
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an allowed request to the application, and answer the others."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            else:  # a WebSocket, of which there are none: refused before its handshake
                await send({"type": "websocket.close"})
            return
        headers = Headers(scope=scope)
        scope["octavo.asker"] = Asker(grant=None, session=None)
        new: Session | None = None

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    given.setdefault(name, value)
                if new is not None:
                    given.append("set-cookie", self._sessions.set_cookie(new))
            await send(message)

        try:
            self._check_host(headers)
            asker, new = self._asker(scope, headers)
            scope["octavo.asker"] = asker
            if scope["method"] not in _SAFE:
                self._check_origin(headers)
                if self._options.read_only and not scope["path"].startswith(("/login", "/logout", "/v1/")):
                    raise Refused(
                        403, "The server is read-only", reason="read_only", remedy="Start it without --read-only"
                    )
            if asker.grant is None and not scope["path"].startswith(_OPEN_PATHS):
                raise unauthorised()
        except Refused as refused:
            response = self._refuse(Request(scope), refused)
            if refused.status == 401 and wants_page(scope, headers):
                place = scope["path"] + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
                response = Response(status_code=303, headers={"location": f"/login?next={quote(place, safe='')}"})
            await response(scope, receive, answer)
            return
        await self._app(scope, timely(receive), answer)

    def _check_host(self, headers: Headers) -> None:
        if headers.get("host", "") not in self._hosts:
            raise Refused(
                421,
                "The server is not called by this name",
                reason="wrong_host",
                remedy="Use the address that `octavo web` prints, or add --allow-host NAME:PORT",
            )

    def _check_origin(self, headers: Headers) -> None:
        """Refuse a change that a page of another site sends: by Fetch Metadata, and by Origin where that is sent."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site not in (None, "same-origin", "none") or (
            origin is not None and (origin == "null" or urlsplit(origin).netloc != headers.get("host"))
        ):
            raise Refused(403, "The request comes from a page of another site", reason="wrong_origin")

    def _asker(self, scope: Scope, headers: Headers) -> tuple[Asker, Session | None]:
        """Who asks, and the session that begins with this answer, if any."""
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" and "x-api-key" in headers:  # as clients of docling-serve send it
            kind, token = "bearer", headers["x-api-key"]
        if kind.lower() == "bearer" and self._options.access.needs_token:
            found = self._options.access.by_token(token.strip())
            return Asker(grant=found.grant if found is not None else None, session=None), None
        session = self._sessions.of_cookies(headers.get("cookie", ""))
        if session is not None:
            return Asker(grant=session.grant, session=session), None
        if self._options.access.needs_token:
            return Asker(grant=None, session=None), None
        if is_browser(headers):
            begun = self._sessions.begin()
            return Asker(grant=self._options.access.without_token, session=begun), begun
        return Asker(grant=self._options.access.without_token, session=None), None


def is_browser(headers: Headers) -> bool:
    """Whether a request comes from a browser rather than from a program."""
    return any(name in headers for name in ("sec-fetch-site", "origin", "cookie")) or wants_html(headers)


def wants_html(headers: Headers) -> bool:
    """Whether a client accepts pages."""
    return "text/html" in headers.get("accept", "")


def wants_page(scope: Scope, headers: Headers) -> bool:
    """Whether a request is answered by a page rather than by JSON."""
    path = scope["path"]
    return scope["method"] in _SAFE and wants_html(headers) and not path.endswith((".json", ".png"))
