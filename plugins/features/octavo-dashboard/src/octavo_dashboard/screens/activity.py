"""What the server works on: uploads, reconversions, retries."""

from __future__ import annotations

from pydantic import Field

from ..background_work import Task
from ..screen import Query, Reader, Screen, View


class ActivityQuery(Query):
    """No parameters."""


class TaskView(View):
    """A task."""

    id: str = Field(description="Its id.")
    kind: str = Field(description="`upload`, `reconvert`, `retry`, `convert` or `recognise`.")
    name: str = Field(description="The file or document that it is about.")
    state: str = Field(description="`waiting`, `running`, `finished`, `failed` or `cancelled`.")
    begun_at: str = Field(description="When it was asked for, UTC.")
    message: str = Field(description="The result, or why it failed.")
    remedy: str = Field(description="What to do about a failure, or empty.")
    url: str | None = Field(description="The page of its document, once that is known.")
    is_open: bool = Field(description="Whether it waits or runs.")


class ActivityView(View):
    """The tasks of the asker, newest first."""

    tasks: list[TaskView] = Field(description="The tasks.")


def task_view(task: Task) -> TaskView:
    """A task as its page shows it."""
    return TaskView(
        id=task.id,
        kind=task.kind,
        name=task.name,
        state=task.state,
        begun_at=task.begun_at,
        message=task.message,
        remedy=task.remedy,
        url=f"/documents/{task.document_id}" if task.document_id is not None else None,
        is_open=task.is_open,
    )


def build(reader: Reader, query: ActivityQuery) -> ActivityView:
    """List the tasks of the asker."""
    return ActivityView(tasks=[task_view(task) for task in reader.work.tasks(reader.grant)])


SCREEN = Screen(
    path="/activity",
    template="activity.html",
    summary="List uploads, reconversions and retries of this server.",
    query=ActivityQuery,
    view=ActivityView,
    build=build,
)
