"""Finds dates, amounts and case numbers in a text, each once, in order of first mention."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from octavo.text.canonical import CanonicalText
from octavo.text.deadline import checkpoint
from octavo_library.text.dates import month_names, one_reading
from octavo_library.text.numbers import SCALES, number_reading

from .quoting import Quoted, quote

MOST = 50
"""Maximum mentions of each kind: a brief is not an index."""

_MONTH = rf"(?:{month_names(least=3)})\b\.?"
DATE = re.compile(
    rf"\b(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of |de )?{_MONTH},? (?:de )?\d{{4}}"
    r"|\d{4}-\d\d-\d\d|\d{1,2}/\d{1,2}/(?:\d{4}|\d\d))\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    rf"(?:(?:US|CA|AU|HK)?\$|[€£¥₹]|\b(?:USD|EUR|GBP|CHF) ?)\s?\d(?:[\d,.]{{0,40}}\d)?(?: (?:{'|'.join(SCALES)})\b)?"
    rf"|(?<![\d,.])\b\d(?:[\d,.]{{0,40}}\d)?(?: (?:{'|'.join(SCALES)}))? (?:dollars|euros|pounds|USD|EUR|GBP|CHF)\b",
    re.IGNORECASE,
)
CASE_NUMBER = re.compile(
    r"\b(?:Case|Civil Action|Criminal|Docket|Cause|Index|Civ\.?|C\.A\.|Claim)(?: File)? ?(?:No|Nos|Number|Nr|#)\b\.?:?"
    r" ?(?P<number>(?=[\w:./-]{0,80}\d)[A-Za-z0-9][\w:./-]{0,80}[A-Za-z0-9](?:\([A-Z]{1,4}\))*)",
    re.IGNORECASE,
)


def dates(text: CanonicalText) -> tuple[Quoted, ...]:
    """Return the mentioned days whose notation is unambiguous, ISO 8601."""
    return _each(text, DATE, lambda found: one_reading(found.group()))


def amounts(text: CanonicalText) -> tuple[Quoted, ...]:
    """Return amounts of money, as written in the text."""

    def value(found: re.Match[str]) -> str | None:
        said = re.sub(r"(?i)\b(?:dollars|euros|pounds)\b", "", found.group()).strip()
        return found.group() if number_reading(said) is not None else None

    return _each(text, _AMOUNT, value)


def case_numbers(text: CanonicalText) -> tuple[Quoted, ...]:
    """Return numbers that the text labels as court case numbers."""
    return _each(text, CASE_NUMBER, lambda found: found["number"], group="number")


def _each(
    text: CanonicalText,
    pattern: re.Pattern[str],
    value: Callable[[re.Match[str]], str | None],
    *,
    group: str | int = 0,
) -> tuple[Quoted, ...]:
    found: dict[str, Quoted] = {}
    for match in _matches(text, pattern):
        checkpoint()
        said = value(match)
        if said is None or said in found:
            continue
        found[said] = quote(text, match.start(group), match.end(group), value=said)
        if len(found) == MOST:
            break
    return tuple(found.values())


def _matches(text: CanonicalText, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield matches within single pages: text around a page separator belongs to two pages."""
    for page in text.pages:
        yield from pattern.finditer(text.text, page.start, page.end)
