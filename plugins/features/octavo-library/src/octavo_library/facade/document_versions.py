"""Pages and conversion versions of a document."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_contracts import PageAnchorMap

from ..ingestion.activation import HeldBack
from ..storage import ConversionRecord


@dataclass(frozen=True, kw_only=True)
class DocumentPage:
    """One page of a document's active version.

    Attributes:
        number: from 1.
        label: its label in the document, or None.
        text: its canonical body.
        markdown: its markdown.
    """

    number: int
    label: str | None
    text: str
    markdown: str


@dataclass(frozen=True, kw_only=True)
class DocumentVersion:
    """A conversion version.

    Attributes:
        version: its number, from 1.
        tool: the plugin.
        tool_version: the plugin's version.
        created_at: ISO 8601, UTC.
        quality_score: 0..1, or None if not assessed.
        status: 'ok' or 'degraded'.
        flags: degraded flags.
        is_active: whether it is the active version, which readers get.
        condition: 'stored'; 'damaged' if a check found files missing or altered; 'purged' if they were permanently
            removed.
        held_back: why it did not become the active version when it was made, with both numbers; None if it was not
            held back. `Versions.activate` makes it the active one.
    """

    version: int
    tool: str
    tool_version: str | None
    created_at: str
    quality_score: float | None
    status: str
    flags: tuple[str, ...]
    is_active: bool
    condition: str = "stored"
    held_back: HeldBack | None = None


def pages_of(anchors: PageAnchorMap, *, canonical: str, markdown: str) -> list[DocumentPage]:
    """The pages of a version; a document without pages has one page with the whole text.

    Args:
        anchors: positions of its pages in both texts.
        canonical: its canonical text.
        markdown: its markdown.
    """
    found = list(anchors.anchors())
    if not found:
        return [DocumentPage(number=1, label=None, text=canonical, markdown=markdown)]
    return [
        DocumentPage(
            number=anchor.page,
            label=anchor.label,
            text=canonical[anchor.text_start : anchor.text_end],
            markdown=markdown[anchor.markdown_start : anchor.markdown_end],
        )
        for anchor in found
    ]


def version_of(record: ConversionRecord) -> DocumentVersion:
    """A version from its row in the index."""
    return DocumentVersion(
        version=record.version,
        tool=record.tool,
        tool_version=record.tool_version,
        created_at=record.created_at,
        quality_score=record.quality_score,
        status=record.status,
        flags=record.flags,
        is_active=record.is_active,
        condition="purged" if record.purged_at else "damaged" if record.damaged_at else "stored",
        held_back=HeldBack.read(record.config_json or "{}"),
    )
