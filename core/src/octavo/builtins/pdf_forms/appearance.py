"""What the picture of a field says: the operators that show its text, as the file has them."""

from __future__ import annotations

import re
from collections import Counter

MAX_STREAM = 2_000_000
"""Characters of one picture; what has more is not judged, and its value left out."""
_TOKEN = re.compile(
    r"\((?:[^()\\]|\\.)*\)"  # the strings of a field's picture hold no bare parentheses within parentheses
    r"|<[0-9A-Fa-f\s]*>"
    r"|%[^\r\n]*"
    r"|/[^\s()<>\[\]{}/%]*"
    r"|[^\s()<>\[\]{}/%]+",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_SHOWS = frozenset({"Tj", "TJ", "'", '"'})
_UNPAINTED = frozenset({"3", "7"})
"""Text render modes that paint nothing."""
_SHARED = 0.5
"""Of the signs that a picture shows, how many the value has at least where they are the same text."""


def shows(stream: str, value: str) -> bool:
    """Whether the picture shows text, and not another text than the value.

    Only strings of plain signs are compared: those of composite fonts hold numbers of glyphs. A picture may show less than
    the value, of which it has the first lines, or show it in another format.

    Args:
        stream: the operators of the picture.
        value: what is filled in.
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
    """The strings that are shown in a render mode that paints them; those of numbers of glyphs as they are."""
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
    said = match[1]
    if said[0] in "01234567":
        return chr(int(said, 8) & 0xFF)
    return {"n": "\n", "r": "\r", "t": "\t", "\n": "", "\r": ""}.get(said, said)


def _from_hex(digits: str) -> str:
    digits = "".join(digits.split())
    return bytes.fromhex(digits + "0" * (len(digits) % 2)).decode("latin-1")
