"""Which paragraphs of a slide are items of a list: by their own marks, or by the styles of the shape, the layout and the master."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from .package import Package, attribute, local

if TYPE_CHECKING:
    from lxml.etree import _Element

_OUTLINES = ("", "body", "obj")
"""Kinds of placeholders whose style is the master's for bodies."""
_MARKS = ("buChar", "buAutoNum", "buBlip", "buNone")
_DEEPEST = 9


class SlideLists:
    """The list styles of the slides of a presentation.

    Args:
        package: the presentation.
    """

    def __init__(self, package: Package) -> None:
        self._package = package
        self._layouts: dict[str, tuple[_Element, ...]] = {}

    def is_item(self, paragraph: _Element, shape: _Element, slide: str) -> bool:
        """Return whether a paragraph has a bullet or a number.

        Args:
            paragraph: the paragraph.
            shape: the shape that it stands in.
            slide: member of the slide.
        """
        level = f"{{*}}lvl{level_of(paragraph)}pPr"
        inherited = (style.find(level) for style in self._styles(shape, slide))
        for properties in chain([paragraph.find("{*}pPr")], inherited):
            children = () if properties is None else properties.iterchildren("{*}*")
            marks = [name for name in map(local, children) if name in _MARKS]
            if marks:
                return marks[0] != "buNone"
        return False

    def _styles(self, shape: _Element, slide: str) -> Iterator[_Element]:
        """Yield the list styles that apply to a shape, nearest first."""
        yield from shape.iterfind("{*}txBody/{*}lstStyle")
        kind = placeholder(shape)
        if kind is None:
            return
        for part in self._package.related(slide, "slideLayout"):
            layout, *masters = self._layout(part)
            for other in layout.iter("{*}sp"):
                if placeholder(other) is not None and _index(other) == _index(shape):
                    yield from other.iterfind("{*}txBody/{*}lstStyle")
            for master in masters:
                for other in master.iter("{*}sp"):
                    if placeholder(other) == ("body" if kind in _OUTLINES else kind):
                        yield from other.iterfind("{*}txBody/{*}lstStyle")
                yield from master.iterfind(f"{{*}}txStyles/{{*}}{'bodyStyle' if kind in _OUTLINES else 'otherStyle'}")

    def _layout(self, part: str) -> tuple[_Element, ...]:
        """Return a layout and its masters, which many slides share."""
        if part not in self._layouts:
            masters = map(self._package.tree, self._package.related(part, "slideMaster"))
            self._layouts[part] = self._package.tree(part), *masters
        return self._layouts[part]


def level_of(paragraph: _Element) -> int:
    """Return a paragraph's level, 1 for the outermost."""
    level = attribute(paragraph.find("{*}pPr"), "lvl")
    return min(_DEEPEST, int(level) + 1) if level.isdecimal() else 1


def placeholder(shape: _Element) -> str | None:
    """Return the kind of a shape's placeholder, '' for the default kind; None for a shape that is no placeholder."""
    holder = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
    return None if holder is None else holder.get("type", "")


def _index(shape: _Element) -> str:
    """Return the number by which a placeholder is found in the layout."""
    holder = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
    return "" if holder is None else holder.get("idx", "0")
