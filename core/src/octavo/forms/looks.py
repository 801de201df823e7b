"""What an annotation's dictionary says of whether a reader sees it, before it is drawn."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from typing import Any

from .asking import entry, put

Colour = tuple[float, float, float]
"""Red, green and blue from 0 to 1."""
FAINT = 0.1
"""Two colours that differ by less in each part are one for a reader."""
WHITE: Colour = (1.0, 1.0, 1.0)
_TINY = 1.0
"""Points of a font; a size of 0 stands for one that fits the field."""
_NARROW = 2.0
"""Points of a rectangle within the page, below which nothing in it is read."""
_OPACITY = 0.1
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_COLOURS = re.compile(rf"(?<!\S)((?:{_NUMBER}\s+){{1,4}})(g|rg|k)(?!\S)")
_SIZE = re.compile(rf"({_NUMBER})\s+Tf\b")
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
    """The colours for filling that PDF operators set one after the other."""
    found = []
    for match in _COLOURS.finditer(operators):
        parts = [min(max(float(part), 0.0), 1.0) for part in match[1].split()]
        if match[2] == "g":
            found.append((parts[-1],) * 3)
        elif match[2] == "rg" and len(parts) >= 3:
            found.append((parts[-3], parts[-2], parts[-1]))
        elif match[2] == "k" and len(parts) == 4:
            cyan, magenta, yellow, black = parts
            found.append(((1 - cyan) * (1 - black), (1 - magenta) * (1 - black), (1 - yellow) * (1 - black)))
    return found


def differ(one: Colour, other: Colour) -> bool:
    """Whether a reader tells the colours apart."""
    return any(abs(first - second) > FAINT for first, second in zip(one, other, strict=True))


def settle_colour(annotation: Any) -> None:
    """Let the last colour of its text count where it sets several: pdfium draws with the first. The file stays as it is."""
    look = entry(annotation, b"DA")
    matches = list(_COLOURS.finditer(look))
    if len(matches) > 1:
        put(annotation, b"DA", f"{_COLOURS.sub(' ', look)} {matches[-1][0]}")


def place_of(annotation: Any) -> Box | None:
    """Its rectangle."""
    import pypdfium2.raw as raw

    box = raw.FS_RECTF()
    if not raw.FPDFAnnot_GetRect(annotation, box):
        return None
    (left, right), (bottom, top) = sorted((box.left, box.right)), sorted((box.bottom, box.top))
    return Box(left, bottom, right, top)


def may_be_seen(annotation: Any, box: Box | None, shown: Box) -> bool:
    """Whether it is shown, within the page, and not transparent.

    Args:
        annotation: a field or a text box.
        box: its rectangle.
        shown: the part of the page that a reader sees.
    """
    import pypdfium2.raw as raw

    if raw.FPDFAnnot_GetFlags(annotation) & (raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW):
        return False
    if box is None or raw.FPDFAnnot_HasKey(annotation, b"OC"):
        return False  # pdfium does not tell whether its layer is shown
    width = min(box.right, shown.right) - max(box.left, shown.left)
    height = min(box.top, shown.top) - max(box.bottom, shown.bottom)
    if not (width >= _NARROW and height >= _NARROW):
        return False
    opacity = ctypes.c_float(1.0)
    return not raw.FPDFAnnot_GetNumberValue(annotation, b"CA", opacity) or opacity.value >= _OPACITY


def is_tiny(form: Any, annotation: Any) -> bool:
    """Whether its text is too small to read, by its own look or an inherited one.

    Args:
        form: pdfium's environment for forms, the page's fields loaded.
        annotation: a field or a text box.
    """
    import pypdfium2.raw as raw

    size = ctypes.c_float(0.0)
    if raw.FPDFAnnot_GetFontSize(form, annotation, size) and 0 < abs(size.value) < _TINY:
        return True
    return any(0 < abs(float(match[1])) < _TINY for match in _SIZE.finditer(entry(annotation, b"DA")))


def styles_hide(annotation: Any) -> bool:
    """Whether the style of a text box's rich text may hide some of it: white on no colour, or of no size."""
    styles = f"{entry(annotation, b'DS')};{entry(annotation, b'RC')}".lower()
    for match in _STYLED.finditer(styles):
        key, said = match[1], match[2].strip()
        if key == "color" and not differ(_styled(said), WHITE) and not _has_colour(annotation):
            return True
        if key.startswith("font") and any(float(size) < _TINY for size in _STYLED_SIZE.findall(said)):
            return True
        if key in ("display", "visibility") and said in ("none", "hidden"):
            return True
    return False


def colour_of(form: Any, annotation: Any) -> Colour:
    """Of a field's text, its own or inherited; white where it is not known."""
    import pypdfium2.raw as raw

    parts = [ctypes.c_uint() for _ in range(3)]
    if not raw.FPDFAnnot_GetFontColor(form, annotation, *parts):
        return WHITE
    return (parts[0].value / 255, parts[1].value / 255, parts[2].value / 255)


def _styled(said: str) -> Colour:
    """The colour of a style sheet; black for a name other than white."""
    if re.fullmatch(r"#(?:[0-9a-f]{3}){1,2}", said):
        digits = said[1:] if len(said) == 7 else "".join(2 * digit for digit in said[1:])
        return (int(digits[:2], 16) / 255, int(digits[2:4], 16) / 255, int(digits[4:], 16) / 255)
    if said.startswith("rgb"):
        scale = 100 if "%" in said else 255
        parts = [float(part) / scale for part in re.findall(r"\d*\.?\d+", said)[:4]]
        if len(parts) == 4 and float(re.findall(r"\d*\.?\d+", said)[3]) < _OPACITY:
            return WHITE
        return (parts[0], parts[1], parts[2]) if len(parts) >= 3 else WHITE
    return WHITE if said in ("white", "transparent", "snow", "ivory", "ghostwhite") else (0.0, 0.0, 0.0)


def _has_colour(annotation: Any) -> bool:
    """Whether the text box lies on a colour of its own."""
    import pypdfium2.raw as raw

    parts = [ctypes.c_uint() for _ in range(4)]
    if not raw.FPDFAnnot_HasKey(annotation, b"C"):
        return False
    if not raw.FPDFAnnot_GetColor(annotation, raw.FPDFANNOT_COLORTYPE_Color, *parts):
        return False
    return differ((parts[0].value / 255, parts[1].value / 255, parts[2].value / 255), WHITE)
