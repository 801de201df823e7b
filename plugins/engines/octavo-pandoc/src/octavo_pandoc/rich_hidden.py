"""Text of rich text that a reader cannot see: hidden, too small, or white."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from octavo_contracts import HiddenText
from octavo_contracts.authoring.open_document_visibility import Why

from .rich_groups import end_of_group, plain_text

_TOKEN = re.compile(
    rb"(?P<open>\{)|(?P<close>\})|\\(?P<word>[a-z]+)(?P<number>-?\d+)?[ ]?|(?P<ignorable>\\\*)|\\'[0-9a-fA-F]{2}|\\[^a-z]|[^\\{}]+"
)
"""Braces, control words, other controls and letters, text."""
_MAY_HIDE = re.compile(rb"\\v(?![a-z\d])|\\fs[0-4](?!\d)|\\cf[1-9]")
_COLOUR = re.compile(rb"(?:\\(red|green|blue)(\d{1,3}))|(;)")
_GROUND = re.compile(rb"\\(?:cb|chcbpat|highlight|cbpat|clcbpat)[1-9]")
_TINY, _USUAL = 4, 24
"""Size up to which text cannot be read, and that of text of which the document does not say it, in half points."""
_NO_TEXT = frozenset(
    {b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"listtext", b"pntext", b"fldinst", b"header", b"footer"}
)
"""Groups of which no letter is text of the document, and labels, which belong to a list."""
_ENDS = frozenset({b"par", b"cell", b"row", b"sect", b"page"})


@dataclass(frozen=True)
class _Look:
    """How the text at a place looks, as its control words say."""

    is_text: bool = True
    is_hidden: bool = False
    size: int = _USUAL
    colour: int = 0

    def after(self, word: bytes, number: int | None) -> _Look:
        """Return the look behind a control word."""
        match word:
            case b"v":
                return replace(self, is_hidden=number != 0)
            case b"fs" if number is not None:
                return replace(self, size=number)
            case b"cf" if number is not None:
                return replace(self, colour=number)
            case b"plain":
                return _Look(is_text=self.is_text)
            case _ if word in _NO_TEXT:
                return replace(self, is_text=False)
        return self

    def why(self, whites: frozenset[int]) -> Why | None:
        """Return why the text cannot be seen; None if it can, or is no text of the document."""
        if not self.is_text:
            return None
        if self.is_hidden:
            return "hidden_style"
        if self.size <= _TINY:
            return "tiny"
        return "white" if self.colour in whites else None


class _Scan:
    """One pass over the tokens of a document."""

    def __init__(self, whites: frozenset[int]) -> None:
        self.kept: list[bytes] = []
        self.found: list[HiddenText] = []
        self._whites = whites
        self._look = _Look()
        self._open: list[_Look] = []
        self._hidden: list[bytes] = []
        self._why: Why | None = None

    def run(self, data: bytes) -> None:
        at = 0
        while token := _TOKEN.match(data, at):
            at = token.end()
            if token["word"] == b"bin":
                at += max(int(token["number"] or 0), 0)
                self.kept.append(data[token.start() : at])
            else:
                self._take(token)
        self._end()
        self.kept.append(data[at:])

    def _take(self, token: re.Match[bytes]) -> None:
        word = token["word"]
        if token["open"]:
            self._open.append(self._look)
        elif token["close"]:
            self._look = self._open.pop() if self._open else _Look()
        elif token["ignorable"]:
            self._look = replace(self._look, is_text=False)
        elif word and word != b"u":
            self._look = self._look.after(word, int(token["number"]) if token["number"] else None)
        else:
            why = self._look.why(self._whites)
            if why != self._why and token[0].strip():
                self._end()
            if why and (self._why or token[0].strip()):
                self._why = why
                self._hidden.append(token[0])
                return
        if word in _ENDS:
            self._end()
        self.kept.append(token[0])

    def _end(self) -> None:
        """Keep what was hidden up to here as one text."""
        if self._why and (text := plain_text(b"".join(self._hidden))):
            self.found.append(HiddenText(text=text, why=self._why))
        self._hidden, self._why = [], None


def take_hidden(data: bytes) -> tuple[bytes, tuple[HiddenText, ...]]:
    """Return rich text without what a reader cannot see, and that text.

    White text is left where the document has coloured grounds: it may be there to be read.

    Args:
        data: the document.
    """
    styles = data.find(b"{\\stylesheet")
    start = end_of_group(data, styles) if styles >= 0 else 0
    if not _MAY_HIDE.search(data, start):
        return data, ()
    scan = _Scan(frozenset() if _GROUND.search(data) else _whites(data))
    scan.run(data[start:])
    return data[:start] + b"".join(scan.kept), tuple(scan.found)


def _whites(data: bytes) -> frozenset[int]:
    """Return the numbers of white colours in the table of colours."""
    start = data.find(b"{\\colortbl")
    if start < 0:
        return frozenset()
    whites: set[int] = set()
    parts: dict[bytes, int] = {}
    number = 0
    for name, value, end in _COLOUR.findall(data, start, end_of_group(data, start)):
        if end:
            if parts == {b"red": 255, b"green": 255, b"blue": 255}:
                whites.add(number)
            number, parts = number + 1, {}
        else:
            parts[name] = int(value)
    return frozenset(whites)
