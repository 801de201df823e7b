"""The ASGI application."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import secrets
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from typing import Any

from octavo_contracts import OctavoError
from octavo_library import Library
from octavo_text.html_document import html_fragment
from pydantic import Field
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from .api_description import describe
from .background_work import BackgroundWork
from .change_requests import ChangeRequests
from .changes import Changes
from .conversion_service import ConversionService
from .corpus_changes import CorpusChanges
from .document_changes import DocumentChanges
from .document_files import exported_archive, markdown_file
from .library_changes import LibraryChanges
from .live_updates import MOST_STREAMS, LiveUpdates
from .login import Login
from .options import DashboardOptions
from .problems import NotFound, Refused, internal_problem, owners_only, problem_of, status_problem
from .prometheus_text import CONTENT_TYPE, PrometheusText
from .protection import DOCUMENT_POLICY, Protection, asker_of, unauthorised
from .renderer import Renderer, environment, json_answer
from .rule_changes import RuleChanges
from .screen import Query, Reader, Screen, read_query
from .screens import (
    activity,
    context,
    corpora,
    corpus_settings,
    deletion,
    difference,
    document,
    documents,
    page,
    research,
    retention,
    routing,
    runs,
    search,
    settings,
    types,
    usage,
)
from .screens.opened import ID_PATTERN, DocumentQuery
from .sessions import Sessions
from .timed_cache import CachedCounts

SCREENS: tuple[Screen[Any, Any], ...] = (
    documents.SCREEN,
    document.SCREEN,
    page.SCREEN,
    difference.SCREEN,
    deletion.SCREEN,
    context.SCREEN,
    search.SCREEN,
    activity.SCREEN,
    *runs.SCREENS,
    corpora.SCREEN,
    corpus_settings.SCREEN,
    retention.SCREEN,
    *routing.SCREENS,
    *research.SCREENS,
    usage.SCREEN,
    types.SCREEN,
    settings.SCREEN,
)
"""Every page that has a JSON twin."""

_ASSETS = {
    "dashboard.css": "text/css; charset=utf-8",
    "document.css": "text/css; charset=utf-8",
    "dashboard.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
PAGE_THREADS = 2
"""Pages that are made at once. One of them computes while the other waits for the index; more would only wait for the
interpreter, and each would fill the cache of a connection of its own."""
_log = logging.getLogger("octavo.dashboard")

ReaderOf = Callable[[Request], Reader]


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
    work = BackgroundWork(new_id=lambda: secrets.token_urlsafe(12))
    live = LiveUpdates(library, work)
    counts = CachedCounts()
    threads = ThreadPoolExecutor(PAGE_THREADS, thread_name_prefix="octavo-page")
    prometheus = PrometheusText(library, interval=options.metrics_interval)
    service = ConversionService(library, options, work)
    requests = ChangeRequests(library=library, options=options, sessions=sessions, work=work, counts=counts)
    changes, of_document, of_library = Changes(requests), DocumentChanges(requests), LibraryChanges(requests)
    of_rules = RuleChanges(requests)
    renderer = Renderer(
        brand=library.path.name,
        read_only=options.read_only,
        has_login=options.access.needs_token,
        asset_version=asset_version(),
    )
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

    def reader(request: Request) -> Reader:
        grant = asker_of(request).grant
        if grant is None:
            raise unauthorised()
        return Reader(library=library, grant=grant, work=work, counts=counts, may_change=not options.read_only)

    async def events(request: Request) -> Response:
        if live.streams >= MOST_STREAMS:
            raise Refused(503, "Too many pages are open", reason="busy")
        return StreamingResponse(live.stream(reader(request).grant), media_type="text/event-stream")

    def metrics(request: Request) -> Response:
        if reader(request).corpus is not None:
            raise owners_only()
        return Response(prometheus.text(), media_type=CONTENT_TYPE)

    def ready(request: Request) -> Response:
        """Whether the index answers. Anyone may ask, so the answer does not say what the problem is."""
        try:
            library.queue.counts()
        except OctavoError as error:
            _log.warning("not ready: %s", error)
            return JSONResponse({"status": "unavailable"}, status_code=503)
        return JSONResponse({"status": "ok"})

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        prometheus.close()
        await run_in_threadpool(work.close)
        await run_in_threadpool(threads.shutdown)

    def formatted(request: Request) -> Response:
        query = read_query(PictureQuery, request)
        markdown = page.page_markdown(reader(request), query.document_id, query.page)
        template = environment().get_template("formatted.html")
        body = template.render(assets=f"/static/{asset_version()}", body=html_fragment(markdown))
        return HTMLResponse(body, headers={"content-security-policy": DOCUMENT_POLICY})

    def archive(request: Request) -> Response:
        return exported_archive(reader(request), read_query(DocumentQuery, request).document_id)

    def markdown(request: Request) -> Response:
        return markdown_file(reader(request), read_query(DocumentQuery, request).document_id)

    def picture(request: Request) -> Response:
        query = read_query(PictureQuery, request)
        png = page.page_picture(reader(request), query.document_id, query.page, dpi=query.dpi)
        # Pictures of one version never change, but the asker may lose access: only the browser of the asker keeps one.
        return Response(png, media_type="image/png", headers={"cache-control": "private, max-age=300"})

    # Each request goes through the routes in their order: those that readers ask for most come first.
    routes = []
    for screen in SCREENS:
        routes.append(Route(f"{screen.path}.json", _limited(_twin(reader, screen), threads)))
        routes.append(Route(screen.path, _limited(_page(reader, renderer, screen), threads)))
    routes += [
        Route("/", lambda request: RedirectResponse("/documents", status_code=303)),
        Route("/login", login.show),
        Route("/login", login.begin, methods=["POST"]),
        Route("/logout", login.end, methods=["POST"]),
        Route("/static/{version}/{name}", asset),
        Route("/events", events),
        Route("/metrics", metrics),
        Route("/health", lambda request: JSONResponse({"status": "ok"})),
        Route("/ready", _limited(ready, threads)),
        Route("/openapi.json", lambda request: JSONResponse(description())),
        Route("/v1/convert/source", service.source, methods=["POST"]),
        Route("/v1/convert/file", service.file, methods=["POST"]),
        Route("/v1/convert/source/async", service.source_in_background, methods=["POST"]),
        Route("/v1/convert/file/async", service.file_in_background, methods=["POST"]),
        Route("/v1/status/poll/{task_id}", service.status),
        Route("/v1/result/{task_id}", service.result),
        Route("/version", service.version),
        Route("/upload", changes.upload, methods=["POST"]),
        Route("/activity/{task_id}/cancel", changes.cancel, methods=["POST"]),
        Route("/documents/{document_id}/reconvert", of_document.reconvert, methods=["POST"]),
        Route("/documents/{document_id}/activate", of_document.activate, methods=["POST"]),
        Route("/documents/{document_id}/type", of_document.set_type, methods=["POST"]),
        Route("/documents/{document_id}/accept", of_document.accept, methods=["POST"]),
        Route("/documents/{document_id}/metadata", of_document.decide_metadata, methods=["POST"]),
        Route("/documents/{document_id}/delete", of_library.delete, methods=["POST"]),
        Route("/documents/{document_id}/recognise", of_library.recognise, methods=["POST"]),
        Route("/documents/{document_id}/marks", of_library.mark, methods=["POST"]),
        Route("/documents/recognise", of_library.recognise_selected, methods=["POST"]),
        Route("/documents/{document_id}/annotations", of_library.annotate, methods=["POST"]),
        Route("/documents/{document_id}/annotations/{annotation_id}", of_library.change_annotation, methods=["POST"]),
        Route("/documents/{document_id}/export.zip", archive),
        Route("/documents/{document_id}/export.md", markdown),
        Route("/routing/{routing_type}", of_rules.decide, methods=["POST"]),
        Route("/corpora/retention", of_rules.set_retention, methods=["POST"]),
        Route("/corpora/settings", CorpusChanges(requests).change, methods=["POST"]),
        Route("/retention", of_rules.reclaim, methods=["POST"]),
        Route("/runs/{run_id}/retry", changes.retry, methods=["POST"]),
        Route("/documents/{document_id}/pages/{page}/picture.png", picture),
        Route("/documents/{document_id}/pages/{page}/formatted", formatted),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Protection, options=options, sessions=sessions, refuse=refuse)],
        lifespan=lifespan,
        exception_handlers={OctavoError: refuse, HTTPException: status, Exception: broken},
    )


@cache
def description() -> dict[str, Any]:
    """The OpenAPI description."""
    return describe(SCREENS)


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


def _page(reader: ReaderOf, renderer: Renderer, screen: Screen[Any, Any]) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        return renderer.screen(request, screen.template, screen.answer(reader(request), request))

    return endpoint


def _twin(reader: ReaderOf, screen: Screen[Any, Any]) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        return json_answer(screen.answer(reader(request), request))

    return endpoint


def _limited(endpoint: Callable[[Request], Response], threads: Executor) -> Callable[[Request], Any]:
    """An endpoint that runs in a thread of the application's pages."""

    async def limited(request: Request) -> Response:
        return await asyncio.get_running_loop().run_in_executor(threads, endpoint, request)

    return limited
