"""Converts presentations: exactly one page per slide, with notes, comments, tables and chart data (CNV-8).

The slides are read from the package by python-pptx, not by MarkItDown's own converter, which keeps neither bullets, levels,
links, emphasis, code nor comments, and gives scatter charts as empty tables.
"""

from __future__ import annotations

import io
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
from octavo_contracts.authoring.containers import DAMAGED

from .engine import INSTALL, PLUGIN
from .office_package import OfficePackage
from .pages import Reading
from .slide_blocks import read_body, resolve_alternatives
from .slide_remarks import authors_of, comments_of
from .slide_styles import SlideStyles
from .slide_text import SlideText

if TYPE_CHECKING:
    from pptx.presentation import Presentation
    from pptx.shapes.base import BaseShape
    from pptx.slide import Slide

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_BROKEN = (KeyError, ValueError, TypeError, AttributeError, IndexError, AssertionError)
_TINY_HUNDREDTHS = 200
"""Text of 2 points and less cannot be read; sizes are hundredths of a point."""


def read_deck(data: bytes, *, max_pages: int) -> Reading:
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
        if not slides:  # a template has layouts alone
            return Reading(markdown="", metadata=package.core_properties())
        for slide in slides:
            resolve_alternatives(slide)
        hidden = [tuple(_take_hidden(slide, deck)) for slide in slides]
        authors = authors_of(deck)
        size = int(deck.slide_width or 0), int(deck.slide_height or 0)
        read = [
            _read(slide, number=number, size=size, authors=authors, hidden_text=hidden[number - 1])
            for number, slide in enumerate(slides, start=1)
        ]
        pages = tuple(page for page, _ in read)
        warnings = [warning for _, found in read for warning in found]
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
    except (PythonPptxError, LxmlError, *DAMAGED, *_BROKEN) as error:
        raise SourceCorrupt(f"the deck cannot be read: {type(error).__name__}: {error}", plugin=PLUGIN) from error


def _open(data: bytes) -> Presentation:
    import pptx

    return pptx.Presentation(io.BytesIO(data))


def _read(
    slide: Slide, *, number: int, size: tuple[int, int], authors: dict[str, str], hidden_text: tuple[HiddenText, ...]
) -> tuple[Page, list[ConversionWarning]]:
    body = read_body(slide, number=number, size=size)
    blocks = [*body.blocks, *_notes(slide), *_comments(slide, authors)]
    if body.title or blocks:
        # Each slide with content has a heading, so that a list of headings is a list of slides (CNV-8).
        blocks.insert(0, f"# {body.title or f'Slide {number}'}")
    markdown = "\n\n".join(blocks)
    page = Page(
        number=number,
        label=_label(slide) or None,
        kind="slide",
        markdown=f"{markdown}\n" if markdown else "",
        tables=tuple(body.tables),
        hidden_text=hidden_text,
        has_images=body.has_images,
    )
    return page, [*_warnings(slide, number), *body.warnings]


def _label(slide: Slide) -> str:
    title = slide.shapes.title
    return " ".join((title.text_frame.text or "").split()) if title is not None else ""


def _notes(slide: Slide) -> list[str]:
    """The notes of the speaker under a label, which is no heading: the document has none there."""
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if frame is None:
        return []
    text = SlideText(SlideStyles(slide), slide.notes_slide.part)
    blocks = text.blocks(frame._txBody)
    return ["**Notes:**", *blocks] if blocks else []


def _comments(slide: Slide, authors: dict[str, str]) -> list[str]:
    lines = [remark.line() for remark in comments_of(slide, authors) if remark.text]
    return ["**Comments:**", "\n".join(lines)] if lines else []


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


def _warnings(slide: Slide, number: int) -> Iterator[ConversionWarning]:
    if slide.element.get("show") in ("0", "false"):
        yield ConversionWarning(
            code="hidden_slide", message="The slide is skipped when the deck is shown; it was converted.", page=number
        )
