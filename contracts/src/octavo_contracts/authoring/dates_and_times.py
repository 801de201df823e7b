"""A date that runs into the time of day behind it, as OCR reads receipts: `2016-07-3113:48:37`.

It is one only where nothing but one date and one time can be meant: the year has four digits, and the hour two, as have the
month and the day behind a year.
"""

from __future__ import annotations

import re
from typing import Final

DATE_RUN_INTO_TIME: Final = (
    r"(?:\d{4}[-/.]\d{2}[-/.]\d{2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})(?=(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?![\w:]))"
)
"""Matches the date, and looks at the time behind it."""
MINUTES_BEHIND: Final = r":\d"
"""Begins directly behind a date whose last digits may be the hour: `31/07/1613:48` has a year of two digits, or of four."""
_COMPLETE: Final = re.compile(DATE_RUN_INTO_TIME)


def runs_into_time(text: str, start: int, end: int) -> bool:
    """Return whether a place of a text is a date that runs into a time of day.

    Args:
        text: the text.
        start: offset of its first character.
        end: offset behind its last one.
    """
    found = _COMPLETE.match(text, start)
    return found is not None and found.end() == end
