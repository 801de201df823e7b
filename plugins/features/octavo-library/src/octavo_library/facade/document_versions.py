"""Conversion versions of a document."""

from __future__ import annotations

from dataclasses import dataclass

from ..ingestion.activation import HeldBack
from ..storage import ConversionRecord


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
