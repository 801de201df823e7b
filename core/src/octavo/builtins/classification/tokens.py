"""What a document would cost a model, before anything is converted."""

from __future__ import annotations

from octavo_contracts import EstimatedTokens

CHARS_A_TOKEN = 4
"""Rule of thumb for English; texts in Chinese or Japanese come out too low by about a factor of four."""
PAGE_IMAGE_TOKENS = 1500
"""What a page shown as a picture costs, about."""
SUMMARY_TOKENS = 1000
"""An upper bound of a structured summary."""


def estimate_tokens(chars: int, *, page_count: int | None = None) -> EstimatedTokens:
    """Tokens by characters and pages.

    Args:
        chars: characters of the text, estimated where only a part was read.
        page_count: pages that would be shown as pictures; None where the format has none.
    """
    text = -(-chars // CHARS_A_TOKEN)
    return EstimatedTokens(
        full_pdf=text + PAGE_IMAGE_TOKENS * (page_count or 0), text_only=text, summary=min(text, SUMMARY_TOKENS)
    )
