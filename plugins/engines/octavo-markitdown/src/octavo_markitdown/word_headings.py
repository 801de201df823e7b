"""Paragraph styles of Word that are headings under another name: the engine knows headings by the name alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .word_styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEADING = re.compile(r"^heading ([1-9])$", re.IGNORECASE)
_LOWEST = 6
_NO_LEVEL = 9
"""Outline level of body text (ECMA-376, 17.3.1.20)."""
_MOST_ANCESTORS = 20
"""Styles that a style may be based on in a row; a damaged file may hold a circle."""


def name_headings(styles: _Element) -> None:
    """Give "Title", and styles that are based on a heading, the name of a heading.

    The level is the outline level of the style or of the nearest style that it is based on; where that is deeper than
    markdown's levels, the level of the heading that it is based on. A style of the outline level of body text is no
    heading.

    Args:
        styles: root of the styles part; changed in place.
    """
    known = {style.get(f"{W}styleId", ""): style for style in styles.iter(f"{W}style")}
    levels = {key: level for key, style in known.items() if (level := _level(style, known)) is not None}
    for key, level in levels.items():
        name = known[key].find(f"{W}name")
        if name is not None:
            name.set(f"{W}val", f"heading {level}")


def _level(style: _Element, known: dict[str, _Element]) -> int | None:
    """The level of a style that is a heading under another name, from 1; None for any other."""
    if style.get(f"{W}type", "paragraph") != "paragraph" or _HEADING.match(_name(style)):
        return None
    if _name(style).lower() == "title":
        return 1
    outline: int | None = None
    one: _Element | None = style
    for _ in range(_MOST_ANCESTORS):
        if one is None:
            return None
        if outline is None:
            outline = _outline(one)
        if found := _HEADING.match(_name(one)):
            if outline == _NO_LEVEL:
                return None
            return outline + 1 if outline is not None and outline < _LOWEST else min(_LOWEST, int(found[1]))
        base = one.find(f"{W}basedOn")
        one = known.get(base.get(f"{W}val", "")) if base is not None else None
    return None


def _name(style: _Element) -> str:
    name = style.find(f"{W}name")
    return name.get(f"{W}val", "") if name is not None else ""


def _outline(style: _Element) -> int | None:
    level = style.find(f"{W}pPr/{W}outlineLvl")
    value = level.get(f"{W}val", "") if level is not None else ""
    return int(value) if value.isdecimal() and len(value) < 3 else None
