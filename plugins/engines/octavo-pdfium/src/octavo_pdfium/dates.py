"""Parses dates in PDF's format (ISO 32000-2, 7.9.4)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

_PDF_DATE = re.compile(
    r"(?:D:)?(?P<year>\d{4})(?P<month>\d\d)?(?P<day>\d\d)?(?P<time>\d{4}(?:\d\d)?)?"
    r"(?:(?P<sign>[+\-Z])(?:(?P<hours>\d\d)'?(?P<minutes>\d\d)?'?)?)?",
    re.ASCII,
)


def iso_date(text: str | None) -> str | None:
    """Convert a PDF date to ISO 8601 with the same precision: 'D:2024' becomes '2024'; None if it is not a date."""
    match = _PDF_DATE.match(text or "")
    if match is None:
        return None
    year, month, day, time = match.group("year", "month", "day", "time")
    try:
        if not (month and day):
            return f"{year}-{month}" if month and 1 <= int(month) <= 12 else year
        date = datetime.strptime(year + month + day + (time or "").ljust(6, "0"), "%Y%m%d%H%M%S")
        return date.replace(tzinfo=_zone(match)).isoformat() if time else date.date().isoformat()
    except ValueError:
        return None


def _zone(match: re.Match[str]) -> timezone | None:
    sign, hours, minutes = match.group("sign", "hours", "minutes")
    if sign is None:
        return None
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    return timezone(-offset if sign == "-" else offset)
