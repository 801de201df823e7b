"""Interprets the appearance stream of a field: the operators that show its text."""

from __future__ import annotations

import re
from collections import Counter

MAX_STREAM = 2_000_000
"""Maximum length of an appearance stream in characters; the values of longer ones are left out."""
_TOKEN = re.compile(
    r"\((?:[^()\\]|\\.)*\)"  # strings of appearance streams have no nested bare parentheses
    r"|<[0-9A-Fa-f\s]*>"
    r"|%[^\r\n]*"
    r"|/[^\s()<>\[\]{}/%]*"
    r"|[^\s()<>\[\]{}/%]+",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_SHOWS = frozenset({"Tj", "TJ", "'", '"'})
_UNPAINTED = frozenset({"3", "7"})
"""Text rendering modes that paint nothing."""
_SHARED = 0.5
"""Minimum share of the shown characters that occur in the value if both are the same text."""


def shows(stream: str, value: str) -> bool:
    """Return whether the appearance shows text that is not different from the value.

    Only ASCII strings are compared: strings of composite fonts contain glyph numbers. An appearance may show only the
    first lines of the value, or show it in another format.

    Args:
        stream: the operators of the appearance stream.
        value: the filled-in value.
    """
    if len(stream) > MAX_STREAM:
        return False
    texts = painted(stream)
    if not texts:
        return False
    shown = "".join(texts)
    if not (shown.isascii() and shown.replace("\n", " ").replace("\r", " ").replace("\t", " ").isprintable()):
        return True
    signs = Counter(char for char in shown.casefold() if char.isalnum())
    if not signs:
        return not any(char.isascii() and char.isalnum() for char in value)
    return (signs & Counter(value.casefold())).total() >= _SHARED * signs.total()


def painted(stream: str) -> list[str]:
    """Return the strings in rendering modes that paint them; strings of glyph numbers are returned unchanged."""
    found: list[str] = []
    waiting: list[str] = []
    modes = ["0"]
    last = ""
    for match in _TOKEN.finditer(stream):
        token = match[0]
        if token[0] == "(" and len(token) > 1:
            waiting.append(_ESCAPE.sub(_unescaped, token[1:-1]))
        elif token[0] == "<":
            waiting.append(_from_hex(token[1:-1]))
        elif token in _SHOWS:
            if modes[-1] not in _UNPAINTED:
                found += [text for text in waiting if text.strip()]
            waiting = []
        elif token == "Tr":
            modes[-1] = last
        elif token == "q" and len(modes) < 100:
            modes.append(modes[-1])
        elif token == "Q" and len(modes) > 1:
            modes.pop()
        elif token.isalpha() and token not in ("true", "false", "null"):
            waiting = []
        last = token
    return found


def _unescaped(match: re.Match[str]) -> str:
    escaped = match[1]
    if escaped[0] in "01234567":
        return chr(int(escaped, 8) & 0xFF)
    return {"n": "\n", "r": "\r", "t": "\t", "\n": "", "\r": ""}.get(escaped, escaped)


def _from_hex(digits: str) -> str:
    digits = "".join(digits.split())
    return bytes.fromhex(digits + "0" * (len(digits) % 2)).decode("latin-1")
