"""Text of rich text that a reader cannot see: hidden, too small, or white."""

from __future__ import annotations

import re

from octavo_contracts import HiddenText
from octavo_contracts.authoring.open_document_visibility import Why

from .rich_groups import end_of_group, plain_text

_GROUP = re.compile(
    rb"\{(?!\s*\\\*|\\listtext|\\pntext)[^{}]*?\\(?:(v)(?![a-z\d])|fs([0-4])(?!\d)|cf(\d{1,3})(?!\d))[^{}]*\}"
)
"""A group without others in it that is hidden, at most two points high, or has a colour."""
_TOGGLED = re.compile(rb"\\v(?![a-z\d])([^{}]*?)\\v0(?!\d) ?")
"""Hidden text that ends within its group."""
_COLOUR = re.compile(rb"(?:\\(red|green|blue)(\d{1,3}))|(;)")
_GROUND = re.compile(rb"\\(?:cb|chcbpat|highlight|cbpat|clcbpat)[1-9]")
_HIDDEN, _TINY = re.compile(rb"\\v(?![a-z\d])"), re.compile(rb"\\fs[0-4](?!\d)")
_COLOURED = re.compile(rb"\\cf(\d{1,3})(?!\d)")


def take_hidden(data: bytes) -> tuple[bytes, tuple[HiddenText, ...]]:
    """Return rich text without what a reader cannot see, and that text.

    White text is left where the document has coloured grounds: it may be there to be read.

    Args:
        data: the document.
    """
    styles = data.find(b"{\\stylesheet")
    start = end_of_group(data, styles) if styles >= 0 else 0
    whites: frozenset[bytes] = frozenset() if _GROUND.search(data) else _whites(data)
    found: list[HiddenText] = []

    def hide(group: re.Match[bytes]) -> bytes:
        why = _why(group[0], whites)
        text = plain_text(group[0])
        if why is None or not text:
            return group[0]
        found.append(HiddenText(text=text, why=why))
        return b"{}"

    def hide_toggled(text: re.Match[bytes]) -> bytes:
        if shown := plain_text(text[1]):
            found.append(HiddenText(text=shown, why="hidden_style"))
        return b""

    return data[:start] + _GROUP.sub(hide, _TOGGLED.sub(hide_toggled, data[start:])), tuple(found)


def _why(group: bytes, whites: frozenset[bytes]) -> Why | None:
    if _HIDDEN.search(group):
        return "hidden_style"
    if _TINY.search(group):
        return "tiny"
    colours = _COLOURED.findall(group)
    return "white" if colours and colours[-1] in whites else None


def _whites(data: bytes) -> frozenset[bytes]:
    """Return the numbers of white colours in the table of colours."""
    start = data.find(b"{\\colortbl")
    if start < 0:
        return frozenset()
    whites: set[bytes] = set()
    parts: dict[bytes, int] = {}
    number = 0
    for name, value, end in _COLOUR.findall(data, start, end_of_group(data, start)):
        if end:
            if parts == {b"red": 255, b"green": 255, b"blue": 255}:
                whites.add(str(number).encode())
            number, parts = number + 1, {}
        else:
            parts[name] = int(value)
    return frozenset(whites)
