"""Recognised text as markdown."""

from __future__ import annotations

from octavo_contracts.authoring import escape, escape_line_starts


def as_markdown(text: str) -> str:
    """Recognised text as markdown that shows it as it is: paragraphs and lines kept, nothing read as markup."""
    paragraphs = ("\n".join(line.strip() for line in part.splitlines() if line.strip()) for part in text.split("\n\n"))
    return "\n\n".join(escape_line_starts(escape(part)) for part in paragraphs if part)
