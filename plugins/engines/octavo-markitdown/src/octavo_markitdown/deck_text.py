"""Bullets, levels, links and line breaks of a slide, written into its text: the engine gives the bare text (CNV-8)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element
    from pptx.slide import Slide

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_TITLES = ("title", "ctrTitle")
_OUTLINES = ("", "body", "obj")
"""Placeholders whose paragraphs have bullets unless they, their shape or their layout say otherwise."""
_SPACE_OR_BRACKET = re.compile(r"[\s()<>]")
_GLUED = re.compile(r"\|(?=#{1,6} )")
_INDENT = "   "


def mark_up(slide: Slide) -> None:
    """Write markdown into the texts of a slide's shapes, apart from tables; the slide is changed in place."""
    layout = {_index(one): one for one in slide.slide_layout.element.iter(f"{P}sp")}
    for shape in slide.element.iter(f"{P}sp"):
        body = shape.find(f"{P}txBody")
        if body is None:
            continue
        kind = _placeholder(shape)
        is_title = kind in _TITLES
        _break_lines(body, " " if is_title else "\n")
        if is_title:
            continue
        for run in list(body.iter(f"{A}r")):
            _link(run, slide)
        by_default = kind in _OUTLINES and not _has_no_bullets(layout.get(_index(shape)))
        _list(body, by_default=by_default)


def with_gaps(markdown: str) -> str:
    """Return the engine's markdown with a blank line after each table, which a heading or text may follow at once."""
    lines: list[str] = []
    for line in _GLUED.sub("|\n", markdown).split("\n"):
        if lines and lines[-1].startswith("|") and line.strip() and not line.startswith("|"):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


def _placeholder(shape: _Element) -> str | None:
    holder = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
    return None if holder is None else holder.get("type", "")


def _index(shape: _Element) -> str | None:
    holder = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
    return None if holder is None else holder.get("idx", "0")


def _has_no_bullets(layout_shape: _Element | None) -> bool:
    return layout_shape is not None and layout_shape.find(f"{P}txBody/{A}lstStyle/{A}lvl1pPr/{A}buNone") is not None


def _break_lines(body: _Element, mark: str) -> None:
    """Replace line breaks, which the engine drops, by runs with the mark."""
    from lxml import etree

    for line_break in list(body.iter(f"{A}br")):
        parent = line_break.getparent()
        if parent is not None:
            run = etree.Element(f"{A}r")
            etree.SubElement(run, f"{A}t").text = mark
            parent.replace(line_break, run)


def _link(run: _Element, slide: Slide) -> None:
    click, text = run.find(f"{A}rPr/{A}hlinkClick"), run.find(f"{A}t")
    if click is None or text is None or not (text.text or "").strip():
        return
    relation = slide.part.rels.get(click.get(_R_ID, ""))
    if relation is None or not relation.is_external:
        return
    target = _SPACE_OR_BRACKET.sub(lambda found: f"%{ord(found[0]):02X}", relation.target_ref)
    words = (text.text or "").replace("[", r"\[").replace("]", r"\]")
    text.text = f"[{words.strip()}]({target})" + (" " if words.endswith(" ") else "")


def _list(body: _Element, *, by_default: bool) -> None:
    """Begin the paragraphs of a list with a mark, indented by level; a blank line ends the list."""
    levels: list[int] = []
    numbers: dict[int, int] = {}
    last: _Element | None = None
    for paragraph in body.iterfind(f"{A}p"):
        texts = [node for node in paragraph.iter(f"{A}t") if node.text]
        if not "".join(node.text or "" for node in texts).strip():
            continue
        kind = _bullet(paragraph, by_default=by_default)
        if kind is None:
            if last is not None:
                last.text = f"{last.text}\n"
            levels, numbers, last = [], {}, None
            continue
        properties = paragraph.find(f"{A}pPr")
        level = int(properties.get("lvl", "0")) if properties is not None else 0
        levels = [one for one in levels if one < level] + [level]
        numbers = {one: number for one, number in numbers.items() if one <= level}
        mark = "-"
        if kind == "number":
            numbers[level] = numbers.get(level, 0) + 1
            mark = f"{numbers[level]}."
        texts[0].text = f"{_INDENT * (len(levels) - 1)}{mark} {(texts[0].text or '').lstrip()}"
        last = texts[-1]
    if last is not None:
        last.text = f"{last.text}\n"


def _bullet(paragraph: _Element, *, by_default: bool) -> str | None:
    properties = paragraph.find(f"{A}pPr")
    if properties is not None:
        if properties.find(f"{A}buNone") is not None:
            return None
        if properties.find(f"{A}buAutoNum") is not None:
            return "number"
        if properties.find(f"{A}buChar") is not None:
            return "bullet"
    return "bullet" if by_default else None
