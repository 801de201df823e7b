"""Reads XML into a small tree with the standard library's parser; common faults of written XML are mended first."""

from __future__ import annotations

import html
import re
from typing import NamedTuple
from xml.etree.ElementTree import Element, ParseError, XMLParser

_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*(?:\[[^\]]*\]\s*)?>", re.IGNORECASE)
_LOOSE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)(\w{1,32};)?")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class XmlTree(NamedTuple):
    """XML as a tree.

    Attributes:
        root: the root element.
        mended: whether faults had to be mended before it could be parsed.
    """

    root: Element
    mended: bool


def parse_xml(text: str) -> XmlTree | None:
    """Return the tree of an XML document, or None if it is not well-formed after mending.

    Entities that are not declared (`&nbsp;`), loose ampersands and control characters are mended. A document type is dropped, so
    that no entity is ever expanded.

    Args:
        text: the decoded document.
    """
    body = _DOCTYPE.sub("", _DECLARATION.sub("", text, count=1), count=1).strip()
    for mended, candidate in ((False, body), (True, _mended(body) if body else body)):
        parser = XMLParser()
        try:
            parser.feed(candidate)
            return XmlTree(parser.close(), mended)
        except (ParseError, ValueError):
            continue
    return None


def local_name(element: Element) -> str:
    """Return an element's name without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _mended(text: str) -> str:
    return _LOOSE_AMPERSAND.sub(_entity, _CONTROL.sub("", text))


def _entity(match: re.Match[str]) -> str:
    named = match[1]
    known = html.unescape(f"&{named}") if named else ""
    return html.escape(known) if named and known != f"&{named}" else f"&amp;{named or ''}"
