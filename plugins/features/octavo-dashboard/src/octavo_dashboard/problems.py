"""Errors as pages and as JSON (RFC 9457), without a path of the machine."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

from octavo_contracts import (
    ContentTooLarge,
    DocumentError,
    OctavoError,
    PolicyRefused,
    StorageError,
    StorageExhausted,
    ToolError,
    UsageError,
)
from pydantic import BaseModel, ConfigDict, Field

_PATH = re.compile(r"(?<![\w.:/-])/(?:[^\s/'\"`:]+/)+([^\s/'\"`:]*)")
_FILE_URL = re.compile(r"file://\S*")


class Problem(BaseModel):
    """What went wrong, and what to do."""

    model_config = ConfigDict(frozen=True)

    status: int = Field(description="HTTP status.")
    title: str = Field(description="The problem, as a sentence without a full stop.")
    remedy: str = Field(default="", description="What the user can do.")
    detail: str = Field(default="", description="Title and remedy, as sentences.")
    reason: str = Field(description="Reason code.")


class NotFound(OctavoError):
    """There is no such thing, or the asker may not see it: both get this answer."""

    def __init__(self, what: str, *, remedy: str = "") -> None:
        super().__init__(f"There is no such {what}", remedy=remedy or "Go back to the list of documents")


class Refused(OctavoError):
    """A request that the server does not accept.

    Args:
        status: HTTP status.
        message: the problem.
        reason: reason code.
        remedy: what the user can do.
    """

    def __init__(self, status: int, message: str, *, reason: str, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.status = status
        self.code = reason


def owners_only() -> Refused:
    """The answer to a corpus that asks for what is the library owner's."""
    return Refused(403, "This page is for the owner of the library", reason="owners_only")


_STATUSES: tuple[tuple[type[OctavoError], int, str], ...] = (
    (NotFound, 404, "not_found"),
    (UsageError, 400, "invalid_request"),
    (StorageExhausted, 507, "storage_exhausted"),
    (StorageError, 503, "storage_error"),
    (PolicyRefused, 403, "policy_refused"),
    (ContentTooLarge, 413, "content_too_large"),
    (DocumentError, 409, "document_error"),
    (ToolError, 502, "tool_error"),
)


def problem_of(error: OctavoError) -> Problem:
    """The answer to an error."""
    if isinstance(error, Refused):
        return Problem(status=error.status, title=error.message, remedy=error.remedy, reason=error.code)
    for kind, status, code in _STATUSES:
        if isinstance(error, kind):
            reason = error.reason.value if error.reason is not None else code
            return Problem(
                status=status, title=public_text(error.message), remedy=public_text(error.remedy), reason=reason
            )
    return internal_problem()


def internal_problem() -> Problem:
    """The answer to an unexpected error, whose details stand in the log alone."""
    return Problem(
        status=500,
        title="The server made a mistake",
        remedy="Try again; the server's log has the details",
        reason="internal_error",
    )


def status_problem(status: int) -> Problem:
    """The answer for a status that the framework raises, such as an unknown path or method."""
    phrase = HTTPStatus(status).phrase
    title = {404: "There is no such page", 405: "The page does not accept this method"}.get(status, phrase)
    return Problem(status=status, title=title, reason=phrase.lower().replace(" ", "_"))


def public_text(text: str) -> str:
    """A message without folders of the machine: of each path the last part is kept."""
    return _PATH.sub(lambda match: match[1] or "…", _FILE_URL.sub("…", text))


def as_json(problem: Problem) -> dict[str, Any]:
    """The members of an `application/problem+json` document."""
    detail = " ".join(f"{sentence}." for sentence in (problem.title, problem.remedy) if sentence)
    return {"type": "about:blank", **problem.model_dump(), "detail": detail}
