"""Finds values of a kind in a text: a pattern finds the position, a third-party parser reads the value."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Final

from octavo_contracts.authoring.dates_and_times import DATE_RUN_INTO_TIME, MINUTES_BEHIND
from octavo_contracts.authoring.number_ranges import RANGE_BEFORE, RANGE_BEHIND
from octavo_contracts.authoring.value_patterns import is_whole_value, value_group

from .place import Place
from .wanted import Wanted

_MONTH: Final = r"[^\W\d_]{3,10}\.?"
_DATE: Final = re.compile(
    rf"(?<![\w/.\-])(?:{DATE_RUN_INTO_TIME}|(?:"
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})"
    rf"|\d{{1,2}}(?:st|nd|rd|th|er|\.)?[ \-](?:of )?{_MONTH}[ ,\-]{{1,2}}(?:\d{{4}}|\d{{2}}(?!\d))"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?, ?\d{{4}}"
    r"|\d{4}年\d{1,2}月\d{1,2}日"
    rf")(?![\w/]|[-.]\d|{MINUTES_BEHIND}))"
)
_DATE_TIME: Final = re.compile(
    r"(?<![\w/.\-])\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?"
)
_NUMBER: Final = r"\d{1,3}(?:[ ,.']\d{3})+(?:[.,]\d{1,2})?(?![\d])|\d+(?:[.,]\d+)?"
_SCALE: Final = r"(?: (?:thousand|million|billion|trillion)\b)?"
_SIGN: Final = r"(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|CAD|AUD|JPY|RM|US\$|A\$|C\$))"
_MINUS_BEHIND: Final = r"(?:[-−](?=\s*(?:$|\|)|\s+[^\s\d$€£¥₹a-zà-ÿ]))?(?![-−](?:[\s|]|$))"
"""A minus behind an amount, as in `0.02-`. Where a number or a sentence goes on, it may be a dash: the amount is not taken at all."""
_AMOUNT: Final = re.compile(
    rf"(?<![\w.,])(?<!{RANGE_BEFORE})[-−(]?(?:{_SIGN} ?[-−]?(?>{_NUMBER}){_SCALE}|(?>{_NUMBER}){_SCALE} ?(?:[€£]|\b(?:USD|EUR|GBP|CHF|CAD|AUD)\b))"
    rf"\)?{_MINUS_BEHIND}(?!{RANGE_BEHIND})"
)
_BARE: Final = r"(?:\d{1,3}(?:,\d{3})+|\d+)[.,]\d{2}"
_BARE_AMOUNT: Final = re.compile(
    rf"(?<![\w.,$€£:/#\-−–])(?:\({_BARE}\)|[-−]?{_BARE}{_MINUS_BEHIND})(?!{RANGE_BEHIND})(?![\w%]|[.,]\d)"
)
_PLAIN: Final = re.compile(
    rf"(?<![\w.,\-/])(?<!\d:)[-−]?(?:{_BARE}(?![\d,.]){_MINUS_BEHIND}|(?:{_NUMBER}){_SCALE})(?![\w/]|[.,:-]\d|[-−](?:[\s|]|$))"
)
_PERCENT: Final = re.compile(r" ?%")
_EMAIL: Final = re.compile(
    r"(?<![\w.+%-])[A-Za-z0-9][\w.+%-]{0,63}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\.[A-Za-z]{2,24}(?![\w@-]|\.\w)"
)
_URL: Final = re.compile(r"\b(?:https?://|www\.)[^\s<>\"'“”]{3,500}(?<![.,;:!?)\]])")
_PHONE: Final = re.compile(
    r"(?<![\w+.\-/])(?:\+\d{1,3}[ .\-]?(?:\(\d{1,4}\)[ .\-]?)?\d{1,4}|(?:\(\d{1,4}\)[ .\-]?)?\d{2,4})"
    r"(?:[ .\-]\d{2,8}){1,4}(?![\w]|[.\-/]\d)"
)
_CASE: Final = re.compile(
    r"(?<![\w:.\-])(?:\d{1,2}:)?\d{2,4}-(?:cv|cr|mc|md|mj|bk|ap|civ|crim|cvs|ca)-\d{2,7}(?:-[A-Z]{1,4}){0,4}(?![\w]|-\w)",
    re.IGNORECASE,
)
_CITATION: Final = re.compile(
    r"(?<![\w.])\d{1,4} (?:U\. ?S\. ?C\.(?: ?A\.)?|C\. ?F\. ?R\.|CFR|USC)(?: §{1,2})? ?\d{1,5}(?:\.\d{1,5})?[a-z]{0,2}(?:[-–]\d{1,4})?(?:\([\da-zA-Z]{1,3}\)){0,4}"
    r"|(?<![\w.])\d{1,4} (?:U\. ?S\.|S\. ?Ct\.|L\. ?Ed\.(?: ?2d)?|F\. ?Supp\.(?: ?[23]d)?|F\. ?App[’']x|F\.(?: ?(?:2d|3d|4th))?"
    r"|B\. ?R\.|F\. ?R\. ?D\.|(?:A|P|N\. ?E|N\. ?W|S\. ?E|S\. ?W|So)\.(?: ?[23]d)?) \d{1,5}(?![\w,]\d)"
)
_IDENTIFIER: Final = re.compile(
    r"(?<![\w\-/.])(?<!\w#)(?<!\d:)(?=[\w\-/.]*\d)[A-Za-z0-9](?:[\w]|[\-/.](?=\w)){1,39}(?![\w\-/]|:\d)"
)
_DIGITS_OF_A_PHONE: Final = 6
"""Minimum number of digits of a telephone number."""


def places(text: str, wanted: Wanted) -> list[Place]:
    """Return the positions in a text that may have the value of a field, in order, without overlaps."""
    if wanted.pattern is not None:
        return _matches(text, wanted.pattern)
    if wanted.kind == "citation":
        return _citations(text)
    found: list[Place] = []
    for pattern in _PATTERNS[wanted.kind]:
        found = _joined(found, [Place(*match.span()) for match in pattern.finditer(text)])
    if wanted.kind == "phone":
        return _phones(text, found)
    if wanted.kind == "number" and not wanted.rate:
        return [place for place in found if not _PERCENT.match(text, place.end)]
    return found


def _matches(text: str, pattern: re.Pattern[str]) -> list[Place]:
    """Return the values that the pattern of a field matches."""
    group = value_group(pattern)
    return [
        Place(*match.span(group), match.start() if group else None)
        for match in pattern.finditer(text)
        if match.group(group) and is_whole_value(text, match)
    ]


def _phones(text: str, found: list[Place]) -> list[Place]:
    """Return the positions that are no date or price, nor the end of one."""
    others = (*_PATTERNS["date"], _BARE_AMOUNT)
    days = [Place(*match.span()) for pattern in others for match in pattern.finditer(text)]
    numbers = [place for place in found if sum(map(str.isdecimal, text[place.start : place.end])) >= _DIGITS_OF_A_PHONE]
    return sorted(set(_joined(_joined([], sorted(days)), numbers)) - set(days))


def _joined(first: list[Place], second: list[Place]) -> list[Place]:
    """Merge two lists of positions, in order; of two that overlap, the one of the first list is kept."""
    ends = [place.end for place in first]
    free = []
    for place in second:
        at = bisect_right(ends, place.start)
        if at == len(first) or first[at].start >= place.end:
            free.append(place)
    return sorted([*first, *free])


def read(verbatim: str, wanted: Wanted) -> str | int | float | None:
    """Parse the text of a position; None if it can be read in two ways."""
    reader: Callable[[str, Wanted], Any] = _READERS.get(wanted.kind, _verbatim)
    value: str | int | float | None = reader(verbatim, wanted)
    return value


def _citations(text: str) -> list[Place]:
    """Return citations found by the pattern, and by eyecite if it is installed, which knows thousands of reporters."""
    found = [Place(*match.span()) for match in _CITATION.finditer(text)]
    if find_spec("eyecite") is not None:
        from eyecite import get_citations

        full = ("FullCaseCitation", "FullLawCitation", "FullJournalCitation")
        spans = [citation.span() for citation in get_citations(text) if type(citation).__name__ in full]
        found = _joined(found, [Place(start, end) for start, end in sorted(spans)])
    return found


def _verbatim(verbatim: str, wanted: Wanted) -> str:
    return verbatim


def _date(verbatim: str, wanted: Wanted) -> str | None:
    """Return a day, or None if three numbers can be read as a date in two orders."""
    import dateparser

    days = set()
    for order in [wanted.date_order] if wanted.date_order else ["dmy", "mdy", "ymd"]:
        settings: Any = {"DATE_ORDER": order.upper(), "STRICT_PARSING": True, "PREFER_LOCALE_DATE_ORDER": False}
        day = dateparser.parse(verbatim, settings=settings)
        if day is not None:
            days.add(day.date().isoformat())
    return days.pop() if len(days) == 1 else None


def _amount(verbatim: str, wanted: Wanted) -> float | int | None:
    from price_parser import Price

    scale = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}.get(verbatim.rsplit(" ", 1)[-1].lower(), 0)
    read = Price.fromstring(verbatim).amount
    if read is None:
        return None
    value = abs(read).scaleb(scale)
    if re.search(r"[-−(]", verbatim):
        value = -value
    if wanted.integer or value == value.to_integral_value():
        return int(value) if value == value.to_integral_value() else None
    return float(value)


_PATTERNS: Final[dict[str, tuple[re.Pattern[str], ...]]] = {
    "date": (_DATE_TIME, _DATE),
    "amount": (_AMOUNT, _BARE_AMOUNT),
    "number": (_PLAIN,),
    "email": (_EMAIL,),
    "url": (_URL,),
    "phone": (_PHONE,),
    "case_number": (_CASE,),
    "identifier": (_IDENTIFIER,),
}
"""Kind → its patterns, the most specific first."""

_READERS: Final[dict[str, Callable[[str, Wanted], Any]]] = {"date": _date, "amount": _amount, "number": _amount}
