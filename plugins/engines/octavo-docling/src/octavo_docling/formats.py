"""Supported formats: media type → Docling's name of the format, its container, and the kind of its pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from octavo_contracts import PageKind

POINTS_PER_EMU: Final = 1 / 12_700
"""Docling gives places on a slide in the file's own unit, of which 12,700 are a point."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format that Docling reads.

    Attributes:
        name: Docling's `InputFormat`, which is the usual extension as well.
        page: what its pages are.
        container: how its bytes are laid out.
        main: for a container, the member that it must have.
        scale: points a unit of Docling's boxes; None where they are no places on a page.
    """

    name: str
    page: PageKind
    container: Literal["office", "opendocument", "markup", "text", "pdf"]
    main: str = ""
    scale: float | None = None


_WORD = Format(name="docx", page="whole", container="office", main="word/document.xml")
_SLIDES = Format(name="pptx", page="slide", container="office", main="ppt/presentation.xml", scale=POINTS_PER_EMU)
_BOOK = Format(name="xlsx", page="sheet", container="office", main="xl/workbook.xml")
_WEB = Format(name="html", page="whole", container="markup")
_OPEN = "application/vnd.oasis.opendocument"
_OFFICE = "application/vnd.openxmlformats-officedocument"

FORMATS: Final[dict[str, Format]] = {
    f"{_OFFICE}.wordprocessingml.document": _WORD,
    "application/vnd.ms-word.document.macroenabled.12": _WORD,
    f"{_OFFICE}.presentationml.presentation": _SLIDES,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": _SLIDES,
    f"{_OFFICE}.spreadsheetml.sheet": _BOOK,
    "application/vnd.ms-excel.sheet.macroenabled.12": _BOOK,
    f"{_OPEN}.text": Format(name="odt", page="whole", container="opendocument", main="content.xml"),
    f"{_OPEN}.spreadsheet": Format(name="ods", page="sheet", container="opendocument", main="content.xml"),
    f"{_OPEN}.presentation": Format(name="odp", page="slide", container="opendocument", main="content.xml"),
    "text/html": _WEB,
    "application/xhtml+xml": _WEB,
    "text/markdown": Format(name="md", page="whole", container="text"),
    "text/csv": Format(name="csv", page="sheet", container="text"),
    "application/pdf": Format(name="pdf", page="page", container="pdf", scale=1.0),
}
"""Media type → format; the same types as in the manifest."""
