"""Determines whether a Word run is visible, from direct formatting, styles and defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .office_package import OfficePackage

if TYPE_CHECKING:
    from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"

Hidden = Literal["hidden_style", "tiny", "white"]

TINY_HALF_POINTS = 4
"""Text of 2 points and less cannot be read."""

_OFF = ("0", "false", "off")
_NO_FILL = ("", "auto", "ffffff")
_PLAIN_TABLES = ("", "TableGrid", "TableNormal")
_LONGEST_CHAIN = 12


@dataclass(frozen=True, kw_only=True)
class Look:
    """Properties that hide text; None where they are not said.

    Attributes:
        vanish: Word's own "hidden".
        half_points: font size.
        colour: six hex digits, lower case.
        filled: whether its background is another color than white.
    """

    vanish: bool | None = None
    half_points: int | None = None
    colour: str | None = None
    filled: bool | None = None

    def over(self, other: Look) -> Look:
        """This look where it says something, the other elsewhere."""
        return Look(
            vanish=other.vanish if self.vanish is None else self.vanish,
            half_points=other.half_points if self.half_points is None else self.half_points,
            colour=other.colour if self.colour is None else self.colour,
            filled=other.filled if self.filled is None else self.filled,
        )


class Styles:
    """The looks that a document's styles give."""

    def __init__(self, package: OfficePackage, main_part: str) -> None:
        self._styles: dict[str, _Element] = {}
        self._defaults = Look()
        self._default_paragraph = ""
        for part in package.related(main_part, "styles")[:1]:
            root = package.tree(part)
            self._defaults = look_of(root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr"))
            for style in root.iter(f"{W}style"):
                name = style.get(f"{W}styleId", "")
                self._styles[name] = style
                if style.get(f"{W}type") == "paragraph" and style.get(f"{W}default") in ("1", "true"):
                    self._default_paragraph = name

    def hides(self, run: _Element) -> Hidden | None:
        """Why a reader cannot see a run, or None where it can.

        White counts only where nothing is behind it that could make it visible: no shading, no highlight, no table
        style, no text box.
        """
        look = look_of(run.find(f"{W}rPr"))
        look = look.over(self._styled(_value(run, f"{W}rPr/{W}rStyle")))
        paragraph = next(run.iterancestors(f"{W}p"), None)
        if paragraph is not None:
            name = _value(paragraph, f"{W}pPr/{W}pStyle") or self._default_paragraph
            look = look.over(Look(filled=_filled(paragraph.find(f"{W}pPr")) or None)).over(self._styled(name))
        look = look.over(self._defaults)
        if look.vanish:
            return "hidden_style"
        if look.half_points is not None and look.half_points <= TINY_HALF_POINTS:
            return "tiny"
        return "white" if look.colour == "ffffff" and not look.filled and not _stands_on_something(run) else None

    def _styled(self, name: str | None) -> Look:
        look = Look()
        for _ in range(_LONGEST_CHAIN):
            style = self._styles.get(name or "")
            if style is None:
                break
            look = look.over(look_of(style.find(f"{W}rPr"))).over(Look(filled=_filled(style.find(f"{W}pPr")) or None))
            name = _value(style, f"{W}basedOn")
        return look


def look_of(properties: _Element | None) -> Look:
    """The look that a `w:rPr` gives."""
    if properties is None:
        return Look()
    vanish = properties.find(f"{W}vanish")
    colour = _value(properties, f"{W}color")
    size = _value(properties, f"{W}sz") or ""
    return Look(
        vanish=None if vanish is None else vanish.get(f"{W}val", "true") not in _OFF,
        half_points=int(size) if size.isascii() and size.isdigit() else None,
        colour=colour.lower() if colour else None,
        filled=_filled(properties) or None,
    )


def _filled(properties: _Element | None) -> bool:
    if properties is None:
        return False
    shading = properties.find(f"{W}shd")
    if shading is not None:
        themed = shading.get(f"{W}themeFill") is not None
        if themed or shading.get(f"{W}fill", "").lower() not in _NO_FILL or "solid" in shading.get(f"{W}val", ""):
            return True
    return (_value(properties, f"{W}highlight") or "none") not in ("none", "white")


def _stands_on_something(run: _Element) -> bool:
    """Return whether a table cell, a text box or the page may give a run a background."""
    for ancestor in run.iterancestors():
        if ancestor.tag == f"{W}txbxContent":
            return True
        if ancestor.tag == f"{W}tc" and _filled(ancestor.find(f"{W}tcPr")):
            return True
        if ancestor.tag == f"{W}tbl":
            style = _value(ancestor, f"{W}tblPr/{W}tblStyle") or ""
            if style not in _PLAIN_TABLES or _filled(ancestor.find(f"{W}tblPr")):
                return True
    return run.getroottree().getroot().find(f"{W}background") is not None


def _value(element: _Element, path: str) -> str | None:
    found = element.find(path)
    return None if found is None else found.get(f"{W}val")
