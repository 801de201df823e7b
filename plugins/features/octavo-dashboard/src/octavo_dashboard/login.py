"""Login and logout: a browser gives a token once, and gets a session cookie."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from .options import DashboardOptions
from .problems import Refused
from .protection import asker_of, is_browser
from .renderer import Renderer
from .screen import View
from .sessions import Sessions

MOST_BYTES = 10_000
"""Largest body of a small form."""


class LoginView(View):
    """The form.

    Attributes:
        next: the page to go to.
        failed: whether the token was wrong.
    """

    next: str
    failed: bool


class Login:
    """The endpoints.

    Args:
        options: options of the server.
        sessions: makes session cookies.
        renderer: renders pages.
    """

    def __init__(self, options: DashboardOptions, sessions: Sessions, renderer: Renderer) -> None:
        self._access = options.access
        self._sessions = sessions
        self._renderer = renderer

    async def show(self, request: Request) -> Response:
        """Show the form."""
        place = local_path(request.query_params.get("next", ""))
        if not self._access.needs_token:
            return RedirectResponse(place, status_code=303)
        return self._renderer.page(request, "login.html", LoginView(next=place, failed=False))

    async def begin(self, request: Request) -> Response:
        """Check the token and begin a session."""
        form = await small_form(request)
        place = local_path(form.get("next", ""))
        token = self._access.by_token(form.get("token", "").strip())
        session = self._sessions.begin(fingerprint=token.fingerprint) if token is not None else None
        if session is None:
            return self._renderer.page(request, "login.html", LoginView(next=place, failed=True), status=401)
        answer = RedirectResponse(place, status_code=303)
        answer.headers.append("set-cookie", self._sessions.set_cookie(session))
        return answer

    async def end(self, request: Request) -> Response:
        """End the session."""
        form = await small_form(request)
        check_csrf(request, self._sessions, form.get("csrf", ""))
        answer = RedirectResponse("/login", status_code=303)
        answer.headers.append("set-cookie", self._sessions.clear_cookie())
        return answer


def local_path(given: str) -> str:
    """A path of this server; the list of documents for anything else, so that no link leads elsewhere."""
    is_local = given.startswith("/") and not given.startswith(("//", "/\\")) and given.isprintable()
    return given if is_local and "\\" not in given else "/documents"


async def small_form(request: Request, *, most: int = MOST_BYTES) -> dict[str, str]:
    """The text fields of a form of this server.

    Args:
        request: the request.
        most: largest body, bytes.

    Raises:
        Refused: the body is too large, or not a form.
    """
    if int(request.headers.get("content-length") or most + 1) > most:
        raise Refused(413, "The form is too large", reason="content_too_large")
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        raise Refused(415, "The body is not a form", reason="unsupported_media_type")
    async with request.form(max_fields=250) as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}


def check_csrf(request: Request, sessions: Sessions, given: str) -> None:
    """Check that a change was asked for by a page of this server, or by a program.

    Raises:
        Refused: a browser sent it without the token of its session.
    """
    asker = asker_of(request)
    if asker.session is None:
        if not is_browser(request.headers) or request.headers.get("authorization"):
            return
    elif sessions.is_csrf(asker.session, given):
        return
    raise Refused(
        403, "The form is too old, or does not come from this server", reason="csrf", remedy="Open the page again"
    )
