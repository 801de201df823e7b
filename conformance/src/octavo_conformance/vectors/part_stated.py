"""Documents of one format of which some state a title, an author, or both, and some nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .model import GoldenVector
from .office_bytes import docx, pptx, xlsx
from .once import generated_once
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .rtf_bytes import RTF_TYPE, rtf, rtf_paragraph
from .sheaf_bytes import SHEAF, sheaf
from .truths import OFFICE
from .words import Words

Write = Callable[[str, str, str], bytes]
"""Writes a document of a line, a title and an author, either of which may be ''."""
STATES = (("title", "author"), ("title",), ("author",), ())
"""What each document states, in the order in which they are read."""


def _pdf(line: str, title: str, author: str) -> bytes:
    return PdfFile(pages=[PdfPage(lines=[PdfLine(text=line)])], title=title, author=author).to_bytes()


_WRITERS: dict[str, tuple[str, Write]] = {
    "application/pdf": ("pdf", _pdf),
    f"{OFFICE}.wordprocessingml.document": (
        "docx",
        lambda line, title, author: docx(blocks=[("p", line)], title=title, author=author),
    ),
    f"{OFFICE}.presentationml.presentation": (
        "pptx",
        lambda line, title, author: pptx(slides=[("", [line])], title=title, author=author),
    ),
    f"{OFFICE}.spreadsheetml.sheet": (
        "xlsx",
        lambda line, title, author: xlsx(sheets={"A": ((line,),)}, merges={}, title=title, author=author),
    ),
    RTF_TYPE: ("rtf", lambda line, title, author: rtf([rtf_paragraph(line)], title=title, author=author)),
    SHEAF: (
        "sheaf",
        lambda line, title, author: sheaf(pages=[{"blocks": [["p", line]]}], title=title, author=author),
    ),
}
"""Media type → extension, and the function that writes the document."""


@generated_once
def make_part_stated(seed: int, media_types: Sequence[str]) -> list[list[GoldenVector]]:
    """Make for each format a series of documents with what `STATES` says, in order; each has words of its own.

    Args:
        seed: the same seed gives the same documents.
        media_types: of the formats.
    """
    words = Words(seed)
    made = []
    for media_type, (family, write) in _WRITERS.items():
        if media_type not in media_types:
            continue
        series = []
        for number, states in enumerate(STATES):
            line, said = words.line(), {name: words.heading() for name in states}
            data = write(line, said.get("title", ""), said.get("author", ""))
            series.append(
                GoldenVector.of(
                    f"{family}/stated-{number}.{family}",
                    media_type,
                    data,
                    about="A document that states a part of its properties.",
                    kind=None,
                    pages=(line,),
                    title=said.get("title"),
                    author=said.get("author"),
                )
            )
        made.append(series)
    return made
