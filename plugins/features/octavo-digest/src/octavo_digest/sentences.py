"""Splits a canonical text into sentences with spans, for extractive summaries."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import pairwise

from octavo_contracts import Span
from octavo_text.canonical import CanonicalText
from octavo_text.deadline import checkpoint

_END = re.compile(
    # Each matches a whole run of marks possessively, without backtracking: a line of dots is scanned once.
    r"""(?:(?<![.!?…])[.!?…]++["'’”»)\]]*+(?=\s)|[。！？｡]++["'」』”’）]*+|(?<![؟۔।॥])[؟۔।॥]++(?=\s|$))\s*""",
)
_NO_END = re.compile(
    r"(?<![^\s(\[])(?:[A-ZÀ-ÞА-Я]|e\.g|i\.e|cf|vs|etc|al|Dr|Mr|Mrs|Ms|Prof|St|No|Nr|Fig|Figs|Eq|Tab|Vol|pp|p|Inc|Ltd|Co|Corp|v|Fed|Civ|Crim|Supp|Cir|approx|z\.B|bzw|ca|г|т\.е)\.\s*\Z"
)
"""An initial or an abbreviation: its full stop does not end a sentence."""
_REPORTER = re.compile(r"\b(?:[A-Z]\.){1,3}[A-Z]\.\s*\Z")
"""Initials such as "U.S." or "F.S.C."; before a digit or a paragraph sign they are a citation, as in "551 U.S. 308"."""
_ORDINAL_AFTER = re.compile(
    r"(?<!\w)(?:(?<!\bI )am|im|beim|vom|zum|zur|de[mnrs]|die|das|ins|seit|ab|jede[mnrs]?)\s\d{1,3}\.\s*\Z",
    re.IGNORECASE,
)
"""A number after a German article or preposition, as in "im 19. Jahrhundert": its full stop marks an ordinal."""
_DAY = re.compile(r"(?<![\w.,])(?:[1-9]|[12]\d|3[01])\.\s*\Z")
_MONTH = re.compile(
    r"(?:Jan(?:uar|\.)|Jänner|Feb(?:ruar|\.)|Feber|März|Mrz\.|Apr(?:il|\.)|Mai|Jun[io]|Jul[io]|Aug(?:ust|\.)"
    r"|Sept?(?:ember|\.)|Okt(?:ober|\.)|Nov(?:ember|\.)|Dez(?:ember|\.))(?!\w)"
)
"""A German month after the number of a day, as in "3. Mai": together they are a date."""
_SHORT_MONTH = re.compile(r"(?<=\d\.\s)(?:Jan|Feb|Mrz|Apr|Aug|Sept?|Okt|Nov|Dez)\.\s*\Z")
"""A shortened German month after the number of a day; before a digit it continues a date, as in "12. Okt. 1990"."""
_LOOK_BACK = 12


def sentence_spans(text: CanonicalText) -> tuple[Span, ...]:
    """Return the trimmed sentences in order; none crosses a page boundary or the start of a block."""
    spans: list[Span] = []
    for page in text.pages:
        first, last = bisect_right(text.breaks, page.start), bisect_left(text.breaks, page.end)
        edges = [page.start, *text.breaks[first:last], page.end]
        for start, end in pairwise(edges):
            spans.extend(_of_block(text.text, start, end))
    return tuple(spans)


def _of_block(text: str, start: int, end: int) -> list[Span]:
    spans = []
    place = start
    for match in _END.finditer(text, start, end):
        checkpoint()
        if match.end() < end and not _ends(text, match, place):
            continue
        spans.append(trimmed(text, place, match.end()))
        place = match.end()
    spans.append(trimmed(text, place, end))
    return [span for span in spans if span.end > span.start]


def _ends(text: str, match: re.Match[str], floor: int) -> bool:
    """True if a sentence ends here: not within an abbreviation or a German ordinal, nor before a lower-case letter."""
    if match.group()[0] not in ".…":
        return True
    if text[match.end()].islower():
        return False
    start = max(floor, match.start() - _LOOK_BACK)
    if _NO_END.search(text, start, match.end()) is not None:
        return False
    if text[match.end()] in "0123456789§" and _REPORTER.search(text, start, match.end()) is not None:
        return False
    return not _is_ordinal(text, start, match.end())


def _is_ordinal(text: str, start: int, end: int) -> bool:
    """Return whether a full stop marks a German ordinal, or a shortened month between day and year (DIG-18)."""
    if _ORDINAL_AFTER.search(text, start, end) is not None:
        return True
    if text[end].isdigit() and _SHORT_MONTH.search(text, start, end) is not None:
        return True
    return _DAY.search(text, start, end) is not None and _MONTH.match(text, end) is not None


def trimmed(text: str, start: int, end: int) -> Span:
    """Return a span without white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start=start, end=end)
