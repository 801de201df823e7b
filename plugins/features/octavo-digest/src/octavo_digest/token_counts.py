"""Counts of tokens: what a server may count, and an estimate where its count is invalid."""

from __future__ import annotations

BYTES_PER_TOKEN = 3
"""An estimate that is rather too low, so that a ceiling is kept: tokenisers of today need 3 to 5 bytes a token."""

ANSWER_ESTIMATE = 2_000
"""Tokens that an answer counts as, where neither the server counts them nor a limit is set."""


class CountInvalid(Exception):
    """A server counted fewer than no tokens: what an answer has cost is unknown.

    Args:
        count: what it counted.
        written: an estimate of the answer's tokens.
    """

    def __init__(self, count: int, *, written: int) -> None:
        super().__init__(f"{count} tokens")
        self.count = count
        self.written = written


def estimated_tokens(text: str) -> int:
    """An estimate of a text's tokens, which its server alone can count."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)
