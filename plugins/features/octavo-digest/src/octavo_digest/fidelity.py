"""Fidelity records: how much of a source is left after a phase, and why (DIG-22, DIG-23, DIG-30)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from octavo_contracts import DigestPayload

CHARS_A_TOKEN = 4
Tokenizer = Callable[[str], int]
"""Counts the tokens of a text."""


class FidelityLevel(StrEnum):
    """Levels from the full source to nothing, in this order."""

    FULL = "full"
    CONDENSED = "condensed"
    KEY_POINTS = "key_points"
    DIGEST = "digest"
    TRUNCATED = "truncated"
    DROPPED = "dropped"


@dataclass(frozen=True, kw_only=True)
class FidelityRecord:
    """The state of a source after a phase.

    Attributes:
        source_id: the source.
        level: how much of it is left.
        phase: the phase.
        original_tokens: tokens before the phase.
        final_tokens: tokens after the phase.
        estimated: whether tokens are characters / 4.
        reason: why the level was reached.
        warnings: warnings to the reader; a failure is 'digest_failed: reason'.
    """

    source_id: str
    level: FidelityLevel
    original_tokens: int
    final_tokens: int
    estimated: bool
    reason: str
    phase: str = "digest"
    warnings: tuple[str, ...] = ()


def record_of(
    source_id: str,
    text: str,
    *,
    payload: DigestPayload | None,
    status: str,
    reason: str | None,
    warnings: tuple[str, ...] = (),
    tokenizer: Tokenizer | None = None,
) -> FidelityRecord:
    """Build the record of a source that was digested, skipped, or failed.

    Args:
        source_id: the source.
        text: its text.
        payload: its digest, or None.
        status: 'digested', 'skipped' or 'failed'.
        reason: why it was skipped or failed.
        warnings: warnings of the digestor.
        tokenizer: counts tokens; characters / 4 if there is none.
    """
    before = _tokens(text, tokenizer)
    if payload is None:
        failed = (f"digest_failed: {reason}",) if status == "failed" else ()
        return FidelityRecord(
            source_id=source_id,
            level=FidelityLevel.FULL,
            original_tokens=before,
            final_tokens=before,
            estimated=tokenizer is None,
            reason=reason or status,
            warnings=(*failed, *warnings),
        )
    digest = " ".join((payload.summary, *payload.key_points, *(item.text for item in payload.evidence_snippets)))
    after = _tokens(digest, tokenizer) if tokenizer else -(-payload.digest_chars // CHARS_A_TOKEN)
    return FidelityRecord(
        source_id=source_id,
        level=FidelityLevel.DIGEST,
        original_tokens=before,
        final_tokens=after,
        estimated=tokenizer is None,
        reason="digest_compression",
        warnings=warnings,
    )


def _tokens(text: str, tokenizer: Tokenizer | None) -> int:
    return tokenizer(text) if tokenizer else -(-len(text) // CHARS_A_TOKEN)
