"""Assembles evidence and a summary into a payload within its size limits (DIG-1, R-1)."""

from __future__ import annotations

from collections.abc import Sequence

from octavo_contracts import DigestPayload, EvidenceSnippet, query_hash
from octavo_text.canonical import CanonicalText, fold

MAX_SUMMARY_CHARS = 2_000
MAX_KEY_POINTS = 10
MAX_KEY_POINT_CHARS = 500
LONG_SOURCE_CHARS = 10_000
"""A digest of a source longer than this, in code points, must be shorter than half of it."""
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
    """Return the payload, or None if it would not shrink its source.

    A summary or key point that is too long is cut at a word. For a source of over 10,000 code points the last key points
    and the lowest-ranked snippets are dropped, alternately, until the digest is shorter than half of its source.

    Args:
        text: the source.
        query: the query given to the summariser (R-3).
        summary: the summary for the query.
        key_points: key points, most important first.
        evidence: snippets, best first.
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
    """Cut a text to at most `limit` code points, after a sentence or a word if that loses less than half."""
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
