"""`tools`: the tools over the documents of a library."""

from __future__ import annotations

from octavo_contracts.markers import excerpt_marker, page_ranges
from octavo_library.facade.library import Library

from .conversions import CONVERT, OCR, Converter
from .memories import MEMORY_SOURCE, MemoryReader, MemorySources, registered_memories
from .models import (
    ConversionAnswer,
    ConvertToMarkdownRequest,
    DocumentContent,
    ListDocumentsRequest,
    ListDocumentsResponse,
    OcrDocumentRequest,
    RetrieveDocumentPagesRequest,
    RetrieveDocumentPagesResponse,
    RetrieveFullDocumentRequest,
    RetrieveFullDocumentResponse,
    RetrieveMemorySourceRequest,
    RetrieveMemorySourceResponse,
    SearchDocumentsRequest,
    SearchDocumentsResponse,
)
from .opened import OpenedDocuments, PageSummaries
from .page_reader import FULL, PAGE_CAP, PAGES, Reader
from .passage_search import LIST, SEARCH, Searcher, passage_marker
from .receipts import Receipt, memory_line, page_line
from .registry import ENTRIES
from .scope import Scope
from .toolset import CallContext, Tool, Toolset, registered_tools


def tools(
    library: Library,
    *,
    corpus: str | None = None,
    memories: MemorySources | None = None,
    page_summaries: PageSummaries | None = None,
    page_cap: int = PAGE_CAP,
) -> Toolset:
    """Create the tools that let a model read a library.

    Args:
        library: the library.
        corpus: the calling corpus; restricts all tools to its documents and policy (STO-5). None: all documents that are not
            firewalled.
        memories: resolver of memories, for `retrieve_memory_source`; None: that of an installed feature, such as octavo-memory.
        page_summaries: returns summaries of a document's pages, for `section_query`.
        page_cap: most pages per answer.

    Raises:
        UsageError: the corpus is unknown.
    """
    scope = Scope(library, corpus)
    scope.asker()  # an unknown corpus fails here, not at the first call
    reader = Reader(scope, OpenedDocuments(page_summaries), page_cap)
    sources = memories or registered_memories(scope)
    return Toolset(
        scope,
        [
            *_reading(reader, sources),
            *_searching(scope),
            *_converting(Converter(reader)),
            *registered_tools(scope),
        ],
        memories=sources,
    )


def _reading(reader: Reader, memories: MemorySources | None) -> list[Tool]:
    sources = MemoryReader(reader, memories)

    def of_pages(request: object, answer: DocumentContent) -> Receipt:
        return _receipt_of(reader, PAGES if isinstance(request, RetrieveDocumentPagesRequest) else FULL, answer)

    def of_memory(request: RetrieveMemorySourceRequest, answer: RetrieveMemorySourceResponse) -> Receipt:
        return Receipt(
            line=memory_line(int(answer.source_resolved), 0),
            tool=MEMORY_SOURCE,
            corpus_id=reader.scope.asker().corpus_id,
            document_id=answer.document_id,
            pages=f"{answer.source_span.page_start}-{answer.source_span.page_end}" if answer.source_span else "",
            source_refs=(answer.source_ref,) if answer.source_ref else (),
            degraded_flags=(),
            confidence=None,
        )

    return [
        Tool(
            entry=ENTRIES[PAGES],
            group="documents",
            request=RetrieveDocumentPagesRequest,
            response=RetrieveDocumentPagesResponse,
            run=lambda request, context: reader.pages(request),
            receipt=of_pages,
            shown=lambda request, answer: _shown(answer, PAGES),
        ),
        Tool(
            entry=ENTRIES[FULL],
            group="documents",
            request=RetrieveFullDocumentRequest,
            response=RetrieveFullDocumentResponse,
            run=lambda request, context: reader.full(request),
            receipt=of_pages,
            shown=lambda request, answer: _shown(answer, FULL),
        ),
        Tool(
            entry=ENTRIES[MEMORY_SOURCE],
            group="documents",
            request=RetrieveMemorySourceRequest,
            response=RetrieveMemorySourceResponse,
            run=lambda request, context: sources.source(request),
            receipt=of_memory,
            shown=lambda request, answer: _shown_memory(answer),
        ),
    ]


def _searching(scope: Scope) -> list[Tool]:
    searcher = Searcher(scope)

    def of_search(request: SearchDocumentsRequest, answer: SearchDocumentsResponse) -> Receipt:
        documents = len({hit.document_id for hit in answer.hits})
        return _receipt(
            scope,
            SEARCH,
            f"searched the documents ({len(answer.hits)} passages of {documents} documents found)",
            tuple(hit.source_ref for hit in answer.hits),
        )

    return [
        Tool(
            entry=ENTRIES[SEARCH],
            group="documents",
            request=SearchDocumentsRequest,
            response=SearchDocumentsResponse,
            run=lambda request, context: searcher.search(request),
            receipt=of_search,
            shown=lambda request, answer: "\n\n".join(
                part for part in (*(passage_marker(hit).emit() for hit in answer.hits), answer.notes) if part
            ),
        ),
        Tool(
            entry=ENTRIES[LIST],
            group="documents",
            request=ListDocumentsRequest,
            response=ListDocumentsResponse,
            run=lambda request, context: searcher.list(request),
            receipt=lambda request, answer: _receipt(
                scope,
                LIST,
                f"listed {len(answer.documents)} documents",
                tuple(one.document_id for one in answer.documents),
            ),
            shown=lambda request, answer: answer.to_json(),
        ),
    ]


def _converting(converter: Converter) -> list[Tool]:
    scope = converter.reader.scope

    def convert(request: ConvertToMarkdownRequest, context: CallContext) -> ConversionAnswer:
        context.tell(0, 1, "converting")
        answer = converter.convert(request, cancel=context.cancel)
        context.tell(1, 1, "converted")
        return answer

    def recognise(request: OcrDocumentRequest, context: CallContext) -> ConversionAnswer:
        context.tell(0, 1, "recognising")
        answer = converter.recognise(request, cancel=context.cancel)
        context.tell(1, 1, "recognised")
        return answer

    def told(name: str, verb: str, answer: ConversionAnswer) -> Receipt:
        receipt = _receipt(scope, name, f"{verb} {answer.document_title}", (answer.source_ref,))
        return receipt.model_copy(
            update={"document_id": answer.document_id, "degraded_flags": tuple(answer.degraded_flags)}
        )

    return [
        Tool(
            entry=ENTRIES[CONVERT],
            group="ingest",
            request=ConvertToMarkdownRequest,
            response=ConversionAnswer,
            run=convert,
            receipt=lambda request, answer: told(CONVERT, "converted", answer),
            shown=lambda request, answer: answer.to_json(),
        ),
        Tool(
            entry=ENTRIES[OCR],
            group="ingest",
            request=OcrDocumentRequest,
            response=ConversionAnswer,
            run=recognise,
            receipt=lambda request, answer: told(OCR, "recognised pages of", answer),
            shown=lambda request, answer: answer.to_json(),
        ),
    ]


def _receipt_of(reader: Reader, tool: str, answer: DocumentContent) -> Receipt:
    paginated = any(one.locator.startswith("page:") for one in answer.excerpts)
    pages = [one.page for one in answer.excerpts]
    line = page_line(answer.document_title, pages, total=answer.total_pages, paginated=paginated)
    return _receipt(reader.scope, tool, line, (answer.source_ref,)).model_copy(
        update={
            "document_id": answer.document_id,
            "pages": page_ranges(pages),
            "degraded_flags": answer.degraded_flags,
            "confidence": answer.confidence,
        }
    )


def _receipt(scope: Scope, tool: str, line: str, source_refs: tuple[str, ...]) -> Receipt:
    return Receipt(
        line=line,
        tool=tool,
        corpus_id=scope.asker().corpus_id,
        document_id=None,
        pages="",
        source_refs=source_refs,
        degraded_flags=(),
        confidence=None,
    )


def _shown(answer: DocumentContent, tool: str) -> str:
    if not answer.excerpts:
        return answer.notes
    marker = excerpt_marker(
        answer.content,
        document_id=answer.document_id,
        extraction_method=answer.extraction_method,
        pages=page_ranges([one.page for one in answer.excerpts]),
        retrieved_via=tool,
        others={
            "title": answer.document_title,
            "version": str(answer.version),
            "confidence": "" if answer.confidence is None else f"{answer.confidence:.2f}",
        },
    )
    return f"{marker.emit()}\n\n{answer.notes}" if answer.notes else marker.emit()


def _shown_memory(answer: RetrieveMemorySourceResponse) -> str:
    if answer.content is None or answer.document_id is None or answer.source_span is None:
        return answer.notes
    span = answer.source_span
    marker = excerpt_marker(
        answer.content,
        document_id=answer.document_id,
        extraction_method=answer.extraction_method or "unknown",
        span=f"char:{span.char_offset_start}-{span.char_offset_end}",
        retrieved_via=MEMORY_SOURCE,
        others={"title": answer.document_title or ""},
    )
    return f"{marker.emit()}\n\n{answer.notes}" if answer.notes else marker.emit()
