"""What every endpoint that changes something needs: the asker's grant, the checked form, the document, the answer."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_library import Document, Library
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from .access import Grant
from .background_work import BackgroundWork, Task
from .login import check_csrf, small_form
from .options import DashboardOptions
from .problems import Refused
from .protection import asker_of, unauthorised, wants_html
from .screen import Reader, read_query
from .screens.activity import TaskView, task_view
from .screens.opened import DocumentQuery, open_document
from .sessions import Sessions
from .timed_cache import CachedCounts

MOST_BYTES = 200_000
"""Largest form of a change: a long annotation."""


class TasksView(BaseModel):
    """The tasks that a change started."""

    tasks: list[TaskView] = Field(description="The tasks; `/activity.json` says how far they are.")


@dataclass(frozen=True, kw_only=True)
class ChangeRequests:
    """Reads requests for changes.

    Attributes:
        library: the library.
        options: options of the server.
        sessions: checks the token of a session.
        work: runs what outlasts a request.
        counts: cached counts.
    """

    library: Library
    options: DashboardOptions
    sessions: Sessions
    work: BackgroundWork
    counts: CachedCounts

    async def form(self, request: Request) -> tuple[Grant, dict[str, str]]:
        """What the asker may do, and the fields of the form.

        Raises:
            Refused: the asker has no grant, or the form does not come from this server.
        """
        grant = asker_of(request).grant
        if grant is None:
            raise unauthorised()
        form = await small_form(request, most=MOST_BYTES) if request.headers.get("content-length", "0") != "0" else {}
        check_csrf(request, self.sessions, form.get("csrf", ""))
        return grant, form

    def reader(self, grant: Grant) -> Reader:
        """The library as the asker sees it."""
        return Reader(library=self.library, grant=grant, work=self.work, counts=self.counts)

    def document(self, request: Request, grant: Grant) -> Document:
        """The document that the path of the request names.

        Raises:
            NotFound: the asker has no such document.
        """
        return open_document(self.reader(grant), read_query(DocumentQuery, request).document_id)


def started(request: Request, tasks: list[Task]) -> Response:
    """The answer to a change that started tasks."""
    if wants_html(request.headers):
        return RedirectResponse("/activity", status_code=303)
    view = TasksView(tasks=[task_view(task) for task in tasks])
    return Response(
        view.model_dump_json(),
        status_code=202,
        media_type="application/json",
        headers={"location": "/activity.json"},
    )


def changed(request: Request, place: str, view: BaseModel) -> Response:
    """The answer to a change that is done: back to a page for browsers, and the view for programs."""
    if wants_html(request.headers):
        return RedirectResponse(place, status_code=303)
    return JSONResponse(view.model_dump())


def unconfirmed(*, open_again: str) -> Refused:
    """The refusal of a removal whose confirmation is not that of its preview."""
    return Refused(
        400,
        "The confirmation does not fit",
        reason="invalid_request",
        remedy=f"Nothing was removed. Open {open_again} again",
    )


def field_text(form: dict[str, str], name: str, *, most: int) -> str:
    """A text field without surrounding white space; empty if it is missing.

    Raises:
        Refused: it is too long, or has characters that no keyboard has.
    """
    text = form.get(name, "").replace("\r\n", "\n").strip()
    if len(text) > most:
        raise Refused(400, f"The field {name} has more than {most:,} characters", reason="invalid_request")
    if "\0" in text:
        raise Refused(400, f"The field {name} has a character that is no text", reason="invalid_request")
    return text


def field_number(form: dict[str, str], name: str) -> int:
    """A number of a field.

    Raises:
        Refused: it is missing or not a number.
    """
    text = form.get(name, "")
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise Refused(400, f"The field {name} is not a number", reason="invalid_request")
    return int(text)
