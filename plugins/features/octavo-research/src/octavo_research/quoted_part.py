"""The part of a passage that a report quotes: whole sentences, from the first that has a term of the question."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from octavo_contracts import Span
from octavo_text.canonical import CanonicalText

from .matches import matched_terms, strong_places

MAX_HEADING = 80
"""Code points of a block that counts as a heading, where it ends no sentence."""
LEAST_WORDS = 4
"""Words of a sentence that follows the last with a term."""
MOST_HEADINGS, LEAST_ROWS = 4, 2
"""Lines that may be a title with its headings; lines with numbers that are rows."""
MOST_COMPLETED = 300
"""Code points that a quotation may have beyond its passage, to end with a sentence or a table."""
_ABBREVIATED = "".join(
    rf"(?<!\b{one}\.)" for one in ("Mr", "Mrs", "Ms", "Dr", "Prof", "St", "No", "Nos", "Art", "Fig", "[A-Z]")
)
MOST_NOTES = 180
"""Code points of the notes in brackets that may stand between a sentence and the next one."""
_NOTES = r"(?:\[[^\[\]]{1,40}\]){0,4}"  # such as [12][citation needed], after the full stop
_SENTENCE_END = re.compile(rf"(?<=[.!?]){_ABBREVIATED}[\"”’)]?{_NOTES}\s+(?=[^\sa-z])|(?<=[。！？])")
_ENDS = re.compile(rf"[.!?。！？][\"”’)]?{_NOTES}\s*\Z")
_LEADERS = re.compile(r"(?:\.\s?){4,}|(?<![\w.])\d{1,3}(?:\.\d{1,3})+(?![\w.])|(?<=\s)[A-Z]-\d+\b")
_ENDS_IN_LEADER = re.compile(r"(?:\s\.){2,}\s*\Z")
_LEAST_LEADERS, _CHARS_A_LEADER = 6, 60


@dataclass(frozen=True, kw_only=True)
class QuotedPart:
    """The part of a passage that a report quotes.

    Attributes:
        span: its place.
        sentence: the place of its sentence or row with the most terms of the question.
        terms: the terms that this sentence has; none where the part is a heading or a question.
        is_cut_before: whether the part begins within a sentence.
        is_cut_after: whether it ends within one.
    """

    span: Span
    sentence: Span
    terms: tuple[int, ...]
    is_cut_before: bool
    is_cut_after: bool


def quoted_parts(
    text: CanonicalText, question: str, spans: Sequence[Span], *, named: Sequence[int] = ()
) -> list[QuotedPart]:
    """For each passage its part from the first sentence with a term of the question to the sentence after the last.

    A passage that was cut within a sentence or a table is quoted from the beginning and to the end of it, where that is near. The
    lines of a table stay together, and a heading above sentences that say the same is left out.

    Args:
        text: the text of the source.
        question: the question.
        spans: the passages.
        named: places of the question's terms that the name of the source has: they hold for each sentence.
    """
    units = [_units(text, _completed(text, span)) for span in spans]
    matches = iter(matched_terms(question, [one.of(text.text) for held in units for one in held]))
    strong = strong_places(question)
    found = []
    for span, held in zip(spans, units, strict=True):
        terms = [next(matches) for _ in held]
        part = _part(text, span, held, terms)
        inside = [(one, had) for one, had in zip(held, terms, strict=True) if part.start <= one.start < part.end]
        sentence, had = _best_sentence(text, inside, strong, frozenset(named)) if inside else (part, ())
        before, after = _is_cut(text, part)
        found.append(QuotedPart(span=part, sentence=sentence, terms=had, is_cut_before=before, is_cut_after=after))
    return found


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
    """A passage from the beginning and to the end of the sentences, or the table, in which it was cut, where these are near."""
    span = Span(start=_sentence_start(text, span.start), end=span.end)
    page_end = next((page.end for page in text.pages if page.start <= span.start < page.end), span.end)
    end = span.end
    if not _ENDS.search(span.of(text.text)):
        block_end = _block_end(text, end, page_end)
        sentence = _SENTENCE_END.search(text.text, max(span.start, end - 2), block_end)
        end = sentence.start() if sentence is not None else block_end
        if sentence is None and not _ENDS.search(text.text[span.start : end]):
            end = _table_end(text, end, page_end)
    end = max(span.end, _before_blanks(text.text, end))
    return Span(start=span.start, end=end) if span.end < end <= span.end + MOST_COMPLETED else span


def _sentence_start(text: CanonicalText, place: int) -> int:
    """Where the sentence of a place begins; the place itself where that is far."""
    page_start = next((page.start for page in text.pages if page.start <= place < page.end), 0)
    at = bisect_right(text.breaks, place)
    start = max(page_start, text.breaks[at - 1] if at else 0, place - MOST_COMPLETED)
    is_far = start == place - MOST_COMPLETED
    # A sentence ends at a place, too, where white space stands before that place.
    ends = [match.end() for match in _SENTENCE_END.finditer(text.text, start, min(place + 1, len(text.text)))]
    ends = [end for end in ends if end <= place]
    return _after_blanks(text.text, max(ends, default=place if is_far else start), place)


def _is_cut(text: CanonicalText, part: Span) -> tuple[bool, bool]:
    """Whether a part begins, and whether it ends, within a sentence; one that goes on over a page is cut, too."""
    body = part.of(text.text)
    page = next((page for page in text.pages if page.start <= part.start < page.end), None)
    first, last = (page.start, page.end) if page is not None else (0, len(text.text))
    before, after = text.text[first : part.start], text.text[part.end : last]
    if before.strip():
        is_cut_before = _is_within(text, part.start)
    else:
        is_cut_before = body[:1].islower() and _goes_on(text.text[:first])
    if after.strip():
        is_cut_after = _ENDS.search(body) is None and _is_within(text, part.end)
    else:
        is_cut_after = _goes_on(body) and text.text[last:].lstrip()[:1].islower()
    return is_cut_before, is_cut_after


def _goes_on(text: str) -> bool:
    """Whether a text ends with a word of an unfinished sentence."""
    return bool(text.strip()) and _ENDS.search(text) is None


def _is_within(text: CanonicalText, place: int) -> bool:
    """Whether a place with text of its page before and behind it is in a sentence, and neither at its beginning nor at its end."""
    start, end = _before_blanks(text.text, place), _after_blanks(text.text, place, len(text.text))
    at = bisect_left(text.breaks, start)
    if at < len(text.breaks) and text.breaks[at] <= end:
        return False
    return not any(
        start <= match.end() <= end for match in _SENTENCE_END.finditer(text.text, max(0, start - MOST_NOTES), end + 1)
    )


def _before_blanks(text: str, place: int) -> int:
    """Where the white space before a place begins."""
    while place > 0 and text[place - 1].isspace():
        place -= 1
    return place


def _after_blanks(text: str, place: int, end: int) -> int:
    """Where the white space behind a place ends, `end` at most."""
    while place < end and text[place].isspace():
        place += 1
    return place


def _best_sentence(
    text: CanonicalText, units: Sequence[tuple[Span, tuple[int, ...]]], strong: frozenset[int], named: frozenset[int]
) -> tuple[Span, tuple[int, ...]]:
    """The sentence or row with the most terms; a question answers nothing, and neither does a heading that stands alone."""

    def rank(unit: tuple[Span, tuple[int, ...]]) -> tuple[int, int, int, bool, int]:
        span, terms = unit
        is_sentence = not _is_line(span.of(text.text))  # of equal ones a title or a row says less
        held = len(strong.intersection(named.union(terms)))
        return held, len(strong.intersection(terms)), len(terms), is_sentence, span.start - span.end

    bodies = [span.of(text.text).strip() for span, _ in units]
    told = [unit for unit, body in zip(units, bodies, strict=True) if not body.endswith(("?", "？"))]
    if not told or all(map(_is_heading, bodies)):
        return units[0][0], ()
    return max(told, key=rank)


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
