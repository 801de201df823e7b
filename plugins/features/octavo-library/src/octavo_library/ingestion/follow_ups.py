"""What is asked for a document besides its conversion, and is done once a version is there; so far that is entities."""

from __future__ import annotations

from typing import Protocol

from ..storage import DocumentFacts, Job, NewJob
from .requests import IngestRequest


class Afterwards(Protocol):
    """What a request asks for besides the conversion. Thread-safe."""

    def owed(self, facts: DocumentFacts, request: IngestRequest, /) -> NewJob | None:
        """The job that is to be open from the commit of a version on, until that is done; None: there is nothing to do."""

    def do(self, document_id: str, request: IngestRequest, /, *, job: Job | None = None) -> None:
        """Do it for a document, and end that job.

        Args:
            document_id: the document.
            request: what was asked for.
            job: the job, where it is known; None: it is looked for, and there may be none.

        Raises:
            OctavoError: it could not be done, and the job does not say so.
        """


class Nothing:
    """Nobody asks for anything besides."""

    def owed(self, _facts: DocumentFacts, _request: IngestRequest) -> NewJob | None:
        """As `Afterwards`."""
        return None

    def do(self, _document_id: str, _request: IngestRequest, *, job: Job | None = None) -> None:
        """As `Afterwards`."""
