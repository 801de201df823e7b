"""The form of an output file by the ending of its name."""

from __future__ import annotations

from pathlib import PurePath

import click

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


def refuse_other_format(name: str) -> None:
    """Refuse an output file whose ending is that of a format which is not written, such as `.docx`: it would hold markdown.

    An ending without a meaning, such as `.out`, is allowed.

    Raises:
        click.UsageError: the ending is that of another format.
    """
    from octavo.formats import format_for_extension

    ending = PurePath(name).suffix.lower()
    other = format_for_extension(ending) if ending else None
    if other is None or other.media_type in ("text/plain", "text/markdown"):
        return
    endings = ", ".join(FORM_BY_ENDING)
    raise click.UsageError(
        f"{name!r} ends as {other.name}, which is not written: give a name that ends in {endings}, or --to "
        f"({', '.join(dict.fromkeys(FORM_BY_ENDING.values()))}) to write that form under this name"
    )
