"""Tests whether an annotation can be visible according to its dictionary, before it is rendered."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .pdfium_text import entry, put

Colour = tuple[float, float, float]
"""Red, green and blue from 0 to 1."""
FAINT = 0.1
"""Two colours that differ by less in each component look the same."""
WHITE: Colour = (1.0, 1.0, 1.0)
_TINY = 1.0
"""Minimum font size in points; a size of 0 means automatic."""
_NARROW = 2.0
"""Minimum size in points of the visible part of a rectangle; smaller ones cannot be read."""
_OPACITY = 0.1
_PARTS = {"g": 1, "rg": 3, "k": 4}
"""Fill colour operators → number of operands."""
_LONG = 40
"""Numbers have fewer characters than this."""
_MAX_STYLE = 100_000
"""Maximum length of style and rich text in characters; longer ones count as hiding text."""
_STYLED = re.compile(r"(?<![\w-])(color|font-size|font|display|visibility)\s*:\s*([^;\"'<>]{1,200})")
_STYLED_SIZE = re.compile(r"(?<![\w.#-])(\d*\.?\d+)\s*(?:pt|px|em)")


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in points, its sides in order."""

    left: float
    bottom: float
    right: float
    top: float


def colours(operators: str) -> list[Colour]:
    """Return the fill colours that PDF operators set, in order."""
    tokens = operators.split()
    found = []
    for place, operator in enumerate(tokens):
        count = _PARTS.get(operator, 0)
        if not 0 < count <= place:
            continue
        parts = [min(max(_number(token), 0.0), 1.0) for token in tokens[place - count : place]]
        if count == 4:
            parts = [(1 - part) * (1 - parts[3]) for part in parts[:3]]
        red, green, blue = parts * 3 if count == 1 else parts
        found.append((red, green, blue))
    return found


def _number(token: str) -> float:
    """Parse a number; return 0 if it is invalid."""
    try:
        return float(token) if len(token) < _LONG and not token.isalpha() else 0.0
    except ValueError:
        return 0.0


def differ(one: Colour, other: Colour) -> bool:
    """Return whether two colours are visibly different."""
    return any(abs(first - second) > FAINT for first, second in zip(one, other, strict=True))


def settle_colour(annotation: Any) -> None:
    """Keep only the last colour of an appearance string, since pdfium renders with the first. The file is unchanged."""
    tokens = entry(annotation, b"DA").split()
    places = [place for place, token in enumerate(tokens) if 0 < _PARTS.get(token, 0) <= place]
    if len(places) > 1:
        colour = {place - back for place in places for back in range(_PARTS[tokens[place]] + 1)}
        last = tokens[places[-1] - _PARTS[tokens[places[-1]]] : places[-1] + 1]
        put(annotation, b"DA", " ".join([token for place, token in enumerate(tokens) if place not in colour] + last))


def place_of(annotation: Any) -> Box | None:
    """Return the rectangle of an annotation."""
    import pypdfium2.raw as raw

    box = raw.FS_RECTF()
    if not raw.FPDFAnnot_GetRect(annotation, box):
        return None
    (left, right), (bottom, top) = sorted((box.left, box.right)), sorted((box.bottom, box.top))
    return Box(left, bottom, right, top)


def may_be_seen(annotation: Any, box: Box | None, shown: Box) -> bool:
    """Return whether an annotation is shown, within the page, and not transparent.

    Args:
        annotation: a field or a text box.
        box: its rectangle.
        shown: the visible part of the page.
    """
    import pypdfium2.raw as raw

    if raw.FPDFAnnot_GetFlags(annotation) & (raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW):
        return False
    if box is None or raw.FPDFAnnot_HasKey(annotation, b"OC"):
        return False  # pdfium does not report whether its layer is visible
    width = min(box.right, shown.right) - max(box.left, shown.left)
    height = min(box.top, shown.top) - max(box.bottom, shown.bottom)
    if not (width >= _NARROW and height >= _NARROW):
        return False
    opacity = ctypes.c_float(1.0)
    return not raw.FPDFAnnot_GetNumberValue(annotation, b"CA", opacity) or opacity.value >= _OPACITY


def is_tiny(form: Any, annotation: Any) -> bool:
    """Return whether its text is too small to read, by its own appearance string or an inherited one.

    Args:
        form: pdfium's form environment, with the page's fields loaded.
        annotation: a field or a text box.
    """
    import pypdfium2.raw as raw

    size = ctypes.c_float(0.0)
    if raw.FPDFAnnot_GetFontSize(form, annotation, size) and 0 < abs(size.value) < _TINY:
        return True
    tokens = entry(annotation, b"DA").split()
    return any(operator == "Tf" and 0 < abs(_number(size)) < _TINY for size, operator in pairwise(tokens))


def styles_hide(annotation: Any) -> bool:
    """Return whether the style of a text box may hide text: white text without a background, or a tiny font."""
    styles = f"{entry(annotation, b'DS')};{entry(annotation, b'RC')}".lower()
    if len(styles) > _MAX_STYLE:
        return True
    for match in _STYLED.finditer(styles):
        key, value = match[1], match[2].strip()
        if key == "color" and not differ(_styled(value), WHITE) and not _has_colour(annotation):
            return True
        if key.startswith("font") and any(float(size) < _TINY for size in _STYLED_SIZE.findall(value)):
            return True
        if key in ("display", "visibility") and value in ("none", "hidden"):
            return True
    return False


def colour_of(form: Any, annotation: Any) -> Colour:
    """Return the text colour of a field, its own or inherited; white if unknown."""
    import pypdfium2.raw as raw

    parts = [ctypes.c_uint() for _ in range(3)]
    if not raw.FPDFAnnot_GetFontColor(form, annotation, *parts):
        return WHITE
    return (parts[0].value / 255, parts[1].value / 255, parts[2].value / 255)


def _styled(value: str) -> Colour:
    """Parse a CSS colour; names other than white count as black."""
    if re.fullmatch(r"#(?:[0-9a-f]{3}){1,2}", value):
        digits = value[1:] if len(value) == 7 else "".join(2 * digit for digit in value[1:])
        return (int(digits[:2], 16) / 255, int(digits[2:4], 16) / 255, int(digits[4:], 16) / 255)
    if value.startswith("rgb"):
        scale = 100 if "%" in value else 255
        numbers = [float(part) for part in re.findall(r"\d*\.?\d+", value)[:4]]
        parts = [number / scale for number in numbers]
        if len(numbers) == 4 and numbers[3] < _OPACITY:
            return WHITE
        return (parts[0], parts[1], parts[2]) if len(parts) >= 3 else WHITE
    return WHITE if value in ("white", "transparent", "snow", "ivory", "ghostwhite") else (0.0, 0.0, 0.0)


def _has_colour(annotation: Any) -> bool:
    """Return whether the text box has a background colour other than white."""
    import pypdfium2.raw as raw

    parts = [ctypes.c_uint() for _ in range(4)]
    if not raw.FPDFAnnot_HasKey(annotation, b"C"):
        return False
    if not raw.FPDFAnnot_GetColor(annotation, raw.FPDFANNOT_COLORTYPE_Color, *parts):
        return False
    return differ((parts[0].value / 255, parts[1].value / 255, parts[2].value / 255), WHITE)
