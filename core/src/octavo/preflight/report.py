"""What preflight found: findings that are no errors."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_contracts import DegradedFlag, QualityFinding

ENCRYPTED = "encrypted"
"""The document is encrypted, yet opens: with an empty password or with the one given."""
FOREIGN_DATA = "foreign_data"
"""Bytes before or after the document that are not part of it."""
OVERSIZED_IMAGE = "oversized_image"
"""An image in the document is above the pixel limit."""
SOURCE_DAMAGED = "source_damaged"
"""The document is damaged; what can be read of it may still be whole."""
SPARSE_SHEET = "sparse_sheet"
"""A sheet spans far more cells than it stores."""


@dataclass(frozen=True, kw_only=True)
class PreflightReport:
    """The outcome of a preflight that refused nothing.

    Attributes:
        findings: what a reader of the result should know, in the order it was seen.
        page_count: pages, where the format has them and they were counted on the way.
    """

    findings: tuple[QualityFinding, ...] = ()
    page_count: int | None = None


def note(flag: str, message: str, *, remedy: str = "") -> QualityFinding:
    """A finding that takes nothing from the content and so degrades nothing."""
    return QualityFinding(flag=flag, severity="note", message=message, remedy=remedy)


def active_content(message: str) -> QualityFinding:
    """A note: the document wants to run or to fetch something. Nothing of it is ever run or fetched."""
    return note(
        DegradedFlag.ACTIVE_CONTENT.value,
        message,
        remedy="Octavo neither runs nor fetches it; take care when you open the original",
    )


def damaged(message: str) -> QualityFinding:
    """A finding: the document is damaged, and what of it."""
    return QualityFinding(
        flag=SOURCE_DAMAGED, message=message, remedy="Compare the text with the original, or fetch the file again"
    )


def shown(name: str) -> str:
    """A member's name for a message: bounded, and with nothing that moves a terminal's cursor."""
    text = name if len(name) <= 80 else name[:77] + "..."
    return ascii(text) if not text.isprintable() else f"'{text}'"
