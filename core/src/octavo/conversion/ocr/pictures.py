"""Merges OCR text of pictures in office documents into the conversion, at the place of each picture (OCR-6).

Pictures are handled like pages: rendered, looked up by their pixels, else recognised. The text is inserted as a
quotation after the reference to the picture if that place is certain, else at the end of the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

from octavo_contracts import Conversion, DegradedFlag, Page, QualityFinding
from octavo_text.recognised_markdown import as_markdown
from pydantic import JsonValue

from .descriptions import DESCRIPTIONS, marked, quoted, record
from .picture_records import MAX_SHOWN
from .recognition import PictureReading

TYPES = frozenset(
    {
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.ms-word.document.macroenabled.12",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    }
)
"""Document types whose pictures are recognised."""
SHOWN = 10
MAX_PICTURES = 1000
"""Maximum number of distinct pictures that are read in one document."""
REASONS = 3
"""Maximum number of distinct reasons that a finding lists, most frequent first."""
_REFERENCE = re.compile(r"(?<!\\)!\[[^\[\]\n]{0,1000}\]\([^()\n]{0,2000}\)")
"""A picture reference. One with nested brackets is not matched; its text then goes to the end of the page."""
_GIVEN = re.compile(
    r"(?:(?:image|picture|drawing|chart|img|thumbnail)\d{0,6}|\d{1,6})\.(?:png|jpe?g|jp2|gif|bmp|tiff?|emf|wmf|svg|webp)",
    re.IGNORECASE,
)
"""File names that office programs give to pictures."""
_NO_PLACE = re.compile(r"^(?: |\t|[-*+>|<\[\\]|\d{1,9}[.)])")
"""Starts of paragraphs that a following quotation would break: lists, quotations, tables, markup, links."""
_NO_PLACES = ("```", "~~~", "<!--")
"""Markup inside which the end of a paragraph is not a safe place to insert text."""


def merge_pictures(
    conversion: Conversion, readings: Sequence[PictureReading], *, without_places: Collection[int] = ()
) -> Conversion:
    """Insert the text of pictures into a conversion.

    Args:
        conversion: the converter's conversion.
        readings: results for all its pictures, in document order.
        without_places: pages on which an apparent reference may not be one.
    """
    if not any(reading.result or reading.description for reading in readings):
        return conversion
    by_page = {page: list(some) for page, some in groupby(readings, key=lambda one: one.picture.page)}
    pages = tuple(
        _with_texts(page, by_page[page.number], has_places=page.number not in without_places)
        if page.number in by_page
        else page
        for page in conversion.pages
    )
    recorded: list[JsonValue] = [
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
    extensions: dict[str, JsonValue] = {**conversion.extensions, "octavo.recognised_pictures": recorded}
    described = {one.picture.part: one for one in readings if one.description is not None}
    if described:
        extensions[DESCRIPTIONS] = [
            record(one.description, page=one.picture.page, picture=part)
            for part, one in described.items()
            if one.description is not None
        ]
    return conversion.model_copy(update={"pages": pages, "extensions": extensions})


def picture_findings(
    readings: Sequence[PictureReading], *, beyond: int = 0, doubtful_below: float
) -> tuple[QualityFinding, ...]:
    """Build findings for pictures that could not be read or whose text is doubtful.

    Args:
        readings: results for all pictures that were examined.
        beyond: number of pictures that were not examined.
        doubtful_below: mean confidence under which a picture's text is doubtful.
    """
    found = []
    if beyond:
        many = f"{beyond} pictures" if beyond > 1 else "1 picture"
        message = f"{many} first shown after the first {MAX_SHOWN:,} picture uses {_were(beyond)} not examined"
        found.append(QualityFinding(flag=DegradedFlag.PARTIAL_CONVERSION.value, message=message))
    if unread := {one.picture.name: one.problem for one in readings if one.reading is None}:
        shown = ", ".join(map(_shown, list(unread)[:SHOWN])) + ("…" if len(unread) > SHOWN else "")
        many = f"{len(unread)} pictures" if len(unread) > 1 else "1 picture"
        message = f"{many} could not be read: {shown} ({_reasons(unread.values())})"
        found.append(QualityFinding(flag=DegradedFlag.OCR_NEEDED.value, message=message))
    for one in readings:
        if one.reading is None:
            continue
        if (result := one.result) is not None and (result.confidence < doubtful_below or one.reading.contradiction):
            doubt = one.reading.contradiction or f"recognised with a mean confidence of {result.confidence:.2f}"
            found.append(
                QualityFinding(
                    flag=DegradedFlag.OCR_LOW_CONFIDENCE.value,
                    message=f"the picture {_shown(one.picture.name)}: {doubt}",
                    page=one.picture.page,
                    remedy="Check the text against the picture before relying on it",
                )
            )
    return tuple(found)


def _shown(name: str) -> str:
    """Return a picture's name if an office program generated it; a name chosen by the author is untrusted."""
    return name if _GIVEN.fullmatch(name) else "with a custom name"


def _were(count: int) -> str:
    return "were" if count > 1 else "was"


def _reasons(problems: Iterable[str]) -> str:
    """Join the most frequent reasons into one line."""
    counted = [problem for problem, _ in Counter(problems).most_common()]
    return "; ".join(counted[:REASONS]) + ("; …" if len(counted) > REASONS else "")


def _with_texts(page: Page, readings: Sequence[PictureReading], *, has_places: bool) -> Page:
    """Insert the texts of a page's pictures; `readings` includes pictures without text. Each picture is quoted once."""
    places = _places(page, len(readings)) if has_places else [len(page.markdown)] * len(readings)
    markdown, at = "", 0
    texts: dict[str, str] = {}
    for end, one in zip(places, readings, strict=True):
        if one.picture.part in texts:
            continue
        if (result := one.result) is not None:
            texts[one.picture.part], shown = result.extracted_text.strip(), _quoted(result.extracted_text)
        elif one.description is not None:
            texts[one.picture.part], shown = marked(one.description), quoted(one.description)
        else:
            continue
        markdown += f"{page.markdown[at:end].rstrip()}\n\n{shown}"
        at = end
    markdown += page.markdown[at:]
    text = None if page.text is None else "\n\n".join((page.text.rstrip(), *texts.values())).lstrip("\n")
    return page.model_copy(update={"markdown": markdown.lstrip("\n"), "text": text, "has_images": True})


def _places(page: Page, count: int) -> list[int]:
    """Return the ends of the paragraphs that contain the page's pictures, in order; the end of the page if uncertain.

    The places are certain if the page has as many references as pictures, each in a paragraph of plain text; the caller
    excludes pages whose own text resembles references. On a slide a converter may order pictures by position and not by
    document order.
    """
    last = [len(page.markdown)] * count
    if (page.kind == "slide" and count > 1) or any(mark in page.markdown for mark in _NO_PLACES):
        return last
    ends: list[int] = []
    start = 0
    for paragraph in page.markdown.split("\n\n"):
        end = start + len(paragraph)
        if found := len(_REFERENCE.findall(paragraph)):
            if _NO_PLACE.match(paragraph.lstrip("\n")):
                return last
            ends += [end] * found
        start = end + 2
    return ends if len(ends) == count else last


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in as_markdown(text).splitlines())
