"""Limits the nesting of markup, since deep nesting crashes recursive parsers. Takes linear time for any input."""

from __future__ import annotations

import re

from octavo_contracts import ContentTooLarge, SourceCorrupt

from .limits import PreflightLimits
from .prolog import PROLOG_BYTES, read_prolog

_NO_END_NEEDED = frozenset(
    b"area base br col embed hr img input link meta param source track wbr "
    b"p li dt dd tr td th option optgroup thead tbody tfoot colgroup rt rp".split()
)
"""HTML elements that are void or close implicitly: an open one does not count as nesting."""
_RAW_TEXT = frozenset({b"script", b"style", b"textarea", b"title"})
_TAG_NAME = re.compile(rb"[A-Za-z_:][^\s/>]{0,100}")
_JSON_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{\]}]', re.DOTALL)


def check_markup(data: bytes, *, media_type: str, limits: PreflightLimits) -> None:
    """Check HTML, XML, SVG or JSON.

    Raises:
        SourceCorrupt: XML or SVG that declares entities.
        ContentTooLarge: the nesting exceeds the limit.
    """
    if media_type in {"application/json", "application/x-ipynb+json"}:
        _refuse(_json_deeper(data, limits.max_json_depth), limits.max_json_depth, "arrays and objects")
        return
    if media_type == "text/html":
        _refuse(_tags_deeper(data, limits.max_html_depth, is_html=True), limits.max_html_depth, "elements")
        return
    if read_prolog(data[:PROLOG_BYTES]).entities:
        raise SourceCorrupt(
            "the document declares XML entities, which can expand without limit or read other files",
            remedy="Save a copy with the entities written out; Octavo never expands them",
        )
    _refuse(_tags_deeper(data, limits.max_xml_depth, is_html=False), limits.max_xml_depth, "elements")


def _refuse(deeper: bool, limit: int, what: str) -> None:
    if deeper:
        raise ContentTooLarge(f"{what} are nested more than {limit:,} levels deep")


def _json_deeper(data: bytes, limit: int) -> bool:
    if data.count(b"[") + data.count(b"{") <= limit:
        return False
    depth = 0
    for match in _JSON_TOKEN.finditer(data):
        token = data[match.start()]
        if token in b"[{":
            depth += 1
            if depth > limit:
                return True
        elif token in b"]}":
            depth = max(0, depth - 1)
    return False


def _tags_deeper(data: bytes, limit: int, *, is_html: bool) -> bool:
    if data.count(b"<") <= limit:
        return False
    depth, at = 0, 0
    while (at := data.find(b"<", at)) >= 0:
        follows = data[at + 1 : at + 2]
        if follows == b"/":
            name = _TAG_NAME.match(data, at + 2)
            depth = max(0, depth - (1 if name and _counts(name.group(), is_html=is_html) else 0))
            at += 2
        elif follows in {b"!", b"?"}:
            at = _after_declaration(data, at)
        elif name := _TAG_NAME.match(data, at + 1):
            end = data.find(b">", at)
            closed = end > 0 and data[end - 1 : end] == b"/"
            depth += 1 if _counts(name.group(), is_html=is_html) and not closed else 0
            if depth > limit:
                return True
            at = _after_tag(data, end if end >= 0 else len(data), name.group().lower(), is_html=is_html)
        else:
            at += 1
    return False


def _counts(name: bytes, *, is_html: bool) -> bool:
    return not is_html or name.lower() not in _NO_END_NEEDED


def _after_declaration(data: bytes, at: int) -> int:
    """Return the end of a comment, CDATA section, declaration or instruction; the end of the text if unterminated."""
    closing = b">"
    if data.startswith(b"<!--", at):
        closing = b"-->"
    elif data.startswith(b"<![CDATA[", at):
        closing = b"]]>"
    end = data.find(closing, at + 2)
    return len(data) if end < 0 else end + len(closing)


def _after_tag(data: bytes, end: int, name: bytes, *, is_html: bool) -> int:
    if not is_html or name not in _RAW_TEXT:
        return end + 1
    close = data.find(b"</" + name, end)
    return len(data) if close < 0 else close
