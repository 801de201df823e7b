"""Request and response models of the document tools (seed 003 §8.2 to §8.4)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from octavo_contracts import Model, Span, UnitInterval
from pydantic import Field, JsonValue

Format = Literal["text", "markdown"]
"""Format of content: the canonical text, which offsets refer to, or markdown, which keeps structure."""

DocumentRef = Annotated[
    str,
    Field(min_length=1, max_length=4096, description="Id of the document, or six or more of its first digits."),
]
_TOKENS = Field(default=None, ge=1, le=2_000_000, description="Token budget of the content.")


class PageRange(Model):
    """Consecutive pages."""

    start: int = Field(description="First page, from 1.", json_schema_extra={"minimum": 1})
    end: int = Field(description="Last page, inclusive.", json_schema_extra={"minimum": 1})


class RetrieveDocumentPagesRequest(Model):
    """Which pages of one document: exactly one of `pages`, `page_range` and `section_query`."""

    document_id: DocumentRef
    pages: tuple[int, ...] | None = Field(
        default=None, min_length=1, max_length=10_000, description="Page numbers, from 1."
    )
    page_range: PageRange | None = Field(default=None, description="Consecutive pages.")
    section_query: str | None = Field(
        default=None,
        min_length=1,
        max_length=1_000,
        description="What the section is about, its heading, a sheet, or a question that the pages answer.",
    )
    format: Format = Field(default="markdown", description="markdown keeps structure; locators refer to text.")
    max_tokens: int | None = _TOKENS
    offset: int = Field(
        default=0,
        ge=0,
        description="Characters of the first page to skip; taken from next_call where one page alone exceeds max_tokens.",
    )


class NextCall(Model):
    """The call that continues a truncated answer."""

    tool: str = Field(description="Name of the tool.")
    arguments: dict[str, JsonValue] = Field(description="Its arguments.")


class PageExcerpt(Model):
    """Location of one page in the answer and in the archive."""

    page: int = Field(ge=1, description="Page, from 1; 1 for a document without pages.")
    label: str | None = Field(description="Label in the document: a printed page number, a sheet or a slide.")
    start: int = Field(ge=0, description="Start in `content`.")
    end: int = Field(ge=0, description="End in `content`.")
    locator: str = Field(
        description="Location in the canonical text: of exactly this excerpt for format text, of the whole page for markdown."
    )
    markdown_span: Span | None = Field(
        description="Location of this excerpt in converted.md for format markdown; null for text."
    )
    confidence: UnitInterval | None = Field(description="OCR confidence, 0..1; null if OCR was not needed.")


class SectionMatch(Model):
    """Why a page answers a `section_query`."""

    page: int = Field(ge=1, description="Page, from 1.")
    score: UnitInterval = Field(description="Score of the match, 0..1.")
    by: Literal["page", "label", "heading", "text", "summary"] = Field(description="What was compared.")
    heading: str | None = Field(default=None, description="The matching heading.")


class DocumentContent(Model):
    """Content of one document."""

    document_id: str = Field(description="Id of the document.")
    document_title: str = Field(description="Title of the document, or its file name.")
    total_pages: int = Field(ge=1, description="Number of pages; 1 for a document without pages.")
    content: str = Field(
        description="Text or markdown of the pages; a line ---PAGE n--- stands before the 2nd page and on."
    )
    extraction_method: str = Field(
        description="The engine that extracted the text, or ocr_ENGINE if the pages were read by OCR."
    )
    token_count: int = Field(ge=0, description="Estimated tokens of `content`.")
    truncated: bool = Field(description="Whether requested pages are omitted; `next_call` returns them.")
    notes: str = Field(description="Remarks: omissions with reasons, and doubts about the text.")
    version: int = Field(ge=1, description="Conversion version that offsets refer to.")
    source_ref: str = Field(description="The document, its version and the pages of this answer.")
    confidence: UnitInterval | None = Field(description="Lowest OCR confidence of the pages, or null.")
    degraded_flags: tuple[str, ...] = Field(description="Quality flags of the document's conversion.")
    excerpts: tuple[PageExcerpt, ...] = Field(description="The pages, in the order of `content`.")
    next_call: NextCall | None = Field(description="The call that returns the rest, or null.")


class RetrieveDocumentPagesResponse(DocumentContent):
    """Pages of a document."""

    pages_returned: tuple[int, ...] = Field(description="The pages, in the order of `content`.")
    matches: tuple[SectionMatch, ...] = Field(description="Matches of a `section_query`, best first.")


class RetrieveFullDocumentRequest(Model):
    """Which document."""

    document_id: DocumentRef
    format: Format = Field(default="markdown", description="markdown keeps structure; locators refer to text.")
    max_tokens: int | None = Field(
        default=None, ge=1, le=2_000_000, description="Token budget of the content; default 50,000."
    )


class RetrieveFullDocumentResponse(DocumentContent):
    """A whole document, or as many of its first pages as fit."""


class RetrieveMemorySourceRequest(Model):
    """Which memory."""

    memory_id: str = Field(min_length=1, max_length=512, description="Id of the memory.")
    context_pages: int = Field(default=1, ge=0, le=10, description="Pages before and after the passage.")
    format: Format = Field(default="markdown", description="markdown keeps structure; locators refer to text.")


class SourceSpan(Model):
    """Source span of a memory."""

    page_start: int = Field(ge=1, description="First page.")
    page_end: int = Field(ge=1, description="Last page.")
    char_offset_start: int = Field(ge=0, description="Start in the canonical text.")
    char_offset_end: int = Field(ge=0, description="End in the canonical text.")


class RetrieveMemorySourceResponse(Model):
    """The passage that a memory was extracted from."""

    memory_id: str = Field(description="Id of the memory.")
    source_resolved: bool = Field(description="Whether the source was found.")
    document_id: str | None = Field(description="The document.")
    document_title: str | None = Field(description="Its title.")
    source_span: SourceSpan | None = Field(description="The passage.")
    content: str | None = Field(description="Pages of the passage and its surroundings.")
    extraction_method: str | None = Field(description="Extraction method of the text.")
    token_count: int = Field(ge=0, description="Estimated tokens of `content`.")
    notes: str = Field(description="Why the source was not found, or doubts about it.")
    source_ref: str | None = Field(description="The document, its version and pages.")
    truncated: bool = Field(description="Whether pages are omitted.")
    next_call: NextCall | None = Field(description="The call that returns the rest, or null.")


class SearchDocumentsRequest(Model):
    """A search in the documents in scope."""

    query: str = Field(
        min_length=1, max_length=1_000, description='Words, "phrases in quotation marks", -words to leave out.'
    )
    limit: int = Field(default=20, ge=1, le=50, description="Most passages.")


class PassageHit(Model):
    """A passage that answers a query."""

    document_id: str = Field(description="The document.")
    document_title: str = Field(description="Title of the document, or its file name.")
    page: int | None = Field(description="Page, from 1; null for a document without pages.")
    locator: str = Field(description="Location in the document's canonical text.")
    snippet: str = Field(description="The passage, verbatim.")
    score: float = Field(description="Higher is better; comparable within one answer.")
    version: int = Field(ge=1, description="Conversion version that the locator refers to.")
    marker_id: str = Field(description="Id of the passage's marker, for references.")
    source_ref: str = Field(description="The document, its version and the location.")


class SearchDocumentsResponse(Model):
    """Passages, best first."""

    query: str = Field(description="The query.")
    hits: tuple[PassageHit, ...] = Field(description="Passages, best first.")
    truncated: bool = Field(description="Whether there are more than `limit`.")
    method: str = Field(description="fts: by words; hybrid: by words and meaning.")
    pending: int = Field(ge=0, description="Number of documents in scope that are not indexed yet.")
    token_count: int = Field(ge=0, description="Estimated tokens of the passages.")
    notes: str = Field(description="Remarks about the answer.")


class ListDocumentsRequest(Model):
    """Which part of the list."""

    limit: int = Field(default=20, ge=1, le=100, description="Most documents.")
    cursor: str | None = Field(
        default=None, min_length=1, max_length=200, description="`next_cursor` of the previous answer."
    )


class ListedDocument(Model):
    """One document in scope."""

    document_id: str = Field(description="Its id.")
    document_title: str = Field(description="Title of the document, or its file name.")
    media_type: str | None = Field(description="Its type by content.")
    status: str = Field(description="complete, degraded_complete, hard_failed, or the state of a running conversion.")
    readable: bool = Field(description="Whether it has content.")
    ingested_at: str = Field(description="Time of ingest, ISO 8601.")


class ListDocumentsResponse(Model):
    """Documents in scope."""

    documents: tuple[ListedDocument, ...] = Field(description="Sorted by time of ingest.")
    truncated: bool = Field(description="Whether there are more.")
    next_cursor: str | None = Field(description="`cursor` of the next call, or null.")
    notes: str = Field(description="Remarks about the answer.")


class ConvertToMarkdownRequest(Model):
    """Which document to convert."""

    document_id: DocumentRef
    reconvert: bool = Field(default=False, description="Convert again even if the document has content.")


class OcrDocumentRequest(Model):
    """Pages to process by OCR."""

    document_id: DocumentRef
    pages: tuple[int, ...] | None = Field(
        default=None, min_length=1, max_length=1_000, description="Page numbers, from 1; null: the pages that need OCR."
    )


class ConversionAnswer(Model):
    """Result of a conversion or of OCR."""

    document_id: str = Field(description="The document.")
    document_title: str = Field(description="Title of the document, or its file name.")
    version: int = Field(ge=1, description="The version that is active now.")
    created: bool = Field(description="Whether the call made this version.")
    total_pages: int = Field(ge=1, description="Pages it has.")
    pages_recognised: tuple[int, ...] = Field(description="Pages processed by OCR.")
    extraction_method: str = Field(description="The engine that extracted the text.")
    quality_score: UnitInterval | None = Field(description="Quality of the conversion, 0..1; null: not assessed.")
    degraded_flags: tuple[str, ...] = Field(description="Quality flags.")
    token_count: int = Field(ge=0, description="Estimated tokens of the whole document.")
    truncated: bool = Field(description="Always false.")
    notes: str = Field(description="Remarks.")
    source_ref: str = Field(description="The document and its version.")
    next_call: NextCall | None = Field(description="The call that reads the document.")


Arguments = dict[str, Any]
"""Arguments of a call, as parsed from JSON."""
