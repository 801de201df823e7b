"""The pieces of text that a PDF page is painted with, and its words, read through PDFium: where one ends and the next begins."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, Final, NamedTuple

from .pdf_evidence import open_pdf

Box = tuple[float, float, float, float]
"""Four edges of a rectangle, in points."""

_WORD: Final = re.compile(r"\S+")


class TextRun(NamedTuple):
    """Characters without a blank that a page paints as one piece, in points from the top left corner of the page as shown."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


def read_text_runs(data: bytes, numbers: Iterable[int], *, remedy: str) -> Mapping[int, list[TextRun]]:
    """Return the pieces of text of some pages, by page number.

    A page whose characters PDFium counts otherwise than its text does has none.

    Args:
        data: the document, without encryption.
        numbers: of the pages, from 1.
        remedy: how pypdfium2 is installed.

    Raises:
        SourceCorrupt: PDFium finds no document in the bytes.
        ToolUnavailable: pypdfium2 cannot be imported.
    """
    with open_pdf(data, remedy=remedy) as (document, raw):
        return {number: _pieces(document[number - 1], partial(_painted, raw=raw)) for number in numbers}


def read_words(data: bytes, numbers: Iterable[int], *, remedy: str) -> Mapping[int, list[TextRun]]:
    """Return the characters between two blanks, as pieces of text of some pages, by page number.

    A page whose characters PDFium counts otherwise than its text does has none.

    Args:
        data: the document, without encryption.
        numbers: of the pages, from 1.
        remedy: how pypdfium2 is installed.

    Raises:
        SourceCorrupt: PDFium finds no document in the bytes.
        ToolUnavailable: pypdfium2 cannot be imported.
    """
    with open_pdf(data, remedy=remedy) as (document, _):
        return {number: _pieces(document[number - 1], _between_blanks) for number in numbers}


def _pieces(page: Any, places_of: Callable[[Any, str], Iterable[tuple[int, int]]]) -> list[TextRun]:
    """Return pieces of a page's text, and close the page.

    Args:
        page: as PDFium has it.
        places_of: returns the first and the last character of each piece, for the page's text as PDFium has it and as a string.
    """
    texts = page.get_textpage()
    text = texts.get_text_range()
    bounds, turned = page.get_bbox(), page.get_rotation()
    found: list[TextRun] = []
    if len(text) == texts.count_chars():
        for ends in places_of(texts, text):
            boxes = [shown_box(texts.get_charbox(at, loose=True), bounds, turned) for at in ends]
            found.append(_run(text[ends[0] : ends[1] + 1], boxes))
    texts.close()
    page.close()
    return found


def _between_blanks(texts: Any, text: str) -> Iterator[tuple[int, int]]:
    return ((match.start(), match.end() - 1) for match in _WORD.finditer(text))


def _painted(texts: Any, text: str, *, raw: Any) -> Iterator[tuple[int, int]]:
    """Yield the pieces that are painted as one; a blank belongs to none, so that words of one object are apart."""
    owners = [
        0 if char.isspace() else _address(raw.FPDFText_GetTextObject(texts.raw, at)) for at, char in enumerate(text)
    ]
    for owner, run in groupby(range(len(text)), key=owners.__getitem__):
        if owner:
            places = list(run)
            yield places[0], places[-1]


def _run(text: str, boxes: Sequence[Box]) -> TextRun:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return TextRun(text, min(lefts), min(tops), max(rights), max(bottoms))


def shown_box(box: Box, bounds: Box, turned: int) -> Box:
    """Return left, top, right and bottom on the page as shown.

    Args:
        box: left, bottom, right and top in user space.
        bounds: those of the page.
        turned: rotation of the page, in degrees clockwise: 0, 90, 180 or 270.
    """
    left, bottom, right, top = box
    page_left, page_bottom, page_right, page_top = bounds
    match turned:
        case 90:
            return bottom - page_bottom, left - page_left, top - page_bottom, right - page_left
        case 180:
            return page_right - right, bottom - page_bottom, page_right - left, top - page_bottom
        case 270:
            return page_top - top, page_right - right, page_top - bottom, page_right - left
    return left - page_left, page_top - top, right - page_left, page_top - bottom


def _address(handle: Any) -> int:
    """Return the address of a handle; 0 for a character that PDFium made up."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0
