"""Renders recognised text as markdown."""

from __future__ import annotations

from octavo_contracts.authoring import escape, escape_line_starts


def as_markdown(text: str) -> str:
    """Escape recognised text so that markdown shows it unchanged: paragraphs and lines are kept, markup is inert."""
    paragraphs = ("\n".join(line.strip() for line in part.splitlines() if line.strip()) for part in text.split("\n\n"))
    return "\n\n".join(escape_line_starts(escape(part)) for part in paragraphs if part)
