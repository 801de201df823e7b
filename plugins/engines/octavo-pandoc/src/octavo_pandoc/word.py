"""Prepares a Word document: Pandoc returns hidden runs as text, and drops a table without declared columns."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Literal

from octavo_contracts import HiddenText

from .package import Package, parse_xml, xml_bytes

if TYPE_CHECKING:
    from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MAIN = "word/document.xml"
PARTS = (MAIN, "word/footnotes.xml", "word/endnotes.xml", "word/comments.xml")
TINY_HALF_POINTS = 4
"""Type of two points and less cannot be read."""

MOST_COLUMNS = 63
"""As many as Word itself allows in a table."""
ANY_WIDTH = "1000"

Why = Literal["hidden_style", "white", "tiny"]
_OFF = ("0", "false", "off")


def prepare(package: Package) -> tuple[bytes, tuple[HiddenText, ...]]:
    """Take hidden runs out of the body, the notes and the comments, and declare the columns of every table.

    Args:
        package: the document.

    Returns:
        The document, and the hidden texts, neighbours of one paragraph together.
    """
    styles = _hiding_styles(package)
    hidden: list[HiddenText] = []
    changed: dict[str, bytes] = {}
    for part in PARTS:
        if not (data := package.get(part)):
            continue
        root = parse_xml(data, part=part)
        found = _take(root, styles)
        hidden += found
        if any((_declare_columns(root), _plain_breaks(root), found)):
            changed[part] = xml_bytes(root)
    return package.rewritten(changed), tuple(hidden)


def _plain_breaks(root: _Element) -> bool:
    """Write carriage returns as line breaks, and tabs to a margin as tabs: Pandoc joins the words around them; whether there were any."""
    marks = list(root.iter(f"{W}cr", f"{W}ptab"))
    for mark in marks:
        mark.tag = f"{W}br" if mark.tag == f"{W}cr" else f"{W}tab"
        mark.attrib.clear()
    return bool(marks)


def _declare_columns(root: _Element) -> bool:
    """Give each table without a grid the columns of its longest row, and each column a width; whether one lacked it."""
    changed = False
    for table in root.iter(f"{W}tbl"):
        grid = table.find(f"{W}tblGrid")
        if grid is None:
            widths = [sum(map(_span, row.findall(f"{W}tc"))) for row in table.findall(f"{W}tr")]
            grid = table.makeelement(f"{W}tblGrid", {})
            grid.extend(table.makeelement(f"{W}gridCol", {}) for _ in range(min(MOST_COLUMNS, max(widths, default=0))))
            table.insert(1 if table.find(f"{W}tblPr") is not None else 0, grid)
        for column in grid.findall(f"{W}gridCol"):
            if column.get(f"{W}w") is None:
                column.set(f"{W}w", ANY_WIDTH)
                changed = True
    return changed


def _span(cell: _Element) -> int:
    span = cell.find(f"{W}tcPr/{W}gridSpan")
    said = span.get(f"{W}val", "") if span is not None else ""
    return min(MOST_COLUMNS, int(said)) if said.isdecimal() and len(said) < 9 else 1


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
        if why := _why(style.find(f"{W}rPr")):
            hiding[name] = why
    for name in bases:
        line, above = [name], bases.get(name, "")
        while name not in hiding and above and above not in line:
            if above in hiding:
                hiding[name] = hiding[above]
            line.append(above)
            above = bases.get(above, "")
    return hiding


def _take(root: _Element, styles: dict[str, Why]) -> list[HiddenText]:
    found: list[tuple[int, Why, str]] = []
    for number, paragraph in enumerate(root.iter(f"{W}p")):
        outer = _style(paragraph.find(f"{W}pPr"), "pStyle", styles)
        for parent in paragraph.iter():
            for run in list(parent.findall(f"{W}r")):
                properties = run.find(f"{W}rPr")
                why = _why(properties) or _style(properties, "rStyle", styles) or outer
                text = "".join(node.text or "" for node in run.iter(f"{W}t"))
                if why == "white" and _on_dark(run):
                    continue
                if why and text.strip() and not _shown(properties):
                    parent.remove(run)
                    found.append((number, why, text))
    return [
        HiddenText(text="".join(text for _, _, text in group), why=why)
        for (_, why), group in groupby(found, key=lambda item: item[:2])
    ]


def _style(properties: _Element | None, tag: str, styles: dict[str, Why]) -> Why | None:
    named = properties.find(f"{W}{tag}") if properties is not None else None
    return styles.get(named.get(f"{W}val", "")) if named is not None else None


def _shown(properties: _Element | None) -> bool:
    """Whether the run itself says that it is not hidden, which overrides its styles."""
    vanish = properties.find(f"{W}vanish") if properties is not None else None
    return vanish is not None and vanish.get(f"{W}val", "1") in _OFF


def _on_dark(run: _Element) -> bool:
    """Whether a ground may lie under it: of its paragraph, its cell, or by a style of its table, which is not read."""
    for node in run.iterancestors(f"{W}p", f"{W}tc", f"{W}tbl"):
        for place in ("pPr/{0}shd", "tcPr/{0}shd", "tblPr/{0}tblStyle", "tblPr/{0}shd"):
            if node.find(W + place.format(W)) is not None:
                return True
    return False


def _why(properties: _Element | None) -> Why | None:
    """How run properties hide their text; white type on a dark ground is seen."""
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
    if size is not None and size.get(f"{W}val", "").isdigit() and int(size.get(f"{W}val", "")) <= TINY_HALF_POINTS:
        return "tiny"
    return None
