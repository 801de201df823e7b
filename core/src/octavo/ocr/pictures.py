"""Text in the pictures of office documents: recognised when asked, and put where its picture stands (OCR-6).

A picture is read as a page is: rendered, looked up by its pixels, else recognised. What it says goes behind the
reference to it, as a quotation, where that place is certain; else to the end of its page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from octavo_contracts import Conversion, DegradedFlag, Model, OCRResult, Page, QualityFinding
from pydantic import Field

from .text import as_markdown

if TYPE_CHECKING:
    from .recognition import PageReading

SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
TYPES = frozenset({"application/vnd.openxmlformats-officedocument.wordprocessingml.document", SLIDES})
"""Documents whose pictures are found."""
SHOWN = 10
MAX_PICTURES = 1000
"""Pictures of one document that are read."""
_REFERENCE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")


class EmbeddedPicture(Model):
    """A picture, where it is shown."""

    page: int = Field(ge=1, description="Slide from 1; 1 in a document without pages.")
    part: str = Field(description="Name of the part that holds it.")

    @property
    def name(self) -> str:
        """The part's name without its folder."""
        return self.part.rpartition("/")[2]


class FoundPictures(Model):
    """The pictures of a document."""

    pictures: tuple[EmbeddedPicture, ...] = Field(description="In the order of the document.")


@dataclass(frozen=True, kw_only=True)
class PictureReading:
    """What came of one picture.

    Attributes:
        picture: which, and where it stands.
        reading: what was recognised; None where it could not be read.
        problem: why not.
    """

    picture: EmbeddedPicture
    reading: PageReading | None = None
    problem: str = ""

    @property
    def result(self) -> OCRResult | None:
        """The answer, where it holds text, with the page on which the picture stands."""
        if self.reading is None or not self.reading.holds_text:
            return None
        return self.reading.result.model_copy(update={"page_number": self.picture.page})


def merge_pictures(conversion: Conversion, readings: Sequence[PictureReading]) -> Conversion:
    """The conversion with the text of its pictures.

    Args:
        conversion: as the converter gave it.
        readings: of all its pictures, in the order of the document.
    """
    if not any(reading.result for reading in readings):
        return conversion
    by_page = {page: list(some) for page, some in groupby(readings, key=lambda one: one.picture.page)}
    pages = tuple(
        _with_texts(page, by_page[page.number]) if page.number in by_page else page for page in conversion.pages
    )
    said = [
        {
            "picture": one.picture.part,
            "page": result.page_number,
            "engine": result.method,
            "version": result.tool_version,
            "confidence": result.confidence,
            "page_fingerprint": result.page_fingerprint,
        }
        for one in readings
        if (result := one.result) is not None
    ]
    return conversion.model_copy(
        update={"pages": pages, "extensions": {**conversion.extensions, "octavo.recognised_pictures": said}}
    )


def picture_findings(readings: Sequence[PictureReading], *, doubtful_below: float) -> tuple[QualityFinding, ...]:
    """What the quality report says of pictures that could not be read, and of those read doubtfully."""
    found = []
    if unread := {one.picture.name: one.problem for one in readings if one.reading is None}:
        shown = ", ".join(list(unread)[:SHOWN]) + ("…" if len(unread) > SHOWN else "")
        many = f"{len(unread)} pictures" if len(unread) > 1 else "1 picture"
        message = f"{many} could not be read: {shown} ({next(iter(unread.values()))})"
        found.append(QualityFinding(flag=DegradedFlag.OCR_NEEDED.value, message=message))
    for one in readings:
        if one.reading is None:
            continue
        if (result := one.result) is not None and (result.confidence < doubtful_below or one.reading.contradiction):
            doubt = one.reading.contradiction or f"recognised with a mean confidence of {result.confidence:.2f}"
            found.append(
                QualityFinding(
                    flag=DegradedFlag.OCR_LOW_CONFIDENCE.value,
                    message=f"the picture {one.picture.name}: {doubt}",
                    page=one.picture.page,
                    remedy="Check the text against the picture before relying on it",
                )
            )
    return tuple(found)


def _with_texts(page: Page, readings: Sequence[PictureReading]) -> Page:
    """A page with the texts of its pictures, those without text given too."""
    shown = list(_REFERENCE.finditer(page.markdown))
    # On a slide a converter may go by where pictures stand, and not by their order in the document.
    is_certain = len(shown) == len(readings) and (page.kind != "slide" or len(shown) == 1)
    ends = [_end_of_paragraph(page.markdown, found.end()) for found in shown] if is_certain else []
    markdown, at = "", 0
    texts = []
    for number, one in enumerate(readings):
        if (result := one.result) is None:
            continue
        texts.append(result.extracted_text.strip())
        end = ends[number] if is_certain and ends[number] is not None else len(page.markdown)
        end = max(end or 0, at)
        markdown += f"{page.markdown[at:end].rstrip()}\n\n{_quoted(result.extracted_text)}"
        at = end
    markdown += page.markdown[at:]
    text = None if page.text is None else "\n\n".join((page.text.rstrip(), *texts)).lstrip("\n")
    return page.model_copy(update={"markdown": markdown.lstrip("\n"), "text": text, "has_images": True})


def _end_of_paragraph(markdown: str, position: int) -> int | None:
    """Where the paragraph of a reference ends; None inside a table, whose rows nothing can come between."""
    line = markdown.rfind("\n", 0, position) + 1
    if markdown.startswith("|", line):
        return None
    end = markdown.find("\n\n", position)
    return len(markdown) if end < 0 else end


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in as_markdown(text).splitlines())
