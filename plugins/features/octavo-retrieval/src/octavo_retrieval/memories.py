"""`retrieve_memory_source`: returns the pages that a memory was extracted from (RET-3, seed 003 §8.4)."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Final, Protocol

from octavo_contracts import Span

from .failures import ToolFailure
from .models import (
    PageRange,
    RetrieveDocumentPagesRequest,
    RetrieveMemorySourceRequest,
    RetrieveMemorySourceResponse,
    SourceSpan,
)
from .page_reader import Reader
from .scope import Scope

MEMORY_SOURCE = "retrieve_memory_source"


@dataclass(frozen=True)
class MemorySource:
    """Source location of a memory.

    Attributes:
        document_id: the document.
        version: the conversion version that the span refers to.
        span: the passage in its canonical text.
    """

    document_id: str
    version: int
    span: Span


class MemorySources(Protocol):
    """Protocol of a memory resolver; octavo-memory implements it."""

    def source_of(self, memory_id: str, *, corpus: str | None) -> MemorySource | None:
        """The source of a memory; None if the memory is unknown to the corpus or has no source.

        Args:
            memory_id: the memory.
            corpus: the calling corpus; None: the library without firewalled documents.
        """
        ...

    def has_memories(self, *, corpus: str | None) -> bool:
        """Whether any memory is in scope.

        Args:
            corpus: as for `source_of`.
        """
        ...


MEMORY_SOURCES_GROUP: Final = "octavo.memory_sources"
"""Entry-point group of a feature with memories: a function that takes a `Scope` and returns a `MemorySources`."""


def registered_memories(scope: Scope) -> MemorySources | None:
    """The memories of an installed feature; None if there is no such feature. Of several, the first by name."""
    for point in sorted(entry_points(group=MEMORY_SOURCES_GROUP), key=lambda one: one.name):
        sources: MemorySources = point.load()(scope)
        return sources
    return None


@dataclass(frozen=True)
class MemoryReader:
    """Reads the sources of memories.

    Attributes:
        reader: reads documents.
        memories: resolver of memories; None if the host has none.
    """

    reader: Reader
    memories: MemorySources | None = None

    def source(self, request: RetrieveMemorySourceRequest) -> RetrieveMemorySourceResponse:
        """The pages of a memory's source. An unresolved source is an answer with `found` false, not a failure."""
        if self.memories is None:
            return _unresolved(request, "This library has no memories; search_documents finds passages.")
        source = self.memories.source_of(request.memory_id, corpus=self.reader.scope.corpus)
        if source is None:
            return _unresolved(request, "There is no memory of this id, or it has no source.")
        try:
            document, opened = self.reader.open(source.document_id)
        except ToolFailure as failure:
            return _unresolved(request, f"{failure.message}. {failure.remedy}.")
        if opened.version != source.version or source.span.end > opened.canonical_length:
            why = f"The document was converted again since: version {opened.version} is active, and the memory is of version"
            return _unresolved(request, f"{why} {source.version}. Look for the passage with search_documents.")
        first, last = opened.pages_of_span(source.span)
        around = PageRange(
            start=max(1, first - request.context_pages), end=min(len(opened.pages), last + request.context_pages)
        )
        pages = self.reader.pages(
            RetrieveDocumentPagesRequest(document_id=document.id, page_range=around, format=request.format)
        )
        return RetrieveMemorySourceResponse(
            memory_id=request.memory_id,
            source_resolved=True,
            document_id=document.id,
            document_title=pages.document_title,
            source_span=SourceSpan(
                page_start=first,
                page_end=last,
                char_offset_start=source.span.start,
                char_offset_end=source.span.end,
            ),
            content=pages.content,
            extraction_method=pages.extraction_method,
            token_count=pages.token_count,
            notes=pages.notes,
            source_ref=pages.source_ref,
            truncated=pages.truncated,
            next_call=pages.next_call,
        )


def _unresolved(request: RetrieveMemorySourceRequest, notes: str) -> RetrieveMemorySourceResponse:
    return RetrieveMemorySourceResponse(
        memory_id=request.memory_id,
        source_resolved=False,
        document_id=None,
        document_title=None,
        source_span=None,
        content=None,
        extraction_method=None,
        token_count=0,
        notes=notes,
        source_ref=None,
        truncated=False,
        next_call=None,
    )
