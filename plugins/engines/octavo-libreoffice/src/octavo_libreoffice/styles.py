"""Reads the styles of an OpenDocument file: hidden text, headings and emphasis."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from octavo_contracts.authoring.open_document_labels import item_labels
from octavo_contracts.authoring.open_document_visibility import Why, hiding_styles

from .package import Answer, tag

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEADING = re.compile(r"^(?:Title|Heading_20_([1-6]))$")
_MONOSPACED = re.compile(
    r"courier|consolas|mono(?!type)|menlo|monaco|lucida console|source code|fira code|andale", re.IGNORECASE
)
_DEEPEST = 20
"""Styles based on styles; a ring of them ends here."""


class Styles:
    """The styles of a document.

    Args:
        answer: the container.
        content: root of its `content.xml`.

    Attributes:
        labels: list items, and headings in no list, that show a number → their labels.
    """

    def __init__(self, answer: Answer, content: _Element) -> None:
        self._styles: dict[str, _Element] = {}
        common = answer.tree("styles.xml")
        self._hiding = hiding_styles(content, common)
        self.labels: dict[_Element, str] = item_labels(content, common)
        for root in (common, content):
            for style in root.iter(tag("style:style")) if root is not None else ():
                self._styles[style.get(tag("style:name"), "")] = style

    def _value(self, name: str | None, kind: str, attribute: str) -> str | None:
        """An attribute of a style's properties, or of the nearest style it is based on that has it."""
        for _ in range(_DEEPEST):
            style = self._styles.get(name or "")
            if style is None:
                return None
            properties = style.find(tag(f"style:{kind}-properties"))
            if properties is not None and (value := properties.get(tag(attribute))) is not None:
                return value
            name = style.get(tag("style:parent-style-name"))
        return None

    def hides(self, name: str | None, *, white: bool) -> Why | None:
        """How a style hides its text.

        Args:
            name: of the style of a span or paragraph.
            white: whether white type counts as hidden: not on slides and in cells, where the ground may be dark.
        """
        why = self._hiding.get(name or "")
        return None if why == "white" and not white else why

    def script(self, name: str | None) -> Literal["sup", "sub"] | None:
        """Whether text of a style is raised or lowered: 'sup', 'sub', or None."""
        position = (self._value(name, "text", "style:text-position") or "").split(" ")[0]
        if position.startswith(("sub", "-")):
            return "sub"
        return "sup" if position not in ("", "0%") else None

    def heading(self, name: str | None) -> int | None:
        """The level of a paragraph style that is "Title", a heading, or based on one; None for any other."""
        for _ in range(_DEEPEST):
            if name is None:
                return None
            if found := _HEADING.match(name):
                return int(found[1] or 1)
            style = self._styles.get(name)
            name = style.get(tag("style:parent-style-name")) if style is not None else None
        return None

    def marks(self, name: str | None) -> tuple[str, ...]:
        """The markdown marks of a span's style, outermost first: struck out, bold, italic."""
        marks = []
        if (self._value(name, "text", "style:text-line-through-style") or "none") != "none":
            marks.append("~~")
        weight = self._value(name, "text", "fo:font-weight") or "normal"
        if weight == "bold" or (weight.isdecimal() and int(weight) >= 600):
            marks.append("**")
        if self._value(name, "text", "fo:font-style") in ("italic", "oblique"):
            marks.append("*")
        return tuple(marks)

    def is_code(self, name: str | None) -> bool:
        """Whether text of a span's style is set in a monospaced font."""
        fonts = (self._value(name, "text", attribute) for attribute in ("style:font-name", "fo:font-family"))
        return any(font and _MONOSPACED.search(font) for font in fonts)

    def slide_hidden(self, name: str | None) -> bool:
        """Whether a slide of that style is left out when the deck is shown."""
        return self._value(name, "drawing-page", "presentation:visibility") == "hidden"

    def sheet_hidden(self, name: str | None) -> bool:
        """Whether a sheet of that style is hidden."""
        return self._value(name, "table", "table:display") == "false"
