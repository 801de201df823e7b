"""Removes hidden runs of a Word document, which Docling would return as text."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal

from octavo_contracts import HiddenText

from .package import Package, parse_xml, xml_bytes

if TYPE_CHECKING:
    from lxml.etree import _Element

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
PARTS: Final = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml", "word/comments.xml")
TINY_HALF_POINTS: Final = 4
"""Type of two points and less cannot be read."""

Why = Literal["hidden_style", "white", "tiny", "deleted"]
_OFF = ("0", "false", "off")
_GROUNDS = ("pPr/{0}shd", "tcPr/{0}shd", "tblPr/{0}tblStyle", "tblPr/{0}shd")


def without_hidden(package: Package) -> tuple[bytes, tuple[HiddenText, ...]]:
    """Take hidden and deleted runs out of the body, the notes and the comments.

    Returns:
        The document, and the hidden texts, neighbours of one paragraph together.
    """
    styles = _hiding_styles(package)
    hidden: list[HiddenText] = []
    changed: dict[str, bytes] = {}
    for part in PARTS:
        if data := package.get(part):
            root = parse_xml(data, part=part)
            if found := _take(root, styles):
                hidden += found
                changed[part] = xml_bytes(root)
    return package.rewritten(changed), tuple(hidden)


def _take(root: _Element, styles: dict[str, Why]) -> list[HiddenText]:
    found: list[tuple[int, Why, str]] = []
    for number, paragraph in enumerate(root.iter(f"{W}p")):
        outer = _named(paragraph.find(f"{W}pPr"), "pStyle", styles)
        for parent in list(paragraph.iter()):
            for run in list(parent.findall(f"{W}r")):
                text = "".join(node.text or "" for node in run.iter(f"{W}t", f"{W}delText"))
                why = _hidden_by(run, outer, styles)
                if why and text.strip():
                    parent.remove(run)
                    found.append((number, why, text))
    return [
        HiddenText(text="".join(text for _, _, text in group), why=why)
        for (_, why), group in groupby(found, key=lambda item: item[:2])
    ]


def _hidden_by(run: _Element, outer: Why | None, styles: dict[str, Why]) -> Why | None:
    if run.find(f"{W}delText") is not None:
        return "deleted"
    properties = run.find(f"{W}rPr")
    vanish = properties.find(f"{W}vanish") if properties is not None else None
    if vanish is not None and vanish.get(f"{W}val", "1") in _OFF:
        return None  # the run itself says that it is shown, which overrides its styles
    why = _direct(properties) or _named(properties, "rStyle", styles) or outer
    return None if why == "white" and _on_ground(run) else why


def _direct(properties: _Element | None) -> Why | None:
    """How run properties hide their text; white type on a ground of its own is seen."""
    if properties is None:
        return None
    vanish = properties.find(f"{W}vanish")
    if vanish is not None and vanish.get(f"{W}val", "1") not in _OFF:
        return "hidden_style"
    colour = properties.find(f"{W}color")
    ground = any(properties.find(f"{W}{tag}") is not None for tag in ("shd", "highlight"))
    if colour is not None and colour.get(f"{W}val", "").upper() == "FFFFFF" and not ground:
        return "white"
    size = properties.find(f"{W}sz")
    said = size.get(f"{W}val", "") if size is not None else ""
    return "tiny" if said.isdecimal() and int(said) <= TINY_HALF_POINTS else None


def _on_ground(run: _Element) -> bool:
    """Whether something may lie under it: of its paragraph, its cell, or by a style of its table, which is not read."""
    around = run.iterancestors(f"{W}p", f"{W}tc", f"{W}tbl")
    return any(node.find(W + place.format(W)) is not None for node in around for place in _GROUNDS)


def _named(properties: _Element | None, tag: str, styles: dict[str, Why]) -> Why | None:
    named = properties.find(f"{W}{tag}") if properties is not None else None
    return styles.get(named.get(f"{W}val", "")) if named is not None else None


def _hiding_styles(package: Package) -> dict[str, Why]:
    """Style id → how it hides, for those that do so themselves or by the style they are based on."""
    data = package.get("word/styles.xml")
    if not data:
        return {}
    bases: dict[str, str] = {}
    hiding: dict[str, Why] = {}
    for style in parse_xml(data, part="word/styles.xml").iter(f"{W}style"):
        name, base = style.get(f"{W}styleId", ""), style.find(f"{W}basedOn")
        bases[name] = base.get(f"{W}val", "") if base is not None else ""
        if why := _direct(style.find(f"{W}rPr")):
            hiding[name] = why
    for name in bases:
        line, above = [name], bases.get(name, "")
        while name not in hiding and above and above not in line:
            if above in hiding:
                hiding[name] = hiding[above]
            line.append(above)
            above = bases.get(above, "")
    return hiding
