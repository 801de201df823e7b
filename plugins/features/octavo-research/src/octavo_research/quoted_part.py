"""The part of a passage that a report quotes: whole sentences, from the first that has a term of the question."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from octavo_contracts import Span
from octavo_text.canonical import CanonicalText

from .matches import matched_terms

MAX_HEADING = 80
"""Code points of a block that counts as a heading, where it ends no sentence."""
LEAST_WORDS = 4
"""Words of a sentence that follows the last with a term."""
MOST_HEADINGS, LEAST_ROWS = 4, 2
"""Lines that may be a title with its headings; lines with numbers that are rows."""
MOST_COMPLETED = 300
"""Code points that a quotation may have beyond its passage, to end with a sentence or a table."""
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”’)]?\s+(?=[^\sa-z])|(?<=[。！？])")
_ENDS = re.compile(r"[.!?。！？][\"”’)]?\s*\Z")
_LEADERS = re.compile(r"(?:\.\s?){4,}|(?<![\w.])\d{1,3}(?:\.\d{1,3})+(?![\w.])|(?<=\s)[A-Z]-\d+\b")
_ENDS_IN_LEADER = re.compile(r"(?:\s\.){2,}\s*\Z")
_LEAST_LEADERS, _CHARS_A_LEADER = 6, 60


def quoted_parts(text: CanonicalText, question: str, spans: Sequence[Span]) -> list[Span]:
    """For each passage its part from the first sentence with a term of the question to the sentence after the last.

    A passage that was cut within a sentence or a table is quoted to the end of it, where that is near. The lines of a table stay
    together, and a heading above sentences that say the same is left out.

    Args:
        text: the text of the source.
        question: the question.
        spans: the passages.
    """
    units = [_units(text, _completed(text, span)) for span in spans]
    matches = iter(matched_terms(question, [one.of(text.text) for held in units for one in held]))
    return [_part(text, span, held, [next(matches) for _ in held]) for span, held in zip(spans, units, strict=True)]


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


def _completed(text: CanonicalText, span: Span) -> Span:
    """A passage to the end of the sentence or the table in which it was cut; itself where that end is far."""
    page_end = next((page.end for page in text.pages if page.start <= span.start < page.end), span.end)
    end = span.end
    if not _ENDS.search(span.of(text.text)):
        block_end = _block_end(text, end, page_end)
        sentence = _SENTENCE_END.search(text.text, max(span.start, end - 2), block_end)
        end = sentence.start() if sentence is not None else block_end
        if sentence is None and not _ENDS.search(text.text[span.start : end]):
            end = _table_end(text, end, page_end)
    while end > span.end and text.text[end - 1].isspace():
        end -= 1
    return Span(start=span.start, end=end) if span.end < end <= span.end + MOST_COMPLETED else span


def _block_end(text: CanonicalText, place: int, page_end: int) -> int:
    """Where the block of a place ends; a place at the end of a block is in it."""
    at = bisect_left(text.breaks, place)
    return min(text.breaks[at], page_end) if at < len(text.breaks) else page_end


def _table_end(text: CanonicalText, end: int, page_end: int) -> int:
    """The end of the lines that follow a line."""
    while end < page_end:
        following = _block_end(text, end + 1, page_end)
        line = text.text[end:following].strip()
        if following <= end or not _is_line(line) or _is_heading(line):
            break
        end = following
    return end


def _part(text: CanonicalText, span: Span, units: Sequence[Span], terms: Sequence[tuple[int, ...]]) -> Span:
    matched = [place for place, held in enumerate(terms) if held]
    if not matched:
        return span
    bodies = [one.of(text.text) for one in units]
    is_line = [_is_line(body) for body in bodies]
    first = _first(bodies, is_line, terms, matched)
    end = _end(bodies, is_line, max(first, matched[-1]))
    start, stop = units[first].start, units[end - 1].end
    body = text.text[start:stop]
    return Span(start=start, end=stop - (len(body) - len(body.rstrip())))


def _first(
    bodies: Sequence[str], is_line: Sequence[bool], terms: Sequence[tuple[int, ...]], matched: Sequence[int]
) -> int:
    """The unit with which a quotation begins."""
    first = matched[0]
    if not is_line[first]:
        return first
    after = next((place for place in range(first, len(bodies)) if not is_line[place]), len(bodies))
    sentences = [place for place in matched if place >= after and not is_line[place]]
    told = {term for place in sentences for term in terms[place]}
    if not _is_table(bodies[first:after]) and told.issuperset(term for held in terms[first:after] for term in held):
        return sentences[0] if sentences else first
    while first > 0 and is_line[first - 1]:  # what stands before a row may be the head of its table
        first -= 1
    return first


def _end(bodies: Sequence[str], is_line: Sequence[bool], last: int) -> int:
    """The end of a quotation whose last unit with a term is `last`."""
    end = last + 1
    if is_line[last]:
        begin = last
        while begin > 0 and is_line[begin - 1]:
            begin -= 1
        while end < len(bodies) and is_line[end]:
            end += 1
        if _is_table(bodies[begin:end]):
            # A heading after the last row belongs to what follows it.
            while end - 1 > last and end < len(bodies) and _is_heading(bodies[end - 1]):
                end -= 1
            return end
        end = min(end + 1, len(bodies))  # a heading names what follows it
    # Later sentences are of another thought, and a label such as *Table 1.* is no sentence.
    is_sentence = end < len(bodies) and not is_line[end] and len(bodies[end].split()) >= LEAST_WORDS
    return end + 1 if is_sentence else end


def _is_line(body: str) -> bool:
    """Whether a unit is a heading, a row or another line, and no sentence."""
    return _ENDS.search(body) is None


def _is_table(lines: Sequence[str]) -> bool:
    """Whether lines are rows of a table or a list, and not a title with its headings."""
    return len(lines) > MOST_HEADINGS or sum(any(map(str.isdigit, line)) for line in lines) >= LEAST_ROWS


def _is_heading(body: str) -> bool:
    return _is_line(body) and len(body) <= MAX_HEADING and not any(map(str.isdigit, body))
