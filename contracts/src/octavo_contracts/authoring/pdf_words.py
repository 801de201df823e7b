"""The words of a PDF page with the style of their font and the target of their link, read through PDFium."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any, Final, NamedTuple

from .pdf_evidence import open_pdf
from .pdf_runs import shown_box

_WORD: Final = re.compile(r"\S+")
_SUBSET: Final = re.compile(r"^[A-Z]{6}\+")
_BOLD: Final = re.compile(r"bold|black|heavy|demi|-medi(?!u)|^(?:cm|sf|ec)[a-z]*bx", re.IGNORECASE)
"""Names of bold fonts: LaTeX's abbreviate the style, as those of URW do."""
_ITALIC: Final = re.compile(r"(?i:ital|obli|slant|kursiv)|[-a-z]It$|^(?i:cm|sf|ec)[A-Za-z]*(?i:ti|sl)\d")
_MATHEMATICS: Final = re.compile(r"^(?:cm(?:mi|sy|ex|mib)|ms[ab]m|.*math)", re.IGNORECASE)
_UNTELLING: Final = re.compile(r"^(?:CIDFont\+|T3Font_)?[A-Za-z]{0,3}\d*$")
"""Names that a program made up, which say nothing of the style."""
_BOLD_WEIGHT: Final = 600
"""Weight from which on a font with such a name is bold; others may have it as their regular weight."""
_ITALIC_FLAG: Final = 1 << 6
_FORCE_BOLD_FLAG: Final = 1 << 18
_MOST_LINKS: Final = 2_000
"""Links of a page that are read."""
_MARGIN: Final = 0.5
"""How far the middle of a word may lie outside of its link, in points."""


class Style(NamedTuple):
    """How a word is set."""

    is_bold: bool = False
    is_italic: bool = False
    target: str | None = None
    """Address that a link on the word leads to."""
    head: int = 0
    """Number of signs at its beginning that are set otherwise, such as the bracket before a bold word."""
    tail: int = 0
    """Number of such signs at its end."""


class PrintedWord(NamedTuple):
    """Characters between two blanks. The place is that of its middle character, in points from the top left corner of the page as shown."""

    text: str
    across: float
    down: float
    start: int
    """Index of its first character on the page."""

    @property
    def middle(self) -> int:
        """Index of its middle character on the page."""
        return self.start + (len(self.text) - 1) // 2


class _LinkArea(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float
    target: str

    def holds(self, across: float, down: float) -> bool:
        return (
            self.left - _MARGIN <= across <= self.right + _MARGIN
            and self.top - _MARGIN <= down <= self.bottom + _MARGIN
        )


class PrintedPage:
    """A page of an open document.

    Attributes:
        words: in PDFium's order; none if PDFium counts the characters of the page otherwise than its text does.
    """

    def __init__(self, page: Any, document: Any, raw: Any) -> None:
        self._raw = raw
        self._page = page
        self._texts = page.get_textpage()
        self._fonts = _FontStyles(raw)
        self._links = list(_link_areas(page, document, raw))
        self.words = list(self._read())

    def _read(self) -> Iterator[PrintedWord]:
        text = self._texts.get_text_range()
        if len(text) != self._texts.count_chars():
            return
        bounds, turned = self._page.get_bbox(), self._page.get_rotation()
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        for match in _WORD.finditer(text):
            middle = match.start() + (len(match[0]) - 1) // 2
            self._raw.FPDFText_GetCharBox(self._texts.raw, middle, left, right, bottom, top)
            box = shown_box((left.value, bottom.value, right.value, top.value), bounds, turned)
            yield PrintedWord(match[0], (box[0] + box[2]) / 2, (box[1] + box[3]) / 2, match.start())

    def style_of(self, word: PrintedWord) -> Style:
        """Return the style of a word, which is that of its middle character."""
        own = self._font_style(word.middle)
        target = self.target_of(word)
        if not any(own):
            return Style(*own, target)
        places = range(word.start, word.start + len(word.text))
        return Style(
            *own, target, self._others(own, word.text, places), self._others(own, word.text[::-1], places[::-1])
        )

    def _others(self, own: tuple[bool, bool], text: str, places: Iterable[int]) -> int:
        """Return how many signs at the beginning of a text are not in a style."""
        signs = takewhile(lambda pair: not pair[0].isalnum(), zip(text, places, strict=True))
        return sum(1 for _ in takewhile(lambda pair: self._font_style(pair[1]) != own, signs))

    def _font_style(self, place: int) -> tuple[bool, bool]:
        text_object = self._raw.FPDFText_GetTextObject(self._texts.raw, place)
        return self._fonts.of(text_object) if text_object else (False, False)

    def target_of(self, word: PrintedWord) -> str | None:
        """Return the address that a link on a word leads to."""
        return next((link.target for link in self._links if link.holds(word.across, word.down)), None)

    def close(self) -> None:
        """Release the page; styles cannot be asked for any more."""
        self._texts.close()
        self._page.close()


def printed_pages(data: bytes, numbers: Iterable[int], *, remedy: str) -> Iterator[tuple[int, PrintedPage]]:
    """Yield pages with their numbers; a page is closed when the next one is asked for.

    Args:
        data: the document, without encryption.
        numbers: of the pages, from 1.
        remedy: how pypdfium2 is installed.

    Raises:
        SourceCorrupt: PDFium finds no document in the bytes.
        ToolUnavailable: pypdfium2 cannot be imported.
    """
    with open_pdf(data, remedy=remedy) as (document, raw):
        for number in numbers:
            page = PrintedPage(document[number - 1], document, raw)
            try:
                yield number, page
            finally:
                page.close()


class _FontStyles:
    """Styles of the fonts of one page: the address of a font may be that of another one on the next page."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._known: dict[int, tuple[bool, bool]] = {}

    def of(self, text_object: Any) -> tuple[bool, bool]:
        """Return whether an object of text is bold, and whether it is italic."""
        font = self._raw.FPDFTextObj_GetFont(text_object)
        if not font:
            return False, False
        address = ctypes.addressof(font.contents)
        if address not in self._known:
            self._known[address] = self._style(font)
        return self._known[address]

    def _style(self, font: Any) -> tuple[bool, bool]:
        raw = self._raw
        length = raw.FPDFFont_GetBaseFontName(font, None, 0)
        buffer = ctypes.create_string_buffer(max(1, length))
        raw.FPDFFont_GetBaseFontName(font, buffer, length)
        name = _SUBSET.sub("", buffer.value.decode("utf-8", "replace"))
        flags = max(0, raw.FPDFFont_GetFlags(font))
        angle = ctypes.c_int()
        is_slanted = bool(raw.FPDFFont_GetItalicAngle(font, angle) and angle.value) or bool(flags & _ITALIC_FLAG)
        is_italic = not _MATHEMATICS.search(name) and (is_slanted or _ITALIC.search(name) is not None)
        is_heavy = bool(_UNTELLING.match(name)) and raw.FPDFFont_GetWeight(font) >= _BOLD_WEIGHT
        return bool(flags & _FORCE_BOLD_FLAG) or _BOLD.search(name) is not None or is_heavy, is_italic


def _link_areas(page: Any, document: Any, raw: Any) -> Iterator[_LinkArea]:
    """Yield the areas of a page's links to addresses; those within the document have none."""
    bounds, turned = page.get_bbox(), page.get_rotation()
    position, link = ctypes.c_int(), raw.FPDF_LINK()
    for _ in range(_MOST_LINKS):
        if not raw.FPDFLink_Enumerate(page.raw, position, link):
            return
        target = _target(link, document, raw)
        if target:
            for box in _boxes(link, raw):
                left, top, right, bottom = shown_box(box, bounds, turned)
                yield _LinkArea(left, top, right, bottom, target)


def _target(link: Any, document: Any, raw: Any) -> str:
    action = raw.FPDFLink_GetAction(link)
    if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
        return ""
    length = raw.FPDFAction_GetURIPath(document.raw, action, None, 0)
    buffer = ctypes.create_string_buffer(max(1, length))
    raw.FPDFAction_GetURIPath(document.raw, action, buffer, length)
    return buffer.value.decode("utf-8", "replace").strip()


def _boxes(link: Any, raw: Any) -> Iterator[tuple[float, float, float, float]]:
    """Yield left, bottom, right and top of a link's parts: a link over several lines has one for each of them."""
    quad = raw.FS_QUADPOINTSF()
    parts = max(0, raw.FPDFLink_CountQuadPoints(link))
    for at in range(parts):
        if raw.FPDFLink_GetQuadPoints(link, at, quad):
            across, down = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            yield min(across), min(down), max(across), max(down)
    rect = raw.FS_RECTF()
    if not parts and raw.FPDFLink_GetAnnotRect(link, rect):
        yield (
            min(rect.left, rect.right),
            min(rect.bottom, rect.top),
            max(rect.left, rect.right),
            max(rect.bottom, rect.top),
        )
