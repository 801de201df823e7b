"""Splits a long text into pieces, cutting only where no name can cross the cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

WINDOW: Final = 50_000
"""Code points a piece: the model needs about 1 KB of memory for each, and a million is its own limit."""


def windows(text: str, *, size: int = WINDOW) -> Iterator[tuple[int, str]]:
    """The pieces of a text with their offsets, without gaps.

    A piece ends after the last empty line, line or space that it holds; only a text without any is cut at its size.
    """
    start = 0
    while start < len(text):
        end = start + size
        if end < len(text):
            for mark in ("\n\n", "\n", " "):
                at = text.rfind(mark, start + size // 2, end)
                if at >= 0:
                    end = at + len(mark)
                    break
        yield start, text[start:end]
        start = end
