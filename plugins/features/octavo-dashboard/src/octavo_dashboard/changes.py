"""Endpoints that change something about no single document: uploads, retries of runs, cancellation of tasks."""

from __future__ import annotations

import threading

from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from .background_work import TaskResult
from .change_requests import ChangeRequests, started
from .login import check_csrf
from .problems import owners_only
from .screen import Query, read_query
from .screens.runs import RunQuery
from .uploads import read_upload, start_uploads


class TaskQuery(Query):
    """A task."""

    task_id: str = Field(pattern=r"^[0-9A-Za-z_-]{8,64}$", description="Id of the task.")


class Changes:
    """The endpoints.

    Args:
        requests: reads the requests.
    """

    def __init__(self, requests: ChangeRequests) -> None:
        self._requests = requests
        self._library = requests.library
        self._work = requests.work

    async def upload(self, request: Request) -> Response:
        """Ingest uploaded files."""
        form = await read_upload(request, limit=self._requests.options.upload_limit)
        try:
            given = form.get("csrf")
            header = request.headers.get("x-octavo-csrf", "")
            check_csrf(request, self._requests.sessions, given if isinstance(given, str) else header)
            tasks = await start_uploads(request, form, self._library, self._work)
        finally:
            await form.close()
        return started(request, tasks)

    async def retry(self, request: Request) -> Response:
        """Retry the sources of a run that are not converted, as a new run."""
        grant, form = await self._requests.form(request)
        if grant.corpus is not None:
            raise owners_only()
        run_id = read_query(RunQuery, request).run_id
        reason = form.get("reason") or None
        record, cases = await run_in_threadpool(self._library.runs.failed, run_id, reason=reason)

        def run(cancel: threading.Event) -> TaskResult:
            done = [
                outcome.result.ingestion_status
                for outcome in self._library.runs.retry(record.run_id, reason=reason, cancel=cancel)
            ]
            failed = sum(status == "hard_failed" for status in done)
            return TaskResult(message=f"{len(done) - failed} of {len(done)} sources converted", is_failure=failed > 0)

        name = f"{len(cases)} source{'' if len(cases) == 1 else 's'} of run {record.run_id[:8]}"
        return started(request, [self._work.start("retry", name, grant, run)])

    async def cancel(self, request: Request) -> Response:
        """Stop a task."""
        grant, _ = await self._requests.form(request)
        return started(request, [self._work.cancel(read_query(TaskQuery, request).task_id, grant)])
