"""Fields and runs of Word documents that the engine drops or misreads (ECMA-376, 17.16): written in a form that it reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .word_styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

_ADDRESS = re.compile(r'^\s*HYPERLINK\s+"([^"]*)"(.*)$', re.DOTALL | re.IGNORECASE)
_PLACE = re.compile(r'\\l\s+"([^"]*)"')


def open_wrappers(root: _Element) -> None:
    """Put the content of simple fields, of runs in another direction and of ruby texts in the place of the element around it.

    The engine drops these elements with all their content, for example the number of a caption. A simple field that is a
    hyperlink becomes one of several runs, which the engine reads. The reading of a ruby text follows it in brackets.

    Args:
        root: root element of a part; changed in place.
    """
    for ruby in list(root.iter(f"{W}ruby")):
        _write_out(ruby)
    for wrapper in list(root.iter(f"{W}fldSimple", f"{W}bdo", f"{W}dir")):
        parent = wrapper.getparent()
        if parent is None:
            continue
        content = [child for child in wrapper if child.tag != f"{W}fldData"]
        code = wrapper.get(f"{W}instr", "")
        if _ADDRESS.match(code):
            content = [*_field_runs(wrapper, code), *content, _field_run(wrapper, "end")]
        place = parent.index(wrapper)
        parent[place : place + 1] = content


def plain_breaks(root: _Element) -> None:
    """Write carriage returns, tabs to a margin, and breaks of pages and columns within a line as the line breaks and tabs that the engine reads.

    It drops the others, and joins the figures on both sides.

    Args:
        root: root element of a part; changed in place.
    """
    for mark in list(root.iter(f"{W}cr", f"{W}ptab")):
        mark.tag = f"{W}br" if mark.tag == f"{W}cr" else f"{W}tab"
        mark.attrib.clear()
    for paragraph in root.iter(f"{W}p"):
        parts = list(paragraph.iter(f"{W}t", f"{W}br"))
        texts = [place for place, part in enumerate(parts) if part.tag == f"{W}t" and (part.text or "").strip()]
        for part in parts[texts[0] : texts[-1]] if texts else ():
            if part.tag == f"{W}br":
                part.attrib.clear()


def _write_out(ruby: _Element) -> None:
    """Put runs with the text and its reading in the place of the run that holds a ruby text."""
    run = ruby.getparent()
    if run is None or run.getparent() is None:
        return
    base = "".join(node.text or "" for node in ruby.iterfind(f"{W}rubyBase//{W}t"))
    reading = "".join(node.text or "" for node in ruby.iterfind(f"{W}rt//{W}t"))
    text = ruby.makeelement(f"{W}t", {}, None)
    text.text = f"{base} ({reading})" if base and reading else base or reading
    run.replace(ruby, text)


def _field_runs(near: _Element, code: str) -> list[_Element]:
    said = near.makeelement(f"{W}r", {}, None)
    instruction = near.makeelement(f"{W}instrText", {}, None)
    instruction.text = code
    said.append(instruction)
    return [_field_run(near, "begin"), said, _field_run(near, "separate")]


def _field_run(near: _Element, kind: str) -> _Element:
    run = near.makeelement(f"{W}r", {}, None)
    run.append(near.makeelement(f"{W}fldChar", {f"{W}fldCharType": kind}, None))
    return run


def join_addresses(root: _Element) -> None:
    r"""Write the place in a page into the address of a hyperlink field: `HYPERLINK "url" \l "place"` → `"url#place"`.

    The engine takes everything up to the last quotation mark for the address.

    Args:
        root: root element of a part; changed in place.
    """
    codes: list[_Element] = []
    for node in root.iter(f"{W}fldChar", f"{W}instrText"):
        if node.tag == f"{W}instrText":
            codes.append(node)
            continue
        if codes:
            _join(codes)
        codes = []


def _join(codes: list[_Element]) -> None:
    found = _ADDRESS.match("".join(code.text or "" for code in codes))
    if found is None or '"' not in found[2]:
        return
    place = _PLACE.search(found[2])
    separator = "" if place is None or not place[1] else "#"
    codes[0].text = f' HYPERLINK "{found[1]}{separator}{place[1] if place is not None else ""}" '
    for code in codes[1:]:
        code.text = ""
