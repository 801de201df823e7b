"""What a slide's paragraphs inherit from shape, layout and master: whether they have a bullet or a number (CNV-8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element
    from pptx.slide import Slide

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
TITLES = frozenset({"title", "ctrTitle"})
_OUTLINES = frozenset({"", "body", "obj", "subTitle"})
"""Placeholders whose text has the master's style of the body."""
_BULLETS = tuple(f"{A}{name}" for name in ("buNone", "buChar", "buAutoNum", "buBlip"))


class SlideStyles:
    """The list styles of a slide's shapes.

    Args:
        slide: the slide; its layout and master are read.
    """

    def __init__(self, slide: Slide) -> None:
        layout = slide.slide_layout
        self._layout = {index_of(shape): shape for shape in layout.element.iter(f"{P}sp") if kind_of(shape) is not None}
        master = layout.slide_master.element
        self._master = {kind_of(shape): shape for shape in master.iter(f"{P}sp")}
        self._texts = master.find(f"{P}txStyles")

    def bullet(self, paragraph: _Element, shape: _Element | None) -> _Element | None:
        """Return the element that gives a paragraph its mark: `buChar`, `buAutoNum` or `buBlip`; None if it has none.

        Args:
            paragraph: the paragraph.
            shape: shape of the slide that it stands in; None for text that inherits nothing.
        """
        for properties in self._properties(paragraph, shape):
            for child in properties:
                if child.tag in _BULLETS:
                    return None if child.tag == f"{A}buNone" else child
        return None

    def _properties(self, paragraph: _Element, shape: _Element | None) -> Iterator[_Element]:
        """The properties that apply to a paragraph, nearest first."""
        own = paragraph.find(f"{A}pPr")
        if own is not None:
            yield own
        if shape is None:
            return
        level = f"{A}lvl{level_of(paragraph) + 1}pPr"
        kind = kind_of(shape)
        holders = [shape.find(f"{P}txBody/{A}lstStyle")]
        if kind is not None:
            layout, master = self._layout.get(index_of(shape)), self._master.get(_of_master(kind))
            holders += [one.find(f"{P}txBody/{A}lstStyle") for one in (layout, master) if one is not None]
        if self._texts is not None:
            style = "titleStyle" if kind in TITLES else "bodyStyle" if kind in _OUTLINES else "otherStyle"
            holders.append(self._texts.find(f"{P}{style}"))
        for holder in holders:
            found = holder.find(level) if holder is not None else None
            if found is not None:
                yield found


def kind_of(shape: _Element) -> str | None:
    """Return the kind of a shape's placeholder, '' for the default kind; None for a shape that is no placeholder."""
    holder = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
    return None if holder is None else holder.get("type", "")


def index_of(shape: _Element) -> str:
    """Return the number by which a placeholder is found in the layout."""
    holder = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
    return "" if holder is None else holder.get("idx", "0")


def level_of(paragraph: _Element) -> int:
    """Return a paragraph's level, 0 for the outermost."""
    properties = paragraph.find(f"{A}pPr")
    said = properties.get("lvl", "0") if properties is not None else "0"
    return min(8, int(said)) if said.isdecimal() else 0


def _of_master(kind: str) -> str:
    return "body" if kind in _OUTLINES else "title" if kind in TITLES else kind
