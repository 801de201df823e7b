"""The form of an output file by the ending of its name."""

from __future__ import annotations

FORM_BY_ENDING = {
    ".md": "md",
    ".markdown": "md",
    ".txt": "text",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".chunks.jsonl": "chunks",
    ".pages.jsonl": "pages",
}
"""As `octavo.conversion.output_formats.OutputFormat.extension`, which is not imported for the help; a test compares."""


def form_by_ending(name: str) -> str | None:
    """Return the form that the ending of a file's name says, or None."""
    lowered = name.lower()
    return next((form for ending, form in FORM_BY_ENDING.items() if lowered.endswith(ending)), None)
