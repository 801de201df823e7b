"""The classification of a document, made before it is converted (CLS-1 … CLS-9)."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from ._model import Extensions, Model, UnitInterval
from .structure import SourceStructure


class Category(StrEnum):
    """The kinds of document (CLS-1)."""

    PDF_VISUAL = "pdf_visual"
    PDF_TEXT = "pdf_text"
    PDF_SCANNED = "pdf_scanned"
    WORD = "word"
    PLAINTEXT = "plaintext"
    SPREADSHEET = "spreadsheet"
    PRESENTATION = "presentation"
    IMAGE = "image"
    AUDIO = "audio"


SubKind = Literal["email", "ebook", "archive", "html"]
"""The kinds within `plaintext` (CLS-1)."""


class RoutingType(StrEnum):
    """The kinds that routing rules match (CLS-9, plus one for each other family of formats)."""

    TEXT_NATIVE_PDF = "text_native_pdf"
    TEXT_NATIVE_DOC = "text_native_doc"
    HTML = "html"
    MARKDOWN = "markdown"
    SCANNED_PDF = "scanned_pdf"
    IMAGE_HEAVY_PDF = "image_heavy_pdf"
    TABLE_HEAVY_FILING = "table_heavy_filing"
    PLAIN_TEXT = "plain_text"
    SPREADSHEET = "spreadsheet"
    PRESENTATION = "presentation"
    EMAIL = "email"
    EBOOK = "ebook"
    ARCHIVE = "archive"
    IMAGE = "image"
    AUDIO = "audio"
    UNKNOWN = "unknown"


class PageMetadata(Model):
    """Facts about one page (CLS-2, OCR-9)."""

    page_number: int = Field(ge=1, description="Page, from 1.")
    is_scanned: bool = Field(description="No text layer, or one with too little text for the page (CLS-4).")
    text_density: float = Field(ge=0, description="Characters of the text layer per square point of the page.")
    has_ocr_cache: bool = Field(default=False, description="Whether recognised text of this page is stored.")
    has_text_layer: bool = Field(default=True, description="Whether there is any text layer.")
    needs_ocr: bool = Field(default=False, description="Scanned, and no recognised text is stored (OCR-9).")


class EstimatedTokens(Model):
    """Estimated size of the document as input of a language model, in tokens."""

    full_pdf: int = Field(ge=0, description="As a native document block.")
    text_only: int = Field(ge=0, description="As extracted text.")
    summary: int = Field(ge=0, description="As a structured summary.")


class DocumentClassification(Model):
    """The classifier's verdict (CLS-2)."""

    category: Category = Field(description="Kind of document.")
    sub_kind: SubKind | None = Field(default=None, description="Kind within `plaintext`, if any.")
    document_type: str = Field(
        default="unknown",
        description="complaint, deposition, contract, paper …, or a type from a profile; 'unknown' below 0.5 confidence.",
    )
    routing_type: RoutingType = Field(
        default=RoutingType.UNKNOWN, description="The kind that routing rules match (CLS-9)."
    )
    visual_importance: Literal["high", "medium", "low"] = Field(
        default="low", description="Whether layout matters for understanding."
    )
    classification_confidence: UnitInterval = Field(description="0..1; below 0.5 shows as unclassified (CLS-6).")
    estimated_tokens: EstimatedTokens | None = Field(default=None, description="Tokens, if they could be estimated.")
    page_count: int | None = Field(
        default=None, ge=0, description="Number of pages; null if the format has no pages or they were not counted."
    )
    page_metadata: tuple[PageMetadata, ...] = Field(
        default=(),
        description="Facts about each page of a PDF or an image; of a PDF that was not converted, about sampled pages.",
    )
    pages_sampled: int = Field(default=0, ge=0, description="Number of sampled pages.")
    has_exhibits: bool = Field(default=False, description="Whether pages are marked as exhibits.")
    has_charts: bool = Field(default=False, description="Whether there are charts or drawings.")
    has_tables: bool = Field(default=False, description="Tables.")
    has_signatures: bool = Field(default=False, description="Signature fields.")
    has_form_fields: bool = Field(default=False, description="Form fields.")
    has_scanned_pages: bool = Field(default=False, description="Whether at least one page needs recognition (CLS-5).")
    audio_duration: float | None = Field(default=None, ge=0, description="Seconds.")
    audio_language: str | None = Field(default=None, description="BCP 47.")
    media_type: str = Field(
        default="application/octet-stream", description="Media type detected from the content (CLS-8)."
    )
    mismatch: str | None = Field(
        default=None,
        description="How the extension or the declared type contradicts the content; null if it does not (CLS-8).",
    )
    decided_by: Literal["automatic", "manual"] = Field(
        default="automatic",
        description="Who made this classification. A type set by a user is the result's `document_type`, never overwritten (CLS-6).",
    )
    structure: SourceStructure | None = Field(
        default=None,
        description="Structural parts of the source, with which the host compares conversions. An answer of confidence 0 with a structure decides nothing: the host keeps the structure and asks the next plugin. Null in results.",
    )
    extensions: Extensions = Field(default_factory=dict, description="Data that the contract does not define.")
