"""Recognises sentences and headings among the fragments that a conversion mistook for them, which are not shown."""

from __future__ import annotations

import re
from dataclasses import replace

from octavo_contracts import Span
from octavo_digest.sentences import sentence_spans
from octavo_text.canonical import CanonicalText

LONGEST_HEADING = 150
_ITEM = re.compile(r"\s*[•·▪◦‣∙–—*]\s")
_SENTENCE_WORDS = 8
"""A heading of so many words that ends in a full stop is a sentence; a sentence that ends in a colon has so many."""
_ENDED = re.compile(r"[.!?:;…。！？؟।]['\"”’»)\]*†‡]*(?:\[?\d{1,3}\]?)?$")
_LETTERS = 0.6
"""Least share of letters among the signs of a sentence: rows of figures have fewer."""


def is_heading(text: str) -> bool:
    """Return whether a line that is marked as a heading may be one: no list item, no paragraph, no sentence, no figures."""
    if len(text) > LONGEST_HEADING or _ITEM.match(text) or not any(sign.isalpha() for sign in text):
        return False
    return not (text.endswith((".", ";", ",")) and len(text.split()) >= _SENTENCE_WORDS)


def is_worded(text: str) -> bool:
    """Return whether a stretch of text is made of words rather than of figures."""
    signs = [sign for sign in text if not sign.isspace()]
    return sum(sign.isalpha() for sign in signs) >= _LETTERS * len(signs)


def prose(text: CanonicalText) -> CanonicalText:
    """Reduce the pages of a text to its whole sentences; offsets are unchanged.

    A sentence begins with no small letter, ends in a mark that ends sentences, and is made of words: addresses, rows of figures and
    the second half of a sentence are left out.
    """
    kept: list[Span] = []
    for span in sentence_spans(text):
        said = span.of(text.text).strip()
        if said and not said[0].islower() and _is_ended(said) and is_worded(said):
            kept.append(span)
    return replace(text, pages=tuple(kept))


def _is_ended(said: str) -> bool:
    ended = _ENDED.search(said)
    return ended is not None and (ended.group()[0] not in ":;" or len(said.split()) >= _SENTENCE_WORDS)
