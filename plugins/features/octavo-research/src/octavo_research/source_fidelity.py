"""How faithfully a source was kept: the entries of a report's `content_fidelity` (DIG-30)."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_digest import FidelityRecord


@dataclass(frozen=True, kw_only=True)
class SourceFidelity:
    """How much of a source a run has read.

    Attributes:
        document_id: the source.
        level: `full`, `condensed`, `key_points`, `digest`, `truncated` or `dropped`.
        phase: the phase in which the level was reached.
        original_tokens: tokens of the source.
        final_tokens: tokens of what is left of it.
        estimated: whether tokens are characters / 4.
        reason: why the level was reached, such as `short` or `digest_compression`.
        warnings: warnings to the reader.
    """

    document_id: str
    level: str
    phase: str
    original_tokens: int
    final_tokens: int
    estimated: bool
    reason: str
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, record: FidelityRecord, *, document_id: str) -> SourceFidelity:
        """Build the entry from the record of the digest."""
        return cls(
            document_id=document_id,
            level=record.level.value,
            phase=record.phase,
            original_tokens=record.original_tokens,
            final_tokens=record.final_tokens,
            estimated=record.estimated,
            reason=record.reason,
            warnings=record.warnings,
        )
