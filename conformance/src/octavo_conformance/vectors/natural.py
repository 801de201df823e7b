"""Natural documents: created by ordinary programs and by hand, not by a script of the suite.

Their words are not compared exactly, because there is no single correct conversion of such a document. The checks cover
required phrases, forbidden texts, and the similarity of the words to those that a person wrote down in a text file beside
the document, with pages separated by form feeds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib import resources
from typing import Any

from octavo_contracts import PageKind

from .model import Expected, GoldenVector

_OFFICE = "application/vnd.openxmlformats-officedocument"
LICENCE = "CC0-1.0"


def make_natural() -> Iterator[GoldenVector]:
    """Yield the natural vectors from the committed documents."""
    yield _vector(
        "pdf/annual-report.pdf", "application/pdf", "A report with tables, a running head and printed page labels.", "page",
        floor=0.9,
        phrases=(
            "the highest surge since the gauge was first read", "Nobody was hurt", "a low of 962 hPa crossed the bay",
            "less its known offset of 3.2 cm", "bench mark on the church tower", "Ines Halloran, Director",
        ),
        title="Annual report 2025–2026",
    )  # fmt: skip
    yield _vector(
        "docx/staff-handbook.docx", f"{_OFFICE}.wordprocessingml.document",
        "A handbook with lists, a table, a footnote, tracked changes and a comment.", "whole",
        floor=0.8,
        phrases=(
            "Every boat carries three flares", "Test the radio on channel 72", "يوسف حداد", "青木 裕子",
            "By the anemometer on the roof", "the sea will not make it twice",
        ),
    )  # fmt: skip
    yield _vector(
        "html/harbour-seals.html", "text/html", "An article between navigation, cookie notice and footer.", "whole",
        floor=0.8,
        phrases=(
            "Whoever rows out to count them finds wet rocks", "we keep the highest daily count", "October 2025 240 31",
            "a seal with a blue tag", "leave it where it is",
        ),
        absent=("window.visits", "background: navy"),
    )  # fmt: skip
    yield _vector(
        "eml/storm-warning.eml", "message/rfc822",
        "A mail with encoded headers, text and HTML alternatives, and an attachment.", "whole",
        floor=0.7,
        phrases=(
            "expects a surge of about 1.1 m on top of the afternoon tide", "with wind from the north-west at force 10",
            "put gauge 2 on its battery", "Nobody goes out on the mole after 16:00",
        ),
    )  # fmt: skip


def _vector(path: str, media_type: str, about: str, page_kind: PageKind, **truth: Any) -> GoldenVector:
    folder = resources.files(__package__).joinpath("v1")
    data = folder.joinpath(path).read_bytes()
    written = folder.joinpath(f"{path.rpartition('.')[0]}.txt").read_text(encoding="utf-8")
    pages = tuple(" ".join(page.split()) for page in written.split("\f"))
    return GoldenVector(
        path=path,
        media_type=media_type,
        about=about,
        licence=LICENCE,
        sha256=hashlib.sha256(data).hexdigest(),
        expected=Expected(page_kind=page_kind, pages=pages, **truth),
        data=data,
    )
