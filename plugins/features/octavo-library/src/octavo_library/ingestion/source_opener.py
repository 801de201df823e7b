"""Documents as they come in, opened: a path, bytes, a page of the web; of a known page, the bytes that are stored."""

from __future__ import annotations

import os
import threading
from functools import cached_property
from typing import TYPE_CHECKING

from octavo.conversion.results import open_source
from octavo.documents.location import is_url, place_ref
from octavo.documents.source import Source
from octavo.egress import CloudRequest
from octavo.egress.gate import Owners
from octavo.runtime import Runtime
from octavo_contracts import ToolUnavailable

from ..storage import ArtifactStore, Index
from .cloud_owners import recorded
from .events import EventHub
from .originals import open_original
from .requests import IngestRequest

if TYPE_CHECKING:
    from octavo_web.pages import WebPages


class SourceOpener:
    """Opens what is given to a library. Thread-safe.

    Args:
        runtime: its settings and its way to the network.
        artifacts: the library's files.
        index: the library's index, for reading.
        events: told of what the gate to cloud services decides.
    """

    def __init__(self, runtime: Runtime, artifacts: ArtifactStore, index: Index, events: EventHub) -> None:
        self._runtime = runtime
        self._events = events
        self._artifacts = artifacts
        self._index = index
        self._closing = threading.Event()

    def close(self) -> None:
        """End what is being fetched, within a moment; whoever waits for it is told that it was cancelled."""
        self._closing.set()

    def open(
        self, source: str | os.PathLike[str] | bytes, request: IngestRequest, *, name: str | None = None
    ) -> Source:
        """Open a path, take bytes, or fetch a page; close it.

        Workers are not told its name: what they make of the bytes is shared between policy contexts (STO-5).

        Args:
            source: as it was given.
            request: how it comes in.
            name: the name of bytes.

        Raises:
            OctavoError: with a reason where the document cannot be had.
            UsageError: bytes came without a name, or the settings of the web cannot be used.
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
        """The bytes of a document that has just been found to be known; of a page, those that are stored: it may have changed.

        Args:
            source: as it was given.
            request: how it comes in.
            document_id: the document.
            name: the name of bytes.

        Raises:
            OctavoError: as `open`.
        """
        if document_id is not None and is_url(source):
            record = self._index.documents.get(document_id)
            refs = [record.original_ref] if record.original_ref else []
            opened = open_original(refs, self._artifacts, raw_hash=record.raw_hash, shown=record.title)
            opened.place = place_ref(source)
            return opened
        return self.open(source, request, name=name)

    def _owners(self, request: IngestRequest) -> Owners:
        """The corpus that a page is to join: its bytes, and with them the other corpora that know it, are not here yet."""

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
