"""Finds dates, amounts and case numbers in a text, each once, in order of first mention."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from octavo.builtins.classification.text_tables import is_row
from octavo_library.text.dates import month_names, one_reading
from octavo_library.text.numbers import SCALES, number_reading
from octavo_text.canonical import CanonicalText
from octavo_text.deadline import checkpoint

from .prose import is_worded
from .quoting import Line, Quoted, quote

MOST = 50
"""Maximum mentions of each kind: a brief is not an index."""

_MONTH = rf"(?:{month_names(least=3)})\b\.?"
DATE = re.compile(
    rf"\b(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of |de )?{_MONTH},? (?:de )?\d{{4}}"
    r"|\d{4}-\d\d-\d\d|\d{1,2}/\d{1,2}/(?:\d{4}|\d\d))\b",
    re.IGNORECASE,
)
_SIGN = r"(?:(?:US|CA|AU|HK)?\$|[€£¥₹]|\b(?:USD|EUR|GBP|CHF)(?= ?\d))"
_NUMBER = r"\d(?:[\d,.]{0,40}\d)?"
_SCALE = rf"(?: ?(?:{'|'.join(SCALES)})\b|[kmb]\b)"
_TO = rf"(?: ?[-–—] ?(?:{_SIGN} ?)?{_NUMBER}(?![\d%])| (?:to|and) (?:{_SIGN} ?)?{_NUMBER}(?={_SCALE}))"
"""The second half of a range. A scale after it is that of both: `$850-950 million`, `$1.2 to $1.4 billion`."""
_AMOUNT = re.compile(
    rf"{_SIGN}\s?{_NUMBER}{_SCALE}?{_TO}?{_SCALE}?"
    rf"|(?<![\d,.])\b{_NUMBER}{_TO}?{_SCALE}? (?:dollars|euros|pounds|USD|EUR|GBP|CHF)\b",
    re.IGNORECASE,
)
_HAS_SCALE = re.compile(rf"{_SCALE}$", re.IGNORECASE)
_ALL_SCALED = re.compile(
    r"\bin (?:thousands|millions|billions)\b|[$€£¥₹] ?(?:thousand|million|billion)s?\b|\b(?:000s|'000)\b", re.IGNORECASE
)
"""A table says so that its figures are thousands or millions."""
_AROUND = 60
"""Code points around an amount that show whether it stands among words or among figures."""
CASE_NUMBER = re.compile(
    r"\b(?:Case|Civil Action|Criminal|Docket|Cause|Index|Civ\.?|C\.A\.|Claim)(?: File)? ?(?:No|Nos|Number|Nr|#)\b\.?:?"
    r" ?(?P<number>(?=[\w:./-]{0,80}\d)[A-Za-z0-9][\w:./-]{0,80}[A-Za-z0-9](?:\([A-Z]{1,4}\))*)",
    re.IGNORECASE,
)


def dates(text: CanonicalText) -> tuple[Quoted, ...]:
    """Return the mentioned days whose notation is unambiguous, ISO 8601."""
    return _each(text, DATE, lambda found: one_reading(found.group()))


def amounts(text: CanonicalText, lines: Sequence[Line]) -> tuple[Quoted, ...]:
    """Return amounts of money, as written in the text; a range is one amount.

    Where the document says that the figures of a table are thousands or millions, a figure of a row without a scale of its own is
    left out: it would say another amount than the document.
    """
    is_scaled = _ALL_SCALED.search(text.text) is not None
    rows = [line.span for line in lines if line.is_row or is_row(line.text)] if is_scaled else []
    starts = [span.start for span in rows]

    def is_in_row(start: int, end: int) -> bool:
        row = bisect_right(starts, start) - 1
        if row >= 0 and start < rows[row].end:
            return True
        return not is_worded(text.text[max(0, start - _AROUND) : end + _AROUND])

    def value(found: re.Match[str]) -> str | None:
        said = found.group()
        if any(number_reading(number) is None for number in re.findall(_NUMBER, said)):
            return None
        return None if is_scaled and _HAS_SCALE.search(said) is None and is_in_row(*found.span()) else said

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
