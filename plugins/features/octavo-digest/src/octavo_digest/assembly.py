"""From evidence and a summary to a payload that keeps its budget (DIG-1, R-1)."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.text.canonical import CanonicalText, fold
from octavo_contracts import DigestPayload, EvidenceSnippet, query_hash

MAX_SUMMARY_CHARS = 2_000
MAX_KEY_POINTS = 10
MAX_KEY_POINT_CHARS = 500
LONG_SOURCE_CHARS = 10_000
"""Code points above which a digest is held below half of its source."""
LONG_SOURCE_RATIO = 0.5
RATIO_DIGITS = 6


def assemble(
    text: CanonicalText,
    query: str,
    *,
    summary: str,
    key_points: Sequence[str] = (),
    evidence: Sequence[EvidenceSnippet] = (),
) -> DigestPayload | None:
    """The payload, or None where it would not shrink its source.

    Too long a summary or key point is cut at a word. For a source of over 10,000 code points the last key points and
    the lowest-ranked snippets are dropped, in turn, until the digest has less than half of its source's length.

    Args:
        text: the source.
        query: what the summariser was told (R-3).
        summary: for the query.
        key_points: the most telling first.
        evidence: best first.
    """
    brief = shorten(fold(summary), MAX_SUMMARY_CHARS)
    points = [cut for point in key_points if (cut := shorten(fold(point), MAX_KEY_POINT_CHARS))][:MAX_KEY_POINTS]
    snippets = list(evidence)
    original = len(text.text)
    if original > LONG_SOURCE_CHARS:
        while _size(brief, points, snippets) >= original * LONG_SOURCE_RATIO and (points or snippets):
            (points if len(points) >= len(snippets) else snippets).pop()
        limit = original * LONG_SOURCE_RATIO
    else:
        limit = float(original)
    size = _size(brief, points, snippets)
    if size >= limit:
        return None
    return DigestPayload(
        query_hash=query_hash(query),
        summary=brief,
        key_points=tuple(points),
        evidence_snippets=tuple(snippets),
        original_chars=original,
        digest_chars=size,
        compression_ratio=round(size / original, RATIO_DIGITS),
        source_text_hash=f"sha256:{text.sha256}",
    )


def shorten(text: str, limit: int) -> str:
    """A text of at most so many code points, cut after a sentence or a word where that loses less than half."""
    if len(text) <= limit:
        return text
    head = text[:limit]
    for ends in (". ", "! ", "? ", "。", " "):
        place = head.rfind(ends)
        if place >= limit // 2:
            return head[: place + 1].rstrip()
    return head


def _size(summary: str, key_points: Sequence[str], evidence: Sequence[EvidenceSnippet]) -> int:
    return len(summary) + sum(map(len, key_points)) + sum(len(snippet.text) for snippet in evidence)
