"""Letters beyond U+FFFF of rich text, which writes them as two numbers: Pandoc makes two unreadable characters of each."""

from __future__ import annotations

import re
from typing import Any

_NUMBER = rb"\\u(-\d{4,5}|\d{5})[ \r\n]*(?:\\'[0-9a-fA-F]{2}|[^\\{}\r\n])?"
_PAIR = re.compile(_NUMBER + rb"((?:\\uc\d ?|[\r\n])*)" + _NUMBER)
_ANY = re.compile(rb"\\u(-?\d{1,5})")
_PRIVATE = range(0xE000, 0xF000)
"""Characters of private use that stand for the letters while Pandoc reads the text; those of the document itself are left out."""


class RichLetters:
    """The letters of a document.

    Args:
        data: the document.

    Attributes:
        document: the document with one number for each letter.
    """

    def __init__(self, data: bytes) -> None:
        own = {int(number) % 0x10000 for number in _ANY.findall(data)} if _PAIR.search(data) else set()
        self._free = iter([code for code in _PRIVATE if code not in own])
        self._codes: dict[int, int] = {}
        self.document = _PAIR.sub(self._one, data)

    def _one(self, match: re.Match[bytes]) -> bytes:
        high, low = (int(number) % 0x10000 for number in match.group(1, 3))
        if not (0xD800 <= high < 0xDC00 <= low < 0xE000):
            return match[0]
        letter = 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00
        if letter not in self._codes:
            code = next(self._free, None)
            if code is None:
                return match[0]
            self._codes[letter] = code
        return b"{\\uc1\\u%d?}%s" % (self._codes[letter] - 0x10000, match[2])

    def put_back(self, tree: Any) -> Any:
        """Return a part of Pandoc's tree with the letters themselves."""
        return (
            self._restored(tree, {code: chr(letter) for letter, code in self._codes.items()}) if self._codes else tree
        )

    def _restored(self, node: Any, letters: dict[int, str]) -> Any:
        if isinstance(node, str):
            return node.translate(letters)
        if isinstance(node, list):
            return [self._restored(one, letters) for one in node]
        if isinstance(node, dict):
            return {name: self._restored(one, letters) for name, one in node.items()}
        return node
