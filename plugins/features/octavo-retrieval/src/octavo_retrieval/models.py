"""Requests and answers of the document tools (seed 003 §8.2 to §8.4), with what a model needs to go on."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from octavo_contracts import Model, Span, UnitInterval
from pydantic import Field, JsonValue

Format = Literal["text", "markdown"]
"""What content is given as: the canonical text, in which offsets count, or markdown, which keeps structure."""

DocumentRef = Annotated[
    str,
    Field(min_length=1, max_length=4096, description="Id of the document, or six or more of its first digits."),
]
_TOKENS = Field(default=None, ge=1, le=2_000_000, description="Most tokens of content.")


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
    format: Format = Field(default="markdown", description="markdown keeps structure; text is what locators count in.")
    max_tokens: int | None = _TOKENS
    offset: int = Field(
        default=0,
        ge=0,
        description="Characters of the first page to skip; taken from next_call where one page alone exceeds max_tokens.",
    )


class NextCall(Model):
    """The call that goes on where an answer was truncated."""

    tool: str = Field(description="Name of the tool.")
    arguments: dict[str, JsonValue] = Field(description="Its arguments.")


class PageExcerpt(Model):
    """Where one page stands in an answer and in the archive."""

    page: int = Field(ge=1, description="Page, from 1; 1 for a document without pages.")
    label: str | None = Field(description="What the document calls it: a printed page number, a sheet, a slide.")
    start: int = Field(ge=0, description="Start in `content`.")
    end: int = Field(ge=0, description="End in `content`.")
    locator: str = Field(
        description="Place in the document's canonical text: of exactly this excerpt in format text, of the page in markdown."
    )
    markdown_span: Span | None = Field(
        description="Place of this excerpt in converted.md, in format markdown; null in format text."
    )
    confidence: UnitInterval | None = Field(
        description="Confidence of the recognition, 0..1; null where none was needed."
    )


class SectionMatch(Model):
    """Why a page answers a `section_query`."""

    page: int = Field(ge=1, description="Page, from 1.")
    score: UnitInterval = Field(description="How well it fits, 0..1.")
    by: Literal["page", "label", "heading", "text", "summary"] = Field(description="What was compared.")
    heading: str | None = Field(default=None, description="The heading that fits.")


class DocumentContent(Model):
    """Content of one document."""

    document_id: str = Field(description="Id of the document.")
    document_title: str = Field(description="Its title, or the name of its file.")
    total_pages: int = Field(ge=1, description="Pages it has; 1 for a document without pages.")
    content: str = Field(
        description="Text or markdown of the pages; a line ---PAGE n--- stands before the 2nd page and on."
    )
    extraction_method: str = Field(
        description="The engine that read it, or ocr_ENGINE where its pages were recognised."
    )
    token_count: int = Field(ge=0, description="Estimated tokens of `content`.")
    truncated: bool = Field(description="Whether pages that were asked for are left out; `next_call` gets them.")
    notes: str = Field(description="What is worth knowing: what was left out and why, and what is doubtful.")
    version: int = Field(ge=1, description="Conversion version that offsets count in.")
    source_ref: str = Field(description="The document, its version and the pages of this answer.")
    confidence: UnitInterval | None = Field(description="Least confidence of recognised pages, or null.")
    degraded_flags: tuple[str, ...] = Field(description="What is doubtful about the document's conversion.")
    excerpts: tuple[PageExcerpt, ...] = Field(description="The pages, in the order of `content`.")
    next_call: NextCall | None = Field(description="The call that gets the rest, or null.")


class RetrieveDocumentPagesResponse(DocumentContent):
    """Pages of a document."""

    pages_returned: tuple[int, ...] = Field(description="The pages, in the order of `content`.")
    matches: tuple[SectionMatch, ...] = Field(description="What a `section_query` found, best first.")


class RetrieveFullDocumentRequest(Model):
    """Which document."""

    document_id: DocumentRef
    format: Format = Field(default="markdown", description="markdown keeps structure; text is what locators count in.")
    max_tokens: int | None = Field(
        default=None, ge=1, le=2_000_000, description="Most tokens of content; 50,000 where nothing is said."
    )


class RetrieveFullDocumentResponse(DocumentContent):
    """A whole document, or as many of its first pages as fit."""


class RetrieveMemorySourceRequest(Model):
    """Which memory."""

    memory_id: str = Field(min_length=1, max_length=512, description="Id of the memory.")
    context_pages: int = Field(default=1, ge=0, le=10, description="Pages before and after the passage.")
    format: Format = Field(default="markdown", description="markdown keeps structure; text is what locators count in.")


class SourceSpan(Model):
    """Where a memory was extracted from."""

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
    content: str | None = Field(description="The pages of the passage, and those around it.")
    extraction_method: str | None = Field(description="How the text was got.")
    token_count: int = Field(ge=0, description="Estimated tokens of `content`.")
    notes: str = Field(description="Why the source was not found, or what is doubtful.")
    source_ref: str | None = Field(description="The document, its version and pages.")
    truncated: bool = Field(description="Whether pages are left out.")
    next_call: NextCall | None = Field(description="The call that gets the rest, or null.")


class SearchDocumentsRequest(Model):
    """What to look for in the documents in scope."""

    query: str = Field(
        min_length=1, max_length=1_000, description='Words, "phrases in quotation marks", -words to leave out.'
    )
    limit: int = Field(default=20, ge=1, le=50, description="Most passages.")


class PassageHit(Model):
    """A passage that answers a query."""

    document_id: str = Field(description="The document.")
    document_title: str = Field(description="Its title, or the name of its file.")
    page: int | None = Field(description="Page, from 1; null for a document without pages.")
    locator: str = Field(description="Place in the document's canonical text.")
    snippet: str = Field(description="The passage, verbatim.")
    score: float = Field(description="Higher is better; comparable within one answer.")
    version: int = Field(ge=1, description="Conversion version that the locator counts in.")
    marker_id: str = Field(description="Id of the passage's marker, by which to refer to it.")
    source_ref: str = Field(description="The document, its version and the place.")


class SearchDocumentsResponse(Model):
    """Passages, best first."""

    query: str = Field(description="What was looked for.")
    hits: tuple[PassageHit, ...] = Field(description="Passages, best first.")
    truncated: bool = Field(description="Whether there are more than `limit`.")
    method: str = Field(description="fts: by words; hybrid: by words and meaning.")
    pending: int = Field(ge=0, description="Documents in scope that could not be searched yet.")
    token_count: int = Field(ge=0, description="Estimated tokens of the passages.")
    notes: str = Field(description="What is worth knowing about the answer.")


class ListDocumentsRequest(Model):
    """Which part of the list."""

    limit: int = Field(default=20, ge=1, le=100, description="Most documents.")
    cursor: str | None = Field(
        default=None, min_length=1, max_length=200, description="`next_cursor` of the answer before."
    )


class ListedDocument(Model):
    """One document in scope."""

    document_id: str = Field(description="Its id.")
    document_title: str = Field(description="Its title, or the name of its file.")
    media_type: str | None = Field(description="Its type by content.")
    status: str = Field(description="complete, degraded_complete, hard_failed, or the state that its conversion is in.")
    readable: bool = Field(description="Whether it has content.")
    ingested_at: str = Field(description="When it came in, ISO 8601.")


class ListDocumentsResponse(Model):
    """Documents in scope."""

    documents: tuple[ListedDocument, ...] = Field(description="By the time they came in.")
    truncated: bool = Field(description="Whether there are more.")
    next_cursor: str | None = Field(description="`cursor` of the next call, or null.")
    notes: str = Field(description="What is worth knowing about the answer.")


class ConvertToMarkdownRequest(Model):
    """Which document to convert."""

    document_id: DocumentRef
    reconvert: bool = Field(default=False, description="Convert again a document that has content.")


class OcrDocumentRequest(Model):
    """Which pages to recognise."""

    document_id: DocumentRef
    pages: tuple[int, ...] | None = Field(
        default=None, min_length=1, max_length=1_000, description="Page numbers, from 1; null: those that need it."
    )


class ConversionAnswer(Model):
    """What a conversion or a recognition came to."""

    document_id: str = Field(description="The document.")
    document_title: str = Field(description="Its title, or the name of its file.")
    version: int = Field(ge=1, description="The version that is active now.")
    created: bool = Field(description="Whether the call made this version.")
    total_pages: int = Field(ge=1, description="Pages it has.")
    pages_recognised: tuple[int, ...] = Field(description="Pages that were recognised.")
    extraction_method: str = Field(description="The engine that read it.")
    quality_score: UnitInterval | None = Field(description="Quality of the conversion, 0..1; null: not assessed.")
    degraded_flags: tuple[str, ...] = Field(description="What is doubtful about it.")
    token_count: int = Field(ge=0, description="Estimated tokens of the whole document.")
    truncated: bool = Field(description="Always false.")
    notes: str = Field(description="What is worth knowing.")
    source_ref: str = Field(description="The document and its version.")
    next_call: NextCall | None = Field(description="The call that reads it.")


Arguments = dict[str, Any]
"""Arguments of a call, as JSON gives them."""
