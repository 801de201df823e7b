"""The part of a passage that a report quotes: whole sentences, from the first that has a term of the question."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from octavo_contracts import Span
from octavo_text.canonical import CanonicalText

from .matches import matched_terms

MAX_HEADING = 80
"""Code points of a block that counts as a heading, where it ends no sentence."""
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”’)]?\s+(?=[^\sa-z])|(?<=[。！？])")
_ENDS = re.compile(r"[.!?。！？][\"”’)]?\s*\Z")
_LEADERS = re.compile(r"(?:\.\s?){4,}|(?<![\w.])\d{1,3}(?:\.\d{1,3})+(?![\w.])|(?<=\s)[A-Z]-\d+\b")
_ENDS_IN_LEADER = re.compile(r"(?:\s\.){2,}\s*\Z")
_LEAST_LEADERS, _CHARS_A_LEADER = 6, 60


def quoted_parts(text: CanonicalText, question: str, spans: Sequence[Span]) -> list[Span]:
    """For each passage its part from the first sentence with a term of the question to the sentence after the last.

    What stands in a table or a list is left whole: its parts explain each other.

    Args:
        text: the text of the source.
        question: the question.
        spans: the passages.
    """
    units = [_units(text, span) for span in spans]
    matches = iter(matched_terms(question, [one.of(text.text) for held in units for one in held]))
    return [
        _part(text, span, held, [bool(next(matches)) for _ in held]) for span, held in zip(spans, units, strict=True)
    ]


def is_contents(passage: str) -> bool:
    """Whether a passage is of a table of contents: it names what the document has and says nothing of it."""
    found = len(_LEADERS.findall(passage))
    return _ENDS_IN_LEADER.search(passage) is not None or (
        found >= _LEAST_LEADERS and found * _CHARS_A_LEADER > len(passage)
    )


def _units(text: CanonicalText, span: Span) -> list[Span]:
    """The sentences of a passage; a block ends one, too."""
    body = span.of(text.text)
    first = bisect_right(text.breaks, span.start)
    ends = {span.start + match.end() for match in _SENTENCE_END.finditer(body)}
    ends.update(place for place in text.breaks[first:] if place < span.end)
    places = [span.start, *sorted(ends - {span.start, span.end}), span.end]
    return [Span(start=start, end=end) for start, end in pairwise(places)]


def _part(text: CanonicalText, span: Span, units: Sequence[Span], has_term: Sequence[bool]) -> Span:
    if not any(has_term):
        return span
    sentences = [bool(_ENDS.search(one.of(text.text))) for one in units]
    first = has_term.index(True)
    last = len(units) - 1 - has_term[::-1].index(True)
    if not sentences[first]:
        first = 0  # a row or a heading: what stands before it may be the head of its table
    end = len(units)
    # A heading at the end belongs to what follows the passage.
    if end - 1 > last and sentences[end - 2] and not sentences[end - 1] and _is_short(units[end - 1]):
        end -= 1
    # Sentences after the next one are of another thought; what follows a heading or the head of a table is what it names.
    if all(sentences[last:end]):
        end = min(end, last + 2)
    start, stop = units[first].start, units[end - 1].end
    body = text.text[start:stop]
    return Span(start=start, end=stop - (len(body) - len(body.rstrip())))


def _is_short(unit: Span) -> bool:
    return unit.end - unit.start <= MAX_HEADING
