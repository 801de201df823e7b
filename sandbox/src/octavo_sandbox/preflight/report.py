"""The report of preflight: findings that are not errors."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_contracts import DegradedFlag, QualityFinding

ENCRYPTED = "encrypted"
"""The document is encrypted but opens, with an empty password or with the given one."""
FOREIGN_DATA = "foreign_data"
"""Bytes before or after the document that are not part of it."""
OVERSIZED_IMAGE = "oversized_image"
"""An image in the document exceeds the pixel limit."""
SOURCE_DAMAGED = "source_damaged"
"""The document is damaged; the readable parts may be intact."""
SPARSE_SHEET = "sparse_sheet"
"""A sheet spans far more cells than it stores."""


@dataclass(frozen=True, kw_only=True)
class PreflightReport:
    """The outcome of a preflight that refused nothing.

    Attributes:
        findings: what a reader of the result should know, in order of detection.
        page_count: number of pages, if the format has pages and the checks counted them.
    """

    findings: tuple[QualityFinding, ...] = ()
    page_count: int | None = None


def note(flag: str, message: str, *, remedy: str = "") -> QualityFinding:
    """Build a note: a finding about a document that lost no content, so it is not degraded."""
    return QualityFinding(flag=flag, severity="note", message=message, remedy=remedy)


def active_content(message: str) -> QualityFinding:
    """Build a note about content that runs or fetches something. Octavo never runs or fetches it."""
    return note(
        DegradedFlag.ACTIVE_CONTENT.value,
        message,
        remedy="Octavo neither runs nor fetches it; take care when you open the original",
    )


def damaged(message: str) -> QualityFinding:
    """Build a finding about a damaged document."""
    return QualityFinding(
        flag=SOURCE_DAMAGED, message=message, remedy="Compare the text with the original, or fetch the file again"
    )


def shown(name: str) -> str:
    """Format a member's name for a message: truncated, and without terminal control characters."""
    text = name if len(name) <= 80 else name[:77] + "..."
    return ascii(text) if not text.isprintable() else f"'{text}'"
