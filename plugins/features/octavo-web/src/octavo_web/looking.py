"""A quick look at a web page's markup, in a worker: what its title, its words, links and scripts are like (CNV-14)."""

from __future__ import annotations

import json
from typing import Self

from octavo.text.html_parser import LenientHTMLParser
from octavo_contracts import HookContext, SourceView, ToolUnavailable
from octavo_contracts.authoring.decoding import decode_page
from pydantic import BaseModel, ConfigDict

MAX_BYTES = 5_000_000
"""More of a page is not looked at."""
_UNSEEN = frozenset({"script", "style", "template", "noscript", "head", "svg", "select"})
_VOID = frozenset(
    {"br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr"}
)


class PageLook(BaseModel):
    """What the markup of a page shows.

    Attributes:
        title: whether it has one.
        words: words that a reader sees, furniture of the site included.
        linked_words: those of them that are links.
        script_chars: characters of scripts.
        chars: characters of the page in all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: bool
    words: int
    linked_words: int
    script_chars: int
    chars: int

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """From the worker's answer.

        Raises:
            pydantic.ValidationError: it is none.
        """
        return cls.model_validate_json(payload)


def look(payload: bytes, source: SourceView, context: HookContext) -> bytes:
    """Look at a page; called in the sandboxed worker by its name.

    Args:
        payload: nothing is asked.
        source: the page.
        context: the call's work folder and deadline; neither is needed.

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
    """The page as text; what cannot be told without charset-normalizer is read as UTF-8: only words are counted."""
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
        if tag == "body":  # a head that nobody closed ends here
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
