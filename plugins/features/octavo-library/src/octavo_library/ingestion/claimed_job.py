"""A job that this process has claimed, with its document and request."""

from __future__ import annotations

from dataclasses import dataclass, field

from octavo.documents.source import Source

from ..storage import Job
from .requests import IngestRequest
from .stored_inspections import NewInspection


class Busy(Exception):
    """Another worker has the document, and the caller does not want to wait."""


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
