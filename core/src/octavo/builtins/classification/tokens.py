"""Estimates the number of model tokens of a document before its conversion."""

from __future__ import annotations

from octavo_contracts import EstimatedTokens

CHARS_A_TOKEN = 4
"""Rule of thumb for English; Chinese or Japanese texts are underestimated by about a factor of four."""
PAGE_IMAGE_TOKENS = 1500
"""Approximate cost of a page shown as an image."""
SUMMARY_TOKENS = 1000
"""Upper bound for a structured summary."""


def estimate_tokens(chars: int, *, page_count: int | None = None) -> EstimatedTokens:
    """Estimate tokens from characters and pages.

    Args:
        chars: characters of the text, estimated if only a part was read.
        page_count: pages that would be shown as images; None if the format has no pages.
    """
    text = -(-chars // CHARS_A_TOKEN)
    return EstimatedTokens(
        full_pdf=text + PAGE_IMAGE_TOKENS * (page_count or 0), text_only=text, summary=min(text, SUMMARY_TOKENS)
    )
