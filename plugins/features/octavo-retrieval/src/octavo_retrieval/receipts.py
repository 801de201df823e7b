"""Re-read receipts: shown to the user when a model reads the library (RET-9, RET-16)."""

from __future__ import annotations

from octavo_contracts import Model
from octavo_contracts.markers import page_ranges
from pydantic import Field


class Receipt(Model):
    """One line for the user, with its provenance."""

    line: str = Field(description="One line to show.")
    tool: str = Field(description="The tool that was called.")
    corpus_id: str | None = Field(description="The calling corpus, or null.")
    document_id: str | None = Field(description="The document, if the call concerned one.")
    pages: str = Field(description="The pages, as ranges.")
    source_refs: tuple[str, ...] = Field(description="Sources of the answer.")
    degraded_flags: tuple[str, ...] = Field(description="Quality flags of the document's conversion.")
    confidence: float | None = Field(description="Lowest OCR confidence of the pages, or null.")


def page_line(title: str, pages: tuple[int, ...] | list[int], *, total: int, paginated: bool) -> str:
    """`re-read pages 47-52 of TITLE`."""
    if not pages:
        return f"found no section of {title}"
    if not paginated or (len(pages) == total and total > 1):
        return f"re-read {title}"
    return f"re-read page{'s' if len(pages) > 1 else ''} {page_ranges(list(pages))} of {title}"


def memory_line(found: int, confident: int) -> str:
    """`consulted the memory graph (15 results found, 3 high-confidence)`."""
    return f"consulted the memory graph ({found} result{'s' if found != 1 else ''} found, {confident} high-confidence)"
