"""Endpoints that change something: uploads, reconversions, activation of versions, retries, cancellation."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from octavo_library import Document, Library
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from .access import Grant
from .background_work import BackgroundWork, Task, TaskResult
from .login import check_csrf, small_form
from .options import DashboardOptions
from .problems import Refused, owners_only
from .protection import asker_of, unauthorised, wants_html
from .screen import Query, Reader, read_query
from .screens.activity import TaskView, task_view
from .screens.opened import DocumentQuery, converters, open_document
from .screens.runs import RunQuery
from .sessions import Sessions
from .uploads import read_upload, start_uploads


class TasksView(BaseModel):
    """The tasks that a change started."""

    tasks: list[TaskView] = Field(description="The tasks; `/activity.json` says how far they are.")


class TaskQuery(Query):
    """A task."""

    task_id: str = Field(pattern=r"^[0-9A-Za-z_-]{8,64}$", description="Id of the task.")


@dataclass(frozen=True, kw_only=True)
class Changes:
    """The endpoints.

    Attributes:
        library: the library.
        options: options of the server.
        sessions: checks the token of a session.
        work: runs what outlasts a request.
    """

    library: Library
    options: DashboardOptions
    sessions: Sessions
    work: BackgroundWork

    async def upload(self, request: Request) -> Response:
        """Ingest uploaded files."""
        form = await read_upload(request, limit=self.options.upload_limit)
        try:
            given = form.get("csrf")
            header = request.headers.get("x-octavo-csrf", "")
            check_csrf(request, self.sessions, given if isinstance(given, str) else header)
            tasks = await start_uploads(request, form, self.library, self.work)
        finally:
            await form.close()
        return _started(request, tasks)

    async def reconvert(self, request: Request) -> Response:
        """Convert a document again, as a new version."""
        grant, form = await self._form(request)
        document = await run_in_threadpool(self._document, request, grant)
        plugin = form.get("plugin") or None
        if plugin is not None and plugin not in converters(self.library, document):
            raise Refused(400, "No such plugin reads this document", reason="invalid_request")

        def run(cancel: threading.Event) -> TaskResult:
            made = document.reconvert(plugin=plugin, cancel=cancel)
            held = f", not active: {made.held_back.message}" if made.held_back is not None else ""
            return TaskResult(message=f"Version {made.version} by {made.tool}{held}", document_id=document.id)

        name = self.library.catalogue.name_of(document)
        return _started(request, [self.work.start("reconvert", name, grant, run, document_id=document.id)])

    async def activate(self, request: Request) -> Response:
        """Make another version of a document the active one."""
        grant, form = await self._form(request)
        document = await run_in_threadpool(self._document, request, grant)
        version = form.get("version", "")
        if not version.isascii() or not version.isdecimal() or len(version) > 9:
            raise Refused(400, "The version is not a number", reason="invalid_request")
        await run_in_threadpool(document.versions.activate, int(version))
        if wants_html(request.headers):
            return RedirectResponse(f"/documents/{document.id}", status_code=303)
        return JSONResponse({"document_id": document.id, "version": int(version)})

    async def retry(self, request: Request) -> Response:
        """Retry the sources of a run that are not converted, as a new run."""
        grant, form = await self._form(request)
        if grant.corpus is not None:
            raise owners_only()
        run_id = read_query(RunQuery, request).run_id
        reason = form.get("reason") or None
        record, cases = await run_in_threadpool(self.library.runs.failed, run_id, reason=reason)

        def run(cancel: threading.Event) -> TaskResult:
            done = [
                outcome.result.ingestion_status
                for outcome in self.library.runs.retry(record.run_id, reason=reason, cancel=cancel)
            ]
            failed = sum(status == "hard_failed" for status in done)
            return TaskResult(message=f"{len(done) - failed} of {len(done)} sources converted", is_failure=failed > 0)

        name = f"{len(cases)} source{'' if len(cases) == 1 else 's'} of run {record.run_id[:8]}"
        return _started(request, [self.work.start("retry", name, grant, run)])

    async def cancel(self, request: Request) -> Response:
        """Stop a task."""
        grant, _ = await self._form(request)
        return _started(request, [self.work.cancel(read_query(TaskQuery, request).task_id, grant)])

    async def _form(self, request: Request) -> tuple[Grant, dict[str, str]]:
        """What the asker may do, and the fields of the form.

        Raises:
            Refused: the asker has no grant, or the form does not come from this server.
        """
        grant = asker_of(request).grant
        if grant is None:
            raise unauthorised()
        form = await small_form(request) if request.headers.get("content-length", "0") != "0" else {}
        check_csrf(request, self.sessions, form.get("csrf", ""))
        return grant, form

    def _document(self, request: Request, grant: Grant) -> Document:
        query = read_query(DocumentQuery, request)
        return open_document(Reader(library=self.library, grant=grant, work=self.work), query.document_id)


def _started(request: Request, tasks: list[Task]) -> Response:
    if wants_html(request.headers):
        return RedirectResponse("/activity", status_code=303)
    view = TasksView(tasks=[task_view(task) for task in tasks])
    return Response(
        view.model_dump_json(),
        status_code=202,
        media_type="application/json",
        headers={"location": "/activity.json"},
    )
