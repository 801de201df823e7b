"""Reads a PDF document with pdfminer; the only module that imports the engine."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import pdfminer
from octavo_contracts import DocumentMetadata, SourceCorrupt, SourceEncrypted
from octavo_contracts.authoring import iso_date
from octavo_contracts.authoring.control_signs import with_bullets, without_control_signs
from pdfminer.converter import PDFPageAggregator
from pdfminer.layout import LAParams, LTChar, LTContainer, LTImage, LTPage, LTTextBox, LTTextLine
from pdfminer.pdfdocument import PDFDocument, PDFEncryptionError, PDFPasswordIncorrect
from pdfminer.pdffont import PDFFont
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser
from pdfminer.pdftypes import resolve1
from pdfminer.psexceptions import PSException
from pdfminer.utils import decode_text

ENGINE_VERSION = f"pdfminer.six {pdfminer.__version__}"

BROKEN = (
    PSException, ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError, RecursionError,
    TypeError, ValueError, struct.error, zlib.error,
)  # fmt: skip
"""Exceptions that pdfminer raises for damaged files: its own, and those that it lets through."""

UNKNOWN = "\ufffd"
"""Placeholder for a character without a Unicode mapping in its font."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text with its place: points from the page's top left corner."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    """Font size in points: the median of the line's characters, to a tenth."""


@dataclass(frozen=True, slots=True)
class PageReading:
    """One page; `blocks` are pdfminer's text boxes in its reading order."""

    blocks: tuple[tuple[Line, ...], ...] = ()
    width: float | None = None
    height: float | None = None
    has_images: bool = False
    label: str | None = None
    problem: str | None = None
    """Why the page could not be read, or None."""
    unknown: int = field(default=0)
    """Number of characters without a Unicode mapping."""


class _Device(PDFPageAggregator):
    """Collects a page's layout; a character without a meaning becomes `UNKNOWN` instead of '(cid:7)'."""

    def handle_undefined_char(self, font: PDFFont, cid: int) -> str:
        return UNKNOWN


def open_document(data: bytes, *, password: str | None) -> PDFDocument:
    """Open a document over bytes; decrypt it if necessary.

    Raises:
        SourceEncrypted: a password is missing or wrong, or the encryption is not supported.
        SourceCorrupt: the bytes are not a PDF document that pdfminer can open.
    """
    try:
        return PDFDocument(PDFParser(io.BytesIO(data)), password=password or "")
    except PDFPasswordIncorrect as error:
        raise SourceEncrypted(
            "the document is encrypted" if password is None else "the password does not fit"
        ) from error
    except PDFEncryptionError as error:
        raise SourceEncrypted(
            f"the document is encrypted in a way that pdfminer cannot read: {error}",
            remedy="Save a copy without encryption in the program that made it",
        ) from error
    except BROKEN as error:
        raise SourceCorrupt(f"pdfminer cannot read it: {_reason(error)}") from error


def list_pages(document: PDFDocument, *, at_most: int | None) -> list[PDFPage]:
    """The pages, at most `at_most` + 1: a page tree can claim millions.

    Raises:
        SourceCorrupt: the page tree is broken.
    """
    found: list[PDFPage] = []
    try:
        for page in PDFPage.create_pages(document):
            found.append(page)
            if at_most is not None and len(found) > at_most:
                break
    except BROKEN as error:
        raise SourceCorrupt(f"pdfminer cannot read the page tree: {_reason(error)}") from error
    return found


def _reason(error: Exception) -> str:
    return str(error).rstrip(".") or type(error).__name__


def claimed_count(document: PDFDocument) -> int | None:
    """The page count stated by the page tree, or None."""
    try:
        count = resolve1(resolve1(document.catalog["Pages"])["Count"])
    except BROKEN:
        return None
    return count if isinstance(count, int) else None


class PageReader:
    """Reads pages; fonts are kept between them."""

    def __init__(self) -> None:
        resources = PDFResourceManager()
        # all_texts: text inside a form is text of the page, and would else be left out.
        self._device = _Device(resources, laparams=LAParams(all_texts=True))
        self._interpreter = PDFPageInterpreter(resources, self._device)

    def read(self, page: PDFPage) -> PageReading:
        """Read one page. If pdfminer fails, the reading is empty and has the reason."""
        label = page.label if isinstance(page.label, str) else None
        try:
            page.mediabox = page.cropbox
            self._interpreter.process_page(page)
            layout = self._device.get_result()
            blocks = tuple(block for box in _boxes(layout) if (block := _lines(box, layout)))
            return PageReading(
                blocks=blocks,
                width=layout.width or None,
                height=layout.height or None,
                has_images=_has_images(layout),
                label=label,
                unknown=sum(line.text.count(UNKNOWN) for block in blocks for line in block),
            )
        except BROKEN as error:
            return PageReading(label=label, problem=_reason(error))


def _boxes(container: LTContainer) -> Iterator[LTTextBox]:  # type: ignore[type-arg]  # pdfminer's parameter is bound to a private type
    for item in container:
        if isinstance(item, LTTextBox):
            yield item
        elif isinstance(item, LTContainer):
            yield from _boxes(item)


def _has_images(container: LTContainer) -> bool:  # type: ignore[type-arg]  # as above
    return any(
        isinstance(item, LTImage)
        or (isinstance(item, LTContainer) and not isinstance(item, LTTextBox) and _has_images(item))
        for item in container
    )


def _lines(box: LTTextBox, page: LTPage) -> tuple[Line, ...]:
    found = []
    for line in box:
        text = " ".join(without_control_signs(with_bullets(line.get_text())).split())
        if not isinstance(line, LTTextLine) or not text:
            continue
        sizes = sorted(char.size for char in line if isinstance(char, LTChar))
        found.append(
            Line(
                text=text.encode("utf-8", "replace").decode("utf-8"),
                left=round(line.x0 - page.x0, 2),
                top=round(page.y1 - line.y1, 2),
                right=round(line.x1 - page.x0, 2),
                bottom=round(page.y1 - line.y0, 2),
                size=round(sizes[len(sizes) // 2], 1) if sizes else 0.0,
            )
        )
    return tuple(found)


def read_metadata(document: PDFDocument) -> DocumentMetadata:
    """Title, author, date and language; subject, keywords and programs under `fields`."""
    entries: dict[str, str] = {}
    try:
        for info in reversed(document.info):
            entries |= {name: text for name, value in info.items() if (text := _text(value))}
        language = _text(document.catalog.get("Lang"))
    except BROKEN:
        return DocumentMetadata()
    names = ("Subject", "Keywords", "Creator", "Producer")
    return DocumentMetadata(
        title=entries.get("Title"),
        author=entries.get("Author"),
        date=iso_date(entries.get("CreationDate")) or iso_date(entries.get("ModDate")),
        language=language,
        fields={
            **{name.lower(): entries[name] for name in names if name in entries},
            **({"encrypted": True} if document.encryption else {}),
        },
    )


def _text(value: object) -> str | None:
    resolved = resolve1(value)
    text = decode_text(resolved) if isinstance(resolved, bytes) else resolved if isinstance(resolved, str) else ""
    return text.replace("\0", "").strip() or None
