"""Reads the cover and the items of a filing with the Securities and Exchange Commission."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from octavo_library.text.dates import one_reading
from octavo_text.canonical import CanonicalText

from .mentions import DATE
from .quoting import Line, Quoted, quote

COVER_CHARS = 12_000
_LONGEST_COVER_LINE = 120
_FORM = re.compile(
    r"\bFORM\s+(?P<form>10-?K(?:/A)?|10-?Q(?:/A)?|8-?K(?:/A)?|20-?F|6-?K|S-[1348]|DEF\s*14A|13[DFG])\b", re.I
)
_COMMISSION = re.compile(r"securities\s+and\s+exchange\s+commission", re.I)
_PERIOD = re.compile(
    r"(?:for\s+the\s+(?:fiscal|quarterly|annual|transition)?\s*(?:year|quarter|period)\s+ended|date\s+of\s+report"
    r"(?:\s*\([^)]{0,60}\))?)\s*:?\s*",
    re.I,
)
_FILE_NUMBER = re.compile(
    r"commission\s+file\s+(?:number|no\.?)s?\s*:?\s*(?P<number>\d{1,3}-\d{3,6}(?:-\d{1,2})?)", re.I
)
_FILE_LABEL = re.compile(r"\(?\s*commission\s+file\s+(?:number|no)", re.I)
_BARE_NUMBER = re.compile(r"(?<![\w-])\d{1,3}-\d{3,6}(?:-\d{1,2})?(?![\w-])")
_ABOVE = 200
"""Code points before a label that are searched for its number."""
_EMPLOYER = re.compile(r"\b\d\d-\d{7}\b")
_EXACT_NAME = re.compile(r"\(?\s*exact\s+name\s+of\s+(?:the\s+)?registrant", re.I)
_ITEM = re.compile(
    r"^(?:PART\s+[IVX]+\b[\s,–—-]*)?ITEM\s+(?P<number>\d{1,2}[A-C]?(?:\.\d\d)?)\b[.:\s–—-]*+(?!(?:of|to|and|in|or|for|above|below)\b)",
    re.I,
)
_RULE = " _-–—=*("
"""Characters printed around a name."""
_LEADER = re.compile(r"(?:\.\s?){4,}|\s\d{1,3}$")


@dataclass(frozen=True, kw_only=True)
class FilingHeader:
    """The cover of a filing; missing parts are None.

    Attributes:
        form: the form, for example 10-K.
        company: the registrant's name.
        period: last day of the period, or date of the report, ISO 8601.
        file_number: the Commission's file number.
        employer_number: the employer identification number.
    """

    form: Quoted
    company: Quoted | None
    period: Quoted | None
    file_number: Quoted | None
    employer_number: Quoted | None


def filing_header(text: CanonicalText, lines: Sequence[Line]) -> FilingHeader | None:
    """Return the cover if it names the form and the Commission, else None.

    Args:
        text: the canonical text.
        lines: lines of the document.
    """
    end = min(len(text.text), COVER_CHARS)
    form = _form(text, lines, end)
    if form is None or not _COMMISSION.search(text.text, 0, end):
        return None
    employer = _EMPLOYER.search(text.text, 0, end)
    return FilingHeader(
        form=quote(text, *form.span("form"), value=form["form"].upper().replace(" ", "")),
        company=_company(text, lines),
        period=_period(text, end),
        file_number=_file_number(text, end),
        employer_number=quote(text, *employer.span()) if employer else None,
    )


def _form(text: CanonicalText, lines: Sequence[Line], end: int) -> re.Match[str] | None:
    """Return the form that a cover names, or the first line that is short and names one.

    A paragraph of another document only mentions a form.
    """
    if _EXACT_NAME.search(text.text, 0, end):
        return _FORM.search(text.text, 0, end)
    for line in lines:
        if line.span.start >= end:
            break
        if len(line.text) <= _LONGEST_COVER_LINE and (found := _FORM.search(text.text, line.span.start, line.span.end)):
            return found
    return None


def filing_items(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return the starting lines of a filing's items; of several, the last, because the first is in the contents."""
    found: dict[str, Line] = {}
    for line in lines:
        match = _ITEM.match(line.text)
        if match is None or _LEADER.search(line.text):
            continue
        found[match["number"].upper()] = line
    return tuple(sorted(found.values(), key=lambda line: line.span.start))


def _company(text: CanonicalText, lines: Sequence[Line]) -> Quoted | None:
    """Return the line above the words 'exact name of registrant', or the text before them in their line."""
    for place, line in enumerate(lines):
        if line.span.start > COVER_CHARS:
            return None
        found = _EXACT_NAME.search(line.text)
        if found is None:
            continue
        before = line.text[: found.start()].strip(_RULE)
        if before:
            start = line.span.start + line.text.index(before)
            return quote(text, start, start + len(before))
        if place:
            above = lines[place - 1]
            name = above.text.strip(_RULE)
            start = above.span.start + above.text.index(name)
            return quote(text, start, start + len(name)) if name else None
    return None


def _file_number(text: CanonicalText, end: int) -> Quoted | None:
    """Return the number after the words 'Commission file number', or above them, as forms print it."""
    if after := _FILE_NUMBER.search(text.text, 0, end):
        return quote(text, *after.span("number"))
    label = _FILE_LABEL.search(text.text, 0, end)
    if label is None:
        return None
    above = list(_BARE_NUMBER.finditer(text.text, max(0, label.start() - _ABOVE), label.start()))
    return quote(text, *above[-1].span()) if above else None


def _period(text: CanonicalText, end: int) -> Quoted | None:
    for match in _PERIOD.finditer(text.text, 0, end):
        named = DATE.match(text.text, match.end())
        if named is not None and (day := one_reading(named.group())) is not None:
            return quote(text, *named.span(), value=day)
    return None
