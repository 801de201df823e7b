"""Reasons why a document failed (a closed list) and flags for degraded documents (an open list)."""

from __future__ import annotations

from enum import StrEnum


class HardFailReason(StrEnum):
    """The reason codes of ENG-7. The first eleven are the seed's; the others are Octavo's."""

    CONVERSION_TIMEOUT = "conversion_timeout"
    OCR_FAILED = "ocr_failed"
    UNSUPPORTED_FORMAT = "unsupported_format"
    AUTH_UNAVAILABLE = "auth_unavailable"
    STORAGE_EXHAUSTED = "storage_exhausted"
    TOOL_UNAVAILABLE = "tool_unavailable"
    SCHEMA_VALIDATION_FAILED = "schema_validation_failed"
    SOURCE_ANCHOR_MISSING = "source_anchor_missing"
    CONTENT_TOO_LARGE = "content_too_large"
    DUPLICATE_WITH_DIFFERENT_METADATA = "duplicate_with_different_metadata"
    DOC25_CONTRACT_VIOLATION = "doc25_contract_violation"

    SOURCE_EMPTY = "source_empty"
    SOURCE_CORRUPT = "source_corrupt"
    SOURCE_ENCRYPTED = "source_encrypted"
    SOURCE_CHANGED = "source_changed"
    SOURCE_MISSING = "source_missing"
    CONVERTER_CRASHED = "converter_crashed"
    MEMORY_EXCEEDED = "memory_exceeded"
    POLICY_REFUSED = "policy_refused"
    LIBRARY_DAMAGED = "library_damaged"
    NOT_ATTEMPTED = "not_attempted"


class DegradedFlag(StrEnum):
    """Flags that a quality report may raise (QLT-1). Readers must accept flags that are not in this list."""

    LOW_TEXT_YIELD = "low_text_yield"
    TABLES_GARBLED = "tables_garbled"
    TABLES_LOST = "tables_lost"
    MISSING_PAGE_ANCHORS = "missing_page_anchors"
    OCR_LOW_CONFIDENCE = "ocr_low_confidence"
    OCR_NEEDED = "ocr_needed"
    PARTIAL_CONVERSION = "partial_conversion"
    HIDDEN_TEXT = "hidden_text"
    TYPE_MISMATCH = "type_mismatch"
    CLASSIFICATION_FAILED = "classification_failed"
    ENCODING_REPAIRED = "encoding_repaired"
    ACTIVE_CONTENT = "active_content"
    NO_CONTENT = "no_content"
    HEADINGS_LOST = "headings_lost"
    LIST_ITEMS_LOST = "list_items_lost"
    CELLS_LOST = "cells_lost"
    LINKS_LOST = "links_lost"
    IMAGES_LOST = "images_lost"
    EQUATIONS_LOST = "equations_lost"
    NOTES_LOST = "notes_lost"
    COMMENTS_LOST = "comments_lost"
    CHANGES_LOST = "changes_lost"
    TEXT_BOXES_LOST = "text_boxes_lost"
    CHARTS_LOST = "charts_lost"
    CODE_BLOCKS_LOST = "code_blocks_lost"
    QUOTES_LOST = "quotes_lost"


class Retry(StrEnum):
    """Whether a failed job is retried automatically (ENG-7)."""

    AUTOMATIC = "automatic"
    """A new job starts automatically when the cause is resolved."""
    MANUAL = "manual"
    """Only the user can restart it."""
    NEVER = "never"
    """A retry cannot help: the bytes themselves are the cause."""
