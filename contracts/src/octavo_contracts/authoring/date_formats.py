"""Dates, times and durations as a number format shows them (ECMA-376, 18.8.31)."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from functools import lru_cache

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|[_*].|\[(?P<elapsed>h+|m+|s+)\]|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<half>AM/PM|A/P)|(?P<part>y+|m+|d+|h+|s+(?:\.0+)?|e+|g+|b+)|(?P<end>;)|(?P<plain>.)",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(r"^\$-(?:([0-9A-F]{1,8})|([A-Z]{2,3})(?:-[A-Z]+)?)(?:,\d+)?$", re.IGNORECASE)
_ENGLISH = 0x09
"""Language of an identifier of language and region, its lowest ten bits ([MS-LCID])."""
_BY_REGION = (0xF400, 0xF800)
"""Identifiers that leave the form to the region of the computer."""
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

Moment = date | datetime | time | timedelta


_FIRST_DAY = datetime(1899, 12, 30)
_DAYS_UP_TO = 2_958_466
"""Days up to the end of the year 9999, the last that a workbook has."""


def moment_of(number: float) -> date | time | None:
    """Return the moment that a workbook stores as a number of days; a time of the day for less than one; None beyond its years."""
    if not 0 <= number < _DAYS_UP_TO:
        return None
    moment = _FIRST_DAY + timedelta(seconds=round(number * 86400))
    if number < 1:
        return moment.time()
    return moment.date() if moment.time() == time(0) else moment


def shown_date(value: Moment, code: str) -> str | None:
    """Return a date or time as a format shows it; None where the form is not known or depends on the region.

    Args:
        value: a date, a time of the day or a duration.
        code: the format's code, of which the first section counts.
    """
    parts = _parts(code)
    if parts is None:
        return None
    kinds = "".join(kind[:1] for kind, _ in parts)
    if not set(kinds) & set("ymdhnsHMS") or not _fits(value, kinds):
        return None
    halves = any(kind == "half" for kind, _ in parts)
    moment = _Clock(value, digits=max((len(text) for kind, text in parts if kind == "s"), default=0))
    text = "".join(moment.part(kind, written, halves=halves) for kind, written in parts)
    return " ".join(text.split()) or None


@lru_cache(maxsize=1000)
def _parts(code: str) -> list[tuple[str, str]] | None:
    """Kind and text of the parts of a code; 'n' stands for minutes, capitals for what has elapsed."""
    found: list[tuple[str, str]] = []
    foreign = False
    for token in _TOKEN.finditer(code):
        if token["end"]:
            break
        if token["bracket"] is not None:
            language = _LANGUAGE.match(token["bracket"])
            if language is None:
                continue
            number = int(language[1], 16) if language[1] else None
            if number in _BY_REGION:
                return None
            foreign = number & 0x3FF != _ENGLISH if number is not None else language[2].lower() != "en"
        elif token["elapsed"]:
            found.append((token["elapsed"][0].upper(), token["elapsed"]))
        elif token["half"]:
            found.append(("half", token["half"]))
        elif token["part"]:
            found.append((token["part"][0].lower(), token["part"].lower()))
        else:
            found.append(("", token["quoted"] or token["escaped"] or token["plain"] or ""))
    clock = [(index, kind) for index, (kind, _) in enumerate(found) if kind in tuple("ymdhsHMS")]
    for place, (index, kind) in enumerate(clock):
        before = clock[place - 1][1] if place else ""
        after = clock[place + 1][1] if place + 1 < len(clock) else ""
        if kind == "m" and (before in ("h", "H") or after in ("s", "S")):
            found[index] = ("n", found[index][1])
    names = any(kind in ("m", "d") and len(text) > 2 for kind, text in found)
    return None if (foreign and names) or any(kind in ("e", "g", "b") for kind, _ in found) else found


def _fits(value: Moment, kinds: str) -> bool:
    """Whether a value has all parts that a format shows."""
    if isinstance(value, timedelta):
        return value >= timedelta(0) and not set(kinds) & set("ymd")
    if isinstance(value, time):
        return not set(kinds) & set("ymdHMS")
    return not set(kinds) & set("HMS")


class _Clock:
    """The parts of a moment.

    Args:
        value: the moment.
        digits: length of the format's part for seconds, for example 5 for `ss.00`; 0 without one.
    """

    def __init__(self, value: Moment, *, digits: int) -> None:
        # Digits of a second after the point, of the three that a sheet keeps; those that are not shown are cut.
        fraction = min(3, max(0, digits - 3))
        self._day: date | None = None
        if isinstance(value, timedelta):
            milliseconds = round(value / timedelta(milliseconds=1))
        elif isinstance(value, time | datetime):
            self._day = value.date() if isinstance(value, datetime) else None
            moment = value.time() if isinstance(value, datetime) else value
            milliseconds = min(round(_since_midnight(moment) / timedelta(milliseconds=1)), 86_399_999)
        else:
            self._day = value
            milliseconds = 0
        self._units: int = milliseconds // 10 ** (3 - fraction)
        self._scale: int = 10**fraction

    def part(self, kind: str, text: str, *, halves: bool) -> str:
        """Return one part as text."""
        seconds, fraction = divmod(self._units, self._scale)
        hours = seconds // 3600
        match kind:
            case "y":
                return self._year(len(text))
            case "m":
                return self._month(len(text))
            case "d":
                return self._weekday(len(text))
            case "h":
                shown = (hours % 12 or 12) if halves else hours % 24
                return _padded(shown, text)
            case "n":
                return _padded(seconds // 60 % 60, text)
            case "s":
                whole = _padded(seconds % 60, text.partition(".")[0])
                digits = len(str(self._scale)) - 1
                return f"{whole}.{fraction:0{digits}d}" if digits else whole
            case "H":
                return _padded(hours, text)
            case "M":
                return _padded(seconds // 60, text)
            case "S":
                return _padded(seconds, text)
            case "half":
                return ("AM", "PM")[hours % 24 >= 12] if len(text) > 3 else "AP"[hours % 24 >= 12]
        return text

    def _year(self, width: int) -> str:
        year = self._day.year if self._day else 0
        return f"{year % 100:02d}" if width < 3 else f"{year:04d}"

    def _month(self, width: int) -> str:
        number = self._day.month if self._day else 1
        name = _MONTHS[number - 1]
        return (str(number), f"{number:02d}", name[:3], name, name[:1])[min(width, 5) - 1]

    def _weekday(self, width: int) -> str:
        if self._day is None:
            return ""
        name = _DAYS[self._day.weekday()]
        return (str(self._day.day), f"{self._day.day:02d}", name[:3], name)[min(width, 4) - 1]


def _since_midnight(value: time) -> timedelta:
    return timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)


def _padded(number: int, text: str) -> str:
    return f"{number:0{min(2, len(text))}d}"
