"""Opens sources: paths, bytes, and web pages; of a known web page, the stored bytes."""

from __future__ import annotations

import os
import threading
from functools import cached_property
from typing import TYPE_CHECKING

from octavo.conversion.results import open_source
from octavo.documents.location import place_ref
from octavo.documents.source import Source
from octavo.runtime import Runtime
from octavo_contracts import ToolUnavailable
from octavo_sandbox.egress import CloudRequest
from octavo_sandbox.egress.gate import Owners
from octavo_sandbox.egress.targets import is_url

from ..storage import ArtifactStore, Index
from .cloud_owners import recorded
from .events import EventHub
from .originals import open_original
from .requests import IngestRequest

if TYPE_CHECKING:
    from octavo_web.pages import WebPages


class SourceOpener:
    """Opens the sources that are given to a library. Thread-safe.

    Args:
        runtime: the library's settings and network access.
        artifacts: the library's files.
        index: the library's index, for reading.
        events: receives the decisions of the gate to cloud services.
    """

    def __init__(self, runtime: Runtime, artifacts: ArtifactStore, index: Index, events: EventHub) -> None:
        self._runtime = runtime
        self._events = events
        self._artifacts = artifacts
        self._index = index
        self._closing = threading.Event()

    def close(self) -> None:
        """Cancel running downloads promptly; their callers get `Cancelled`."""
        self._closing.set()

    def open(
        self, source: str | os.PathLike[str] | bytes, request: IngestRequest, *, name: str | None = None
    ) -> Source:
        """Open a path, take bytes, or fetch a page; the caller closes the source.

        Workers do not learn its name, as policy contexts share the conversions of the bytes (STO-5).

        Args:
            source: the source as the caller gave it.
            request: the request.
            name: the name of bytes.

        Raises:
            OctavoError: with a reason code, if the document cannot be opened.
            UsageError: bytes were given without a name, or the web settings are invalid.
            Cancelled: the caller cancelled, or the library was closed while a page was fetched.
        """
        if is_url(source):
            return self._web_pages.open(source, request.options, self._owners(request)).without_name()
        return open_source(source, name=name).without_name()

    def open_known(
        self,
        source: str | os.PathLike[str] | bytes,
        request: IngestRequest,
        *,
        document_id: str | None,
        name: str | None = None,
    ) -> Source:
        """Open a known document; of a web page, open the stored bytes, because the page may have changed.

        Args:
            source: the source as the caller gave it.
            request: the request.
            document_id: the document, or None.
            name: the name of bytes.

        Raises:
            OctavoError: as `open`.
        """
        if document_id is not None and is_url(source):
            record = self._index.documents.get(document_id)
            refs = [record.original_ref] if record.original_ref else []
            opened = open_original(refs, self._artifacts, raw_hash=record.raw_hash, shown=str(source))
            opened.place = place_ref(source)
            return opened
        return self.open(source, request, name=name)

    def _owners(self, request: IngestRequest) -> Owners:
        """The corpus that a page joins; other corpora that own its bytes are unknown before they are fetched."""

        def ask() -> tuple[CloudRequest, ...]:
            return (request.corpus.cloud_request if request.corpus else CloudRequest(source_outbound=True),)

        return recorded(ask, self._events, surface=request.surface, document_id=None, run_id=request.run_id)

    @cached_property
    def _web_pages(self) -> WebPages:
        try:
            from octavo_web.pages import WebPages  # an HTTP client, which most libraries never need
        except ModuleNotFoundError as error:
            raise ToolUnavailable(
                "documents from the web need octavo-web, which is not installed", remedy="Run: pip install octavo-web"
            ) from error
        return WebPages(self._runtime, closing=self._closing)
