"""Styles of OpenDocument files whose text a reader cannot see (ENG-23)."""

from __future__ import annotations

from typing import Any, Literal

Why = Literal["hidden_style", "white", "tiny"]
TINY_POINTS = 2.0
"""Font size up to which text cannot be read."""
_NS = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_TEXT, _STYLE, _FORMAT = _NS % "text", _NS % "style", _NS % "xsl-fo-compatible"
_DEEPEST = 20
"""Styles based on styles; a ring of them ends here."""


def hiding_styles(content: Any, styles: Any | None) -> dict[str, Why]:
    """Return the styles that hide text, each with how: not displayed, too small, or white on a ground that is not coloured.

    Args:
        content: root element of `content.xml`, of lxml or of `xml.etree`.
        styles: root element of `styles.xml`, or None.
    """
    known = {
        style.get(f"{_STYLE}name", ""): style
        for root in (styles, content)
        if root is not None
        for style in root.iter(f"{_STYLE}style")
    }
    found = ((name, _why(known, name)) for name in known)
    return {name: why for name, why in found if why is not None}


def _why(known: dict[str, Any], name: str) -> Why | None:
    if _value(known, name, "text", f"{_TEXT}display") == "none":
        return "hidden_style"
    size = _value(known, name, "text", f"{_FORMAT}font-size") or ""
    if size.endswith("pt") and size[:-2].replace(".", "", 1).isdigit() and float(size[:-2]) <= TINY_POINTS:
        return "tiny"
    if (_value(known, name, "text", f"{_FORMAT}color") or "").lower() != "#ffffff":
        return None
    grounds = (_value(known, name, kind, f"{_FORMAT}background-color") for kind in ("text", "paragraph"))
    return None if any(ground not in (None, "transparent", "#ffffff") for ground in grounds) else "white"


def _value(known: dict[str, Any], name: str | None, kind: str, attribute: str) -> str | None:
    """Return an attribute of a style's properties, or of the nearest style it is based on that has it."""
    for _ in range(_DEEPEST):
        style = known.get(name or "")
        if style is None:
            return None
        properties = style.find(f"{_STYLE}{kind}-properties")
        if properties is not None and (value := properties.get(attribute)) is not None:
            return str(value)
        name = style.get(f"{_STYLE}parent-style-name")
    return None
