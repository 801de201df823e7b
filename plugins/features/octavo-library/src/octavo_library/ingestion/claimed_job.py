"""A job that an engine has claimed, with what it is converted by."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from octavo.documents.source import Source
from octavo_contracts import Intent

from ..storage import Job, Sighting
from .requests import IngestRequest

Reserve = Callable[[int, threading.Event | None], None]
"""Waits until the disk has room for so many bytes; the event ends the wait."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """A claimed job and what it is about.

    Attributes:
        job: the claim.
        source: the open document.
        request: how it came in.
        path_ref: its path as a reference, or None for bytes.
        started: when the work began, ISO 8601.
        above: the highest version ever given out for the document, where that is known; None: it is looked up.
    """

    job: Job
    source: Source
    request: IngestRequest
    path_ref: str | None
    started: str
    above: int | None = None

    @property
    def raw_hash(self) -> str:
        """SHA-256 of the document."""
        return self.source.raw_file_hash

    @property
    def sighting(self) -> Sighting | None:
        """What the end of the job records of the way in; a reconversion is no new encounter."""
        return self.request.sighting(self.path_ref) if self.job.intent is Intent.INGEST else None
