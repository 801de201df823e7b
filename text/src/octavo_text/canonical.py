r"""Canonical text: the single form of a document on which spans, locators and hashes are defined (DIG-6 … DIG-8).

Within a page, white space runs fold to one space, Unicode is NFC, lone surrogates and NUL become U+FFFD. Pages are
joined by `\\n\\n---PAGE n---\\n\\n`. As a body holds no line break, a document cannot forge a separator. Paragraphs
vanish from the text, so canonicalising also yields where blocks began (R-4): chunking takes those offsets.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from octavo_contracts import Span, page_separator, page_spans

from .deadline import checkpoint
from .normal_forms import normalised

_UNSAFE = re.compile("[\x00\ud800-\udfff]")
_BLOCK_BREAK = re.compile(r"\n[^\S\n]*\n\s*")


class CanonicalBody(NamedTuple):
    """One page's canonical body.

    Attributes:
        text: the folded text.
        breaks: offsets in it at which a block (a paragraph, a heading, a row) begins, ascending, without 0.
    """

    text: str
    breaks: tuple[int, ...]


@dataclass(frozen=True)
class CanonicalText:
    """A canonical text with its structure. Canonicalising it again is the identity.

    Attributes:
        text: the text.
        pages: span of each page's body; one span for a document without pages.
        breaks: offsets at which a block begins, ascending.
        paginated: whether the pages are the document's own.
    """

    text: str
    pages: tuple[Span, ...]
    breaks: tuple[int, ...] = field(default=(), repr=False)
    paginated: bool = False

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the text in UTF-8: `normalized_text_hash`, and the hex of a digest's `source_text_hash`."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def page_text(self, number: int) -> str:
        """The body of a page, from 1."""
        return self.pages[number - 1].of(self.text)

    @classmethod
    def from_archive(cls, text: str) -> CanonicalText:
        """A canonical text read back from `canonical.txt`; block breaks are not kept there."""
        spans = page_spans(text)
        return cls(text, spans, paginated=len(spans) > 1)


def fold(text: str) -> str:
    """Fold a text to one canonical body without line breaks."""
    # Fast path for most pages: printable text needs no replacement, and a blank is its only white space.
    flat = text.replace("\n", " ")
    if flat.isprintable() and "  " not in flat:
        return flat.strip() if flat.isascii() else normalised("NFC", flat.strip())
    text = _UNSAFE.sub("\ufffd", text)
    if not text.isascii():
        text = normalised("NFC", text)
    return " ".join(text.split())


def canonical_body(text: str) -> CanonicalBody:
    """Fold a text and record where its blocks begin; blank lines separate blocks."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    parts = [folded for block in _BLOCK_BREAK.split(text) if (folded := _folded_in_time(block))]
    breaks: list[int] = []
    offset = 0
    for part in parts[:-1]:
        offset += len(part) + 1
        breaks.append(offset)
    return CanonicalBody(" ".join(parts), tuple(breaks))


def _folded_in_time(block: str) -> str:
    checkpoint()
    return fold(block)


def join_bodies(bodies: Sequence[CanonicalBody], *, paginated: bool) -> CanonicalText:
    """Join page bodies with the separators of DIG-7; empty pages stay.

    Args:
        bodies: the pages, first page first.
        paginated: whether they are pages; a document without pages is one body and has no separator.
    """
    pieces: list[str] = []
    spans: list[Span] = []
    breaks: list[int] = []
    offset = 0
    for number, body in enumerate(bodies, start=1):
        if number > 1:
            separator = page_separator(number)
            pieces.append(separator)
            offset += len(separator)
        pieces.append(body.text)
        spans.append(Span(start=offset, end=offset + len(body.text)))
        breaks.extend(offset + place for place in body.breaks)
        offset += len(body.text)
    return CanonicalText("".join(pieces), tuple(spans), tuple(breaks), paginated)


def canonicalise(text: str | CanonicalText) -> CanonicalText:
    """Canonicalise a plain text without pages; a canonical text is returned as it is (DIG-8)."""
    if isinstance(text, CanonicalText):
        return text
    return join_bodies([canonical_body(text)], paginated=False)


def hash_texts(texts: Iterable[str]) -> tuple[str, ...]:
    """SHA-256 of each text in UTF-8."""
    hashes = []
    for text in texts:
        checkpoint()
        hashes.append(hashlib.sha256(text.encode()).hexdigest())
    return tuple(hashes)
