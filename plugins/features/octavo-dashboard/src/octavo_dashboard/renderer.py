"""Answers: a page by a template, or its JSON twin; both from the same view."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from .display_text import FILTERS
from .problems import Problem, as_json
from .protection import Asker, asker_of, wants_page
from .rendered_pages import RenderedPages
from .screen import View

MOST_FRAGMENTS = 4_096
"""Parts of pages in the cache, of less than 1 kB each."""
BUSY_SECONDS = 60
"""Seconds after which a program may ask a server again that refused work because too much was waiting."""


@cache
def environment() -> Environment:
    """The templates. Every value is escaped, and a misspelt name is an error."""
    made = Environment(
        loader=PackageLoader("octavo_dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(FILTERS)
    made.globals["fragment"] = fragment
    return made


@lru_cache(maxsize=MOST_FRAGMENTS)
def fragment(template: str, view: View, read_only: bool) -> Markup:
    """A part of a page that depends on its arguments alone, such as a row: cached, as rows make half of a listing's time."""
    return Markup(environment().get_template(template).render(view=view, read_only=read_only))


class Renderer:
    """Renders views.

    Args:
        brand: name of the library, for the heading of each page.
        read_only: whether pages offer no changes.
        has_login: whether browsers log in, and may log out.
        asset_version: changes with the static files, so that browsers may keep them.
    """

    def __init__(self, *, brand: str, read_only: bool, has_login: bool, asset_version: str) -> None:
        self._brand = brand
        self._read_only = read_only
        self._has_login = has_login
        self._asset_version = asset_version
        self._pages = RenderedPages()
        # Stands for the session's token in a page of the cache. No document can contain it: nothing ever sends it.
        self._csrf_place = secrets.token_hex(32)

    def page(self, request: Request, template: str, view: BaseModel, *, status: int = 200) -> Response:
        """A page.

        Args:
            request: the request.
            template: name of the template.
            view: what the page shows.
            status: HTTP status.
        """
        asker = asker_of(request)
        csrf = asker.session.csrf if asker.session is not None else ""
        return HTMLResponse(self._render(request, template, view, asker, csrf), status_code=status)

    def screen(self, request: Request, template: str, view: View) -> Response:
        """The page of a screen; the same view for a grant is rendered once, whatever session asks for it.

        Args:
            request: the request.
            template: name of the template.
            view: what the page shows.
        """
        asker = asker_of(request)
        csrf = asker.session.csrf if asker.session is not None else ""
        shown = hashlib.sha256(view.model_dump_json().encode("utf-8", "surrogatepass")).digest()
        key = (template, request.scope["path"], request.scope["query_string"], asker.grant, bool(csrf), shown)
        token = self._csrf_place if csrf else ""
        page = self._pages.get(key, lambda: self._render(request, template, view, asker, token).encode())
        return HTMLResponse(page.replace(token.encode(), csrf.encode()) if csrf else page)

    def _render(self, request: Request, template: str, view: BaseModel, asker: Asker, csrf: str) -> str:
        return (
            environment()
            .get_template(template)
            .render(
                view=view,
                brand=self._brand,
                read_only=self._read_only,
                has_login=self._has_login,
                corpus=asker.grant.corpus if asker.grant is not None else None,
                logged_in=asker.grant is not None,
                csrf=csrf,
                here=request.url.path,
                twin=twin_of(request),
                assets=f"/static/{self._asset_version}",
                query=lambda **changes: changed_query(request, changes),
            )
        )

    def problem(self, request: Request, problem: Problem) -> Response:
        """An error, as a page for browsers and as `application/problem+json` for programs."""
        if wants_page(request.scope, request.headers):
            answer = self.page(request, "problem.html", problem, status=problem.status)
        else:
            kind = "application/problem+json"
            answer = JSONResponse(as_json(problem), status_code=problem.status, media_type=kind)
            if problem.status == 401:
                answer.headers["www-authenticate"] = 'Bearer realm="octavo"'
        if problem.reason == "busy":
            answer.headers["retry-after"] = str(BUSY_SECONDS)
        return answer


def json_answer(view: BaseModel) -> Response:
    """The JSON twin of a view."""
    return Response(view.model_dump_json(), media_type="application/json")


def twin_of(request: Request) -> str:
    """The URL of a page's JSON twin."""
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{request.url.path.rstrip('/')}.json{query}"


def changed_query(request: Request, changes: Mapping[str, Any]) -> str:
    """The page's URL with other query parameters; None and an empty value remove one."""
    given = dict(request.query_params.multi_items())
    kept = {name: value for name, value in {**given, **changes}.items() if value not in (None, "")}
    return f"{request.url.path}?{urlencode(kept)}" if kept else request.url.path
