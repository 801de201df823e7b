"""Reads the caption of a court document: court, parties, case number, title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from octavo_text.canonical import CanonicalText

from .mentions import CASE_NUMBER
from .quoting import Line, Quoted, quote

OPENING = 80
"""Number of lines searched for a caption."""
_COURT = re.compile(
    r"\b(?:district|superior|supreme|circuit|bankruptcy|high|family|probate|county|appellate|chancery|magistrates?)"
    r"\s+court\b|\bcourt\s+of\b|\bin\s+the\s+.{0,60}\bcourt\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"^(?:for|of|in)\s+the\b|\b(?:district|division|county|state)\b", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:plaintiffs?|petitioners?|appellants?|claimants?)\b", re.IGNORECASE)
_SECOND = re.compile(r"\b(?:defendants?|respondents?|appellees?)\b", re.IGNORECASE)
_ALONE = re.compile(r"^\W*(?:v\.?|vs\.?|against|-\s*v\.?\s*-)\W*$", re.IGNORECASE)
_AGAINST = re.compile(rf"{_ALONE.pattern}|(?:^|[\s,])(?:v|vs)\.\s", re.IGNORECASE)
_VERSUS = re.compile(r"(?:^|[\s,;])(?:v|vs)\.\s+", re.IGNORECASE)
"""Between the sides of a caption that is printed on one line."""
_TITLE = re.compile(
    r"\b(?:COMPLAINT|MOTION|MEMORANDUM|BRIEF|OPPOSITION|STIPULATION|ORDER|ANSWER|PETITION|NOTICE|DECLARATION|AFFIDAVIT"
    r"|JUDGMENT|OPINION|SUMMONS)\b"
)
_NO_NAME = re.compile(r"^(?:in the|case|no\b|civil|docket|index|jury|hon|judge|filed)", re.IGNORECASE)
_COLUMN = " )(|§"
"""Characters printed between the columns of a caption."""
_MOST_NAMES = 12


@dataclass(frozen=True, kw_only=True)
class CourtCaption:
    """The caption of a court document; missing parts are None or empty.

    Attributes:
        court: name of the court, as on the page.
        first_parties: plaintiffs, petitioners, appellants, as on the page.
        second_parties: defendants, respondents, appellees.
        case_number: the number.
        title: kind of court document.
    """

    court: Quoted | None
    first_parties: tuple[Quoted, ...]
    second_parties: tuple[Quoted, ...]
    case_number: Quoted | None
    title: Quoted | None


def court_caption(text: CanonicalText, lines: Sequence[Line]) -> CourtCaption | None:
    """Return the caption if the first pages name a court and one of the sides, else None.

    Args:
        text: the canonical text.
        lines: lines of the document.
    """
    opening = [line for line in lines[:OPENING] if line.page <= 2]
    first = next((place for place, line in enumerate(opening) if _COURT.search(line.text)), None)
    if first is None:
        return None
    last = first
    while last + 1 < len(opening) and last - first < 3 and _GOES_ON.search(opening[last + 1].text):
        last += 1
    after = opening[last + 1 :]
    one = _side(text, after, ends=_FIRST, begins=None)
    two = _side(text, after, ends=_SECOND, begins=_AGAINST)
    if not one and not two:
        return None
    number = CASE_NUMBER.search(text.text, opening[0].span.start, opening[-1].span.end)
    title = next((line for line in after if _TITLE.search(line.text) and line.text.upper() == line.text), None)
    return CourtCaption(
        court=quote(text, opening[first].span.start, opening[last].span.end),
        first_parties=one,
        second_parties=two,
        case_number=quote(text, *number.span("number")) if number else None,
        title=quote(text, title.span.start, title.span.end) if title else None,
    )


def _side(
    text: CanonicalText, lines: Sequence[Line], *, ends: re.Pattern[str], begins: re.Pattern[str] | None
) -> tuple[Quoted, ...]:
    """Return the names before the word for a side, back to where the side begins."""
    end = next((place for place, line in enumerate(lines) if ends.search(line.text)), None)
    if end is None:
        return ()
    start = 0
    if begins is not None:
        start = next((place + 1 for place in range(end - 1, -1, -1) if begins.search(lines[place].text)), end)
    named: list[Quoted] = []
    for place in range(start, end + 1):
        line = lines[place]
        cut = ends.search(line.text)
        name = line.text[: cut.start()] if cut is not None else line.text
        sides = _VERSUS.split(name)
        name = sides[0] if begins is None else sides[-1]
        name = CASE_NUMBER.split(name.strip(_COLUMN))[0].strip(" ,;:)(|§")
        if len(name) < 2 or _NO_NAME.match(name) or _ALONE.match(line.text):
            continue
        at = line.span.start + (line.text.index(name) if begins is None else line.text.rindex(name, 0, _end(cut, line)))
        named.append(quote(text, at, at + len(name)))
    return tuple(named[:_MOST_NAMES])


def _end(cut: re.Match[str] | None, line: Line) -> int:
    return cut.start() if cut is not None else len(line.text)
