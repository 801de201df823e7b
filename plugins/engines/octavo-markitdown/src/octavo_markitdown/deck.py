"""Converts presentations: exactly one page per slide, with notes, tables and chart data (CNV-8)."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from octavo_contracts import (
    ContentTooLarge,
    ConversionWarning,
    HiddenText,
    Page,
    SourceCorrupt,
    ToolUnavailable,
)

from .deck_text import mark_up, with_gaps
from .engine import INSTALL, PLUGIN, run_engine
from .formats import Format
from .office_package import OfficePackage
from .pages import Reading, short_images
from .pipe_tables import PIPE_STAND_IN, read_tables

if TYPE_CHECKING:
    from pptx.presentation import Presentation
    from pptx.shapes.base import BaseShape
    from pptx.slide import Slide

_MARK = re.compile(r"^<!-- Slide number: (\d+) -->$", re.MULTILINE)
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_BROKEN = (KeyError, ValueError, TypeError, AttributeError, IndexError, AssertionError)
_TINY_HUNDREDTHS = 200
"""Text of 2 points and less cannot be read; sizes are hundredths of a point."""


def read_deck(data: bytes, *, form: Format, media_type: str, max_pages: int) -> Reading:
    """Convert a pptx or pptm, a page a slide; an empty slide is an empty page.

    Raises:
        SourceCorrupt, SourceEncrypted, ContentTooLarge: see `OfficePackage`; or more slides than `max_pages`.
    """
    package = OfficePackage(data)
    package.refuse_doctypes()
    with _deck_errors():
        deck = _open(data)
        slides = list(deck.slides)
        if len(slides) > max_pages:
            raise ContentTooLarge(f"the deck has {len(slides)} slides, more than {max_pages}", plugin=PLUGIN)
        if not slides:
            raise SourceCorrupt("the deck has no slide", plugin=PLUGIN)
        hidden = [tuple(_take_hidden(slide, deck)) for slide in slides]
        labels = [_label(slide) for slide in slides]
        for slide in slides:
            _stand_in_for_pipes(slide)
            mark_up(slide)
        bodies = _bodies(deck, form=form, media_type=media_type)
        pages = tuple(
            _page(label, body, number=number, hidden_text=hidden[number - 1])
            for number, (label, body) in enumerate(zip(labels, bodies, strict=True), start=1)
        )
        warnings = [warning for number, slide in enumerate(slides, start=1) for warning in _warnings(slide, number)]
    if package.has_macros:
        message = "The deck carries macros; they were not run."
        warnings.append(ConversionWarning(code="active_content", message=message))
    return Reading(pages=pages, metadata=package.core_properties(), warnings=tuple(warnings))


@contextmanager
def _deck_errors() -> Iterator[None]:
    """Turn what python-pptx raises on contradictory bytes into a typed error."""
    try:
        from lxml.etree import LxmlError
        from pptx.exc import PythonPptxError
    except ImportError as error:
        raise ToolUnavailable(f"python-pptx cannot be imported: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    try:
        yield
    except (PythonPptxError, LxmlError, zipfile.BadZipFile, *_BROKEN) as error:
        raise SourceCorrupt(f"the deck cannot be read: {type(error).__name__}: {error}", plugin=PLUGIN) from error


def _open(data: bytes) -> Presentation:
    import pptx

    return pptx.Presentation(io.BytesIO(data))


def _bodies(deck: Presentation, *, form: Format, media_type: str) -> list[str]:
    """The markdown of each slide.

    The engine marks slides with comment lines. Should a slide's own text hold such a line, the marks no longer tell
    slides apart, and each slide is converted by itself.
    """
    count = len(deck.slides)
    markdown = run_engine(_saved(deck), form=form, media_type=media_type).markdown
    pieces = _MARK.split(markdown)
    if [int(number) for number in pieces[1::2]] == list(range(1, count + 1)) and not pieces[0].strip():
        return pieces[2::2]
    return [_alone(deck, index, form=form, media_type=media_type) for index in range(count)]


def _alone(deck: Presentation, index: int, *, form: Format, media_type: str) -> str:
    """The markdown of one slide, the others left out of the deck meanwhile."""
    listing = deck.slides._sldIdLst
    entries = list(listing)
    for place, entry in enumerate(entries):
        if place != index:
            listing.remove(entry)
    markdown = run_engine(_saved(deck), form=form, media_type=media_type).markdown
    for entry in list(listing):
        listing.remove(entry)
    listing.extend(entries)
    return _MARK.sub("", markdown, count=1)


def _saved(deck: Presentation) -> bytes:
    buffer = io.BytesIO()
    deck.save(buffer)
    return buffer.getvalue()


def _label(slide: Slide) -> str:
    title = slide.shapes.title
    return " ".join((title.text_frame.text or "").split()) if title is not None else ""


def _page(label: str, body: str, *, number: int, hidden_text: tuple[HiddenText, ...]) -> Page:
    """Return the page of a slide. A slide without a title has no heading: its text has no words but the slide's own."""
    markdown, tables = read_tables(with_gaps(short_images(body).strip()))
    return Page(
        number=number,
        label=label or None,
        kind="slide",
        markdown=f"{markdown}\n" if markdown else "",
        tables=tables,
        hidden_text=hidden_text,
        has_images="![" in markdown,
    )


def _take_hidden(slide: Slide, deck: Presentation) -> Iterator[HiddenText]:
    """Remove content that is invisible to the audience: hidden shapes, shapes off the slide, tiny runs."""
    for shape in list(slide.shapes):
        properties = next(shape.element.iter("{*}cNvPr"), None)
        off_page = _off_page(shape, deck)
        if off_page or (properties is not None and properties.get("hidden") in ("1", "true")):
            text = "\n".join(_texts(shape.element))
            parent = shape.element.getparent()
            if parent is not None:
                parent.remove(shape.element)
            if text.strip():
                yield HiddenText(text=text, why="off_page" if off_page else "hidden_style")
    for run in list(slide.element.iter(f"{_A}r")):
        size = run.find(f"{_A}rPr")
        if size is not None and 0 < int(size.get("sz") or 0) <= _TINY_HUNDREDTHS:
            text = "".join(node.text or "" for node in run.iter(f"{_A}t"))
            run.getparent().remove(run)
            if text.strip():
                yield HiddenText(text=text, why="tiny")


def _off_page(shape: BaseShape, deck: Presentation) -> bool:
    sides = (shape.left, shape.top, shape.width, shape.height, deck.slide_width, deck.slide_height)
    if any(side is None for side in sides):
        return False
    left, top, width, height, slide_width, slide_height = (int(side or 0) for side in sides)
    return left + width < 0 or top + height < 0 or left > slide_width or top > slide_height


def _texts(element: object) -> Iterator[str]:
    for paragraph in element.iter(f"{_A}p"):  # type: ignore[attr-defined]  # an lxml element; python-pptx has no types
        yield "".join(node.text or "" for node in paragraph.iter(f"{_A}t"))


def _stand_in_for_pipes(slide: Slide) -> None:
    for cell in slide.element.iter(f"{_A}tc"):
        for node in cell.iter(f"{_A}t"):
            if node.text and "|" in node.text:
                node.text = node.text.replace("|", PIPE_STAND_IN)


def _warnings(slide: Slide, number: int) -> Iterator[ConversionWarning]:
    if slide.element.get("show") in ("0", "false"):
        yield ConversionWarning(
            code="hidden_slide", message="The slide is skipped when the deck is shown; it was converted.", page=number
        )
    kinds = {relation.reltype.rpartition("/")[2] for relation in slide.part.rels.values()}
    if kinds & {"comments", "comment"}:
        yield ConversionWarning(code="partial_conversion", message="Comments on the slide are not read.", page=number)
    if "diagramData" in kinds:
        yield ConversionWarning(code="partial_conversion", message="Text of a diagram is not read.", page=number)
