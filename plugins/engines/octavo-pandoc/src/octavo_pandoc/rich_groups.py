"""Groups of rich text: where they end, and their plain text."""

from __future__ import annotations

import re

BRACES = re.compile(rb"\\[{}\\]|[{}]")
LONGEST_LABEL = 1_000
"""Bytes of the group of a list item's label."""
_CHARACTER = re.compile(r"\\'([0-9a-fA-F]{2})|\\u(-?\d{1,5}) ?(?:\?|\\'[0-9a-fA-F]{2})?")
_CONTROL = re.compile(r"\\([a-z]+|[^a-z])(?:-?\d+)? ?|[\r\n]")
_BLANKS = frozenset({"tab", "~", "par", "line"})


def end_of_group(data: bytes, start: int, *, most: int | None = None) -> int:
    """The place after the group that begins at a place; the end of the data, or of its first bytes, for one that goes on."""
    depth = 0
    stop = len(data) if most is None else min(len(data), start + most)
    for brace in BRACES.finditer(data, start, stop):
        depth += {b"{": 1, b"}": -1}.get(brace[0], 0)
        if not depth:
            return brace.end()
    return stop


def plain_text(group: bytes) -> str:
    """Return the text of a group: without its control words, with its characters beyond ASCII."""
    text = _CHARACTER.sub(_character, group.decode("latin-1"))
    return " ".join(_CONTROL.sub(_blank, text).replace("{", "").replace("}", "").split())


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return bytes.fromhex(match[1]).decode("cp1252", "replace")
    return chr(int(match[2]) % 0x10000)


def _blank(match: re.Match[str]) -> str:
    return " " if match[1] in _BLANKS else ""
