"""Parses dates in documents to ISO 8601: every reading that the text allows, never a guess.

Month names are those of CLDR for English, German, French, Spanish, Italian, Dutch and Portuguese, with common
abbreviations. `03/04/2025` has two readings; only an explicit order decides between them (CNV-13).
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final, Literal

from octavo_text.normal_forms import normalised

DateOrder = Literal["dmy", "mdy", "ymd"]
"""The order of day, month and year in a numeric date."""

_MONTHS: Final = (
    "january jan januar janvier janv enero ene gennaio gen januari janeiro",
    "february feb februar février fevrier févr fevr febrero febbraio februari fevereiro fev",
    "march mar märz maerz mrz mars marzo maart mrt março marco",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag mei maio",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août aout agosto ago augustus",
    "september sept sep septembre septiembre settembre set setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro",
)

MONTH_NUMBERS: Final = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()}
"""Name of a month, lower case, without a full stop → 1..12."""


def month_names(*, least: int = 1) -> str:
    """A regular expression alternation of all month names with at least `least` letters, longest first."""
    return "|".join(sorted((name for name in MONTH_NUMBERS if len(name) >= least), key=len, reverse=True))


_MONTH = rf"(?P<month>{month_names()})\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|o|a|\.)?"
_YEAR = r"(?P<year>\d{4})"
_SHORT_YEAR = r"(?P<year>\d{4}|\d{2})"
_WEEKDAY = r"(?:[^\W\d_]{2,10}\.?,?\s+)?"
_TIME = r"(?:,?\s*(?:t|at|um|à)?\s*\d{1,2}:\d{2}.*)?"

_DAY_FIRST = re.compile(rf"{_WEEKDAY}{_DAY}[\s\-]*(?:of\s+|de\s+|di\s+)?{_MONTH}[\s,\-]*(?:de\s+)?{_SHORT_YEAR}{_TIME}")
_MONTH_FIRST = re.compile(rf"{_WEEKDAY}{_MONTH}\s*{_DAY},?\s+{_YEAR}{_TIME}")
_ISO = re.compile(rf"{_YEAR}([-/.])(?P<month>\d{{1,2}})\2(?P<day>\d{{1,2}}){_TIME}")
_HAN = re.compile(rf"{_YEAR}\s*年\s*(?P<month>\d{{1,2}})\s*月\s*(?P<day>\d{{1,2}})\s*日{_TIME}")
_NUMBERS = re.compile(rf"(\d{{1,2}})([/.\-])(\d{{1,2}})\2(\d{{4}}|\d{{2}}){_TIME}")
_MONTH_ONLY = re.compile(rf"{_MONTH},?\s+(?:de\s+)?{_YEAR}")
_YEAR_ONLY = re.compile(r"(?P<year>1[0-9]{3}|20[0-9]{2})")

_PIVOT = 69
"""Two-digit years from here on are in the twentieth century, as in POSIX."""


def readings(text: str, *, order: DateOrder | None = None) -> tuple[str, ...]:
    """Every day that a date text may mean, as `YYYY-MM-DD`, sorted.

    Args:
        text: a date and nothing else, except a weekday before it and a time after it.
        order: the order of a numeric date; None keeps both readings if both are valid dates.

    Returns:
        Empty if the text is not a date; more than one if the text alone is ambiguous.
    """
    plain = _plain(text)
    for pattern in (_ISO, _HAN, _DAY_FIRST, _MONTH_FIRST):
        if found := pattern.fullmatch(plain):
            month = found["month"]
            number = int(month) if month.isdecimal() else MONTH_NUMBERS[month]
            return _days((_full_year(found["year"]), number, int(found["day"])))
    if found := _NUMBERS.fullmatch(plain):
        first, second, year = int(found[1]), int(found[3]), _full_year(found[4])
        both = {"dmy": (year, second, first), "mdy": (year, first, second)}
        if len(found[1]) == 2 and len(found[4]) == 2:
            both["ymd"] = (_full_year(found[1]), second, int(found[4]))
        if order is not None:
            return _days(both[order]) if order in both else ()
        return _days(*both.values())
    return ()


def one_reading(text: str, *, order: DateOrder | None = None) -> str | None:
    """The day that a text means, as `YYYY-MM-DD`; None if it is not a date or is ambiguous."""
    found = readings(text, order=order)
    return found[0] if len(found) == 1 else None


def coarse_reading(text: str) -> str | None:
    """As `one_reading`; for a date without a day, `YYYY-MM` for a month or `YYYY` for a year."""
    plain = _plain(text)
    if day := one_reading(text):
        return day
    if found := _MONTH_ONLY.fullmatch(plain):
        return f"{int(found['year']):04d}-{MONTH_NUMBERS[found['month']]:02d}"
    return plain if _YEAR_ONLY.fullmatch(plain) else None


def _plain(text: str) -> str:
    return " ".join(normalised("NFKC", text).casefold().split()).strip(" ,;()[]")


def _full_year(text: str) -> int:
    year = int(text)
    if len(text) > 2:
        return year
    return year + (1900 if year >= _PIVOT else 2000)


def _days(*candidates: tuple[int, int, int]) -> tuple[str, ...]:
    found = set()
    for year, month, day in candidates:
        try:
            found.add(date(year, month, day).isoformat())
        except ValueError:  # not a valid date: not a reading
            continue
    return tuple(sorted(found))
