"""Collects facts about a web page's markup, in a worker: title, words, links and scripts (CNV-14)."""

from __future__ import annotations

import json
from typing import Self

from octavo_contracts import HookContext, SourceView, ToolUnavailable
from octavo_contracts.authoring.decoding import decode_page
from octavo_text.html_parser import LenientHTMLParser
from pydantic import BaseModel, ConfigDict

MAX_BYTES = 5_000_000
"""Maximum part of a page that is examined."""
_UNSEEN = frozenset({"script", "style", "template", "noscript", "head", "svg", "select"})
_VOID = frozenset(
    {"br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr"}
)


class PageLook(BaseModel):
    """Facts about the markup of a page.

    Attributes:
        title: whether it has one.
        words: number of visible words, including navigation.
        linked_words: number of visible words in links.
        script_chars: characters of scripts.
        chars: total characters of the page.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: bool
    words: int
    linked_words: int
    script_chars: int
    chars: int

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Parse the worker's answer.

        Raises:
            pydantic.ValidationError: the answer is malformed.
        """
        return cls.model_validate_json(payload)


def look(payload: bytes, source: SourceView, context: HookContext) -> bytes:
    """Examine a page; runs in the sandboxed worker.

    Args:
        payload: not used.
        source: the page.
        context: not used.

    Returns:
        A `PageLook` as JSON.
    """
    with source.open() as stream:
        text = _decoded(stream.read(MAX_BYTES))
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return json.dumps(
        {
            "title": bool(reader.title.strip()),
            "words": reader.words,
            "linked_words": reader.linked_words,
            "script_chars": reader.script_chars,
            "chars": len(text),
        }
    ).encode()


def _decoded(data: bytes) -> str:
    """Decode the page; fall back to UTF-8 if charset-normalizer would be needed, as only words are counted."""
    try:
        return decode_page(data).text
    except ToolUnavailable:
        return data.decode("utf-8", "replace")


class _Reader(LenientHTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.words = self.linked_words = self.script_chars = 0
        self._open: list[str] = []
        self._unseen = self._links = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        if tag == "body":  # an unclosed head ends here
            self._open, self._unseen = [], 0
        self._open.append(tag)
        self._unseen += tag in _UNSEEN
        self._links += tag == "a"

    def handle_endtag(self, tag: str) -> None:
        if tag not in self._open:
            return
        while self._open:
            closed = self._open.pop()
            self._unseen -= closed in _UNSEEN
            self._links -= closed == "a"
            if closed == tag:
                return

    def handle_data(self, data: str) -> None:
        last = self._open[-1] if self._open else ""
        if last == "script":
            self.script_chars += len(data)
        elif last == "title" and "svg" not in self._open:
            self.title += data
        elif not self._unseen:
            count = len(data.split())
            self.words += count
            self.linked_words += count if self._links else 0
