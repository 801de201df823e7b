"""The ASGI application."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from octavo.text.html_document import html_fragment
from octavo_contracts import OctavoError
from octavo_library import Library
from pydantic import Field
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from .login import Login
from .options import DashboardOptions
from .problems import NotFound, internal_problem, problem_of, status_problem
from .protection import DOCUMENT_POLICY, Protection, asker_of
from .rendering import Renderer, environment, json_answer
from .screen import Query, Reader, Screen, read_query
from .screens import document, documents, page, search
from .screens.opened import ID_PATTERN
from .sessions import Sessions

SCREENS: tuple[Screen[Any, Any], ...] = (documents.SCREEN, document.SCREEN, page.SCREEN, search.SCREEN)
"""Every page that has a JSON twin."""

_ASSETS = {
    "dashboard.css": "text/css; charset=utf-8",
    "document.css": "text/css; charset=utf-8",
    "dashboard.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_log = logging.getLogger("octavo.dashboard")


class PictureQuery(Query):
    """The picture of a page."""

    document_id: str = Field(pattern=ID_PATTERN, description="Id of the document.")
    page: int = Field(ge=1, le=10_000_000, description="Page, from 1.")
    dpi: float = Field(default=110.0, ge=20.0, le=300.0, description="Resolution.")


def make_app(library: Library, options: DashboardOptions | None = None) -> Starlette:
    """Create the ASGI application that shows a library.

    Args:
        library: an open library, which the caller closes after the server has ended.
        options: options of the server; by default it is open to this machine.

    Raises:
        UsageError: as `DashboardOptions.check`; or a token names a corpus that does not exist.
    """
    options = options or DashboardOptions()
    options.check()
    for corpus in {one.grant.corpus for one in options.access.tokens} | {options.access.without_token.corpus}:
        if corpus is not None:
            library.corpora.get(corpus)
    sessions = Sessions(options.access, port=options.port)
    renderer = Renderer(brand=library.path.name, read_only=options.read_only, asset_version=asset_version())
    login = Login(options, sessions, renderer)

    def refuse(request: Request, error: Exception) -> Response:
        assert isinstance(error, OctavoError)
        return renderer.problem(request, problem_of(error))

    def status(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return renderer.problem(request, status_problem(error.status_code))

    def broken(request: Request, error: Exception) -> Response:
        _log.error("%s %s failed", request.method, request.scope.get("route_path", "a page"), exc_info=error)
        return renderer.problem(request, internal_problem())

    def formatted(request: Request) -> Response:
        query = read_query(PictureQuery, request)
        markdown = page.page_markdown(_reader(library, request), query.document_id, query.page)
        template = environment().get_template("formatted.html")
        body = template.render(assets=f"/static/{asset_version()}", body=html_fragment(markdown))
        return HTMLResponse(body, headers={"content-security-policy": DOCUMENT_POLICY})

    def picture(request: Request) -> Response:
        query = read_query(PictureQuery, request)
        png = page.page_picture(_reader(library, request), query.document_id, query.page, dpi=query.dpi)
        # Pictures of one version never change, but the asker may lose access: only the browser of the asker keeps one.
        return Response(png, media_type="image/png", headers={"cache-control": "private, max-age=300"})

    routes = [
        Route("/", lambda request: RedirectResponse("/documents", status_code=303)),
        Route("/login", login.show),
        Route("/login", login.begin, methods=["POST"]),
        Route("/logout", login.end, methods=["POST"]),
        Route("/static/{version}/{name}", asset),
        Route("/documents/{document_id}/pages/{page}/picture.png", picture),
        Route("/documents/{document_id}/pages/{page}/formatted", formatted),
    ]
    for screen in SCREENS:
        routes.append(Route(f"{screen.path}.json", _twin(library, screen)))
        routes.append(Route(screen.path, _page(library, renderer, screen)))
    return Starlette(
        routes=routes,
        middleware=[Middleware(Protection, options=options, sessions=sessions, refuse=refuse)],
        exception_handlers={OctavoError: refuse, HTTPException: status, Exception: broken},
    )


def asset(request: Request) -> Response:
    """A static file.

    Raises:
        NotFound: there is none of this name.
    """
    name = request.path_params["name"]
    if name not in _ASSETS:
        raise NotFound("file")
    # A new version has a new URL. Frames of documents have no origin of their own, so that they count as another site.
    headers = {"cache-control": "public, max-age=31536000, immutable", "cross-origin-resource-policy": "cross-origin"}
    return Response(assets()[name], media_type=_ASSETS[name], headers=headers)


@cache
def assets() -> dict[str, bytes]:
    """The static files."""
    return {name: files("octavo_dashboard").joinpath("static", name).read_bytes() for name in _ASSETS}


@cache
def asset_version() -> str:
    """A digest of the static files."""
    return hashlib.sha256(b"".join(assets().values())).hexdigest()[:12]


def _reader(library: Library, request: Request) -> Reader:
    return Reader(library=library, corpus=asker_of(request).corpus)


def _page(library: Library, renderer: Renderer, screen: Screen[Any, Any]) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        return renderer.page(request, screen.template, screen.answer(library, request))

    return endpoint


def _twin(library: Library, screen: Screen[Any, Any]) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        return json_answer(screen.answer(library, request))

    return endpoint
