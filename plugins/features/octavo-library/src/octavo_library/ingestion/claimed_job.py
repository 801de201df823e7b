"""A job that this process has claimed, with its document and request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from octavo.documents.source import Source
from octavo_contracts import OctavoError
from octavo_sandbox import Cancelled

from ..storage import Job
from .requests import IngestRequest
from .stored_inspections import NewInspection


class Busy(Exception):
    """Another worker has the document, and the caller does not want to wait."""


class NotOpened(Exception):
    """The original of a claimed job cannot be opened on this machine. The claim is kept, in `conversion_pending`.

    Args:
        job: the claim.
        error: why the original cannot be opened.
    """

    def __init__(self, job: Job, error: OctavoError) -> None:
        super().__init__(error.message)
        self.job = job
        self.error = error


@dataclass(frozen=True, kw_only=True)
class ClaimedJob:
    """A claimed job with its document.

    Attributes:
        job: the claim.
        source: the open document.
        request: the request.
        path_ref: its path as a reference, or None for bytes.
        started: when the work began, ISO 8601.
        above: the highest version number ever used for the document, if known; None: it is looked up.
        inspection: the inspection that the conversion makes, to be stored with the completion.
    """

    job: Job
    source: Source
    request: IngestRequest
    path_ref: str | None
    started: str
    above: int | None = None
    inspection: NewInspection = field(default_factory=NewInspection)


def opened(job: Job, open_source: Callable[[], Source]) -> Source:
    """Open the document of a claimed job; the caller closes it."""
    try:
        return open_source()
    except Cancelled:
        raise
    except OctavoError as error:
        raise NotOpened(job, error) from error
