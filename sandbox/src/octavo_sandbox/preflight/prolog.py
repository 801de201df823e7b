"""Reads the prolog of an XML document: its declarations, and whether it declares dangerous entities."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

_ENCODING = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_ENTITY = re.compile(r"<!ENTITY", re.IGNORECASE)
PROLOG_BYTES = 1 << 16
"""A prolog longer than this counts as hostile."""


class Prolog(NamedTuple):
    """The declarations of a prolog.

    Attributes:
        doctype: whether there is a document type declaration.
        entities: whether it declares entities, or is too long or too broken to rule them out.
    """

    doctype: bool
    entities: bool


def read_prolog(head: bytes) -> Prolog:
    """Read a prolog from a document's first bytes.

    Args:
        head: the first `PROLOG_BYTES` bytes, or all of a shorter document.
    """
    text = _decode(head)
    at = 0
    while True:
        at = _skip_space(text, at)
        if text.startswith("<?", at):
            end = text.find("?>", at)
        elif text.startswith("<!--", at):
            end = text.find("-->", at + 4)
        elif text[at : at + 9].upper() == "<!DOCTYPE":
            return _doctype(text, at)
        else:
            return Prolog(doctype=False, entities=False)
        if end < 0:
            return Prolog(doctype=False, entities=len(head) >= PROLOG_BYTES)
        at = end + 2


def _doctype(text: str, at: int) -> Prolog:
    subset, close = text.find("[", at), text.find(">", at)
    if close >= 0 and (subset < 0 or close < subset):
        return Prolog(doctype=True, entities=False)
    end = text.find("]", at)
    # An entity's value may contain a bracket, so text after the first one counts as well.
    entities = _ENTITY.search(text, at) is not None
    return Prolog(doctype=True, entities=entities or end < 0)


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and (text[at].isspace() or text[at] in "\ufeff>"):
        at += 1
    return at


def _decode(head: bytes) -> str:
    """Decode as an XML parser does: by mark, zero bytes, then declaration. Another encoding would hide entities."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if head.startswith(mark):
            return head.decode(encoding, "replace")
    if head[:4] == b"<\x00?\x00" or head[1:2] == b"\x00":
        return head.decode("utf-16-le", "replace")
    if head[:1] == b"\x00":
        return head.decode("utf-16-be", "replace")
    declared = _ENCODING.match(head.lstrip())
    encoding = declared.group(1).decode("ascii") if declared else "utf-8"
    try:
        return head.decode(encoding, "replace")
    except (LookupError, UnicodeError):
        return head.decode("latin-1")
