"""Tells mentions that cannot be what their label says: figures taken for dates, a person with a number (ENT-2).

Engines that guess from the context label the cells of a table as dates and persons. What cannot be read as its label is not kept.
"""

from __future__ import annotations

import re
from typing import Final

from ..text.dates import coarse_reading, month_names, readings
from ..text.numbers import number_reading
from .names import ORGANISATION_LABELS, PERSON_LABELS

_PLACES: Final = frozenset({"location", "gpe", "loc", "place"})
_NAMED: Final = PERSON_LABELS | ORGANISATION_LABELS | _PLACES
_DATE: Final = "date"
_MONTH = re.compile(
    rf"\b(?:{month_names(least=4)})\b|\b(?:{month_names()})\b\.? \d|\d\.? ?(?:{month_names()})\b", re.IGNORECASE
)
_YEAR = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d(?:s|[-–/]\d\d(?:\d\d)?)?(?![\d.,]\d|\d)")
_HAN_DATE = re.compile(r"\d\s*[年月日년월일]")
_SALUTATION = re.compile(
    r"(?:dear|hello|hi|sincerely|regards|sehr geehrte[rs]?|cher|chère|estimad[oa])\b", re.IGNORECASE
)


_NO_NAME = re.compile(
    r"(?:an?|each|any|no|all|such|every|our|its|their) .+|.+\b(?:[Nn]umber|[Nn]o\.?|[Cc]ode|[Dd]ate|per cent)|[^:]+:\s.+"
)
"""Things, fields of forms, and lines with a label and its value, of which no name consists."""
_MOST_WORDS = 10
"""Maximum number of words of a name: a longer run is a row of a table."""


def is_plausible(text: str, *, label: str) -> bool:
    """Return whether a mention can be what its label says; True for labels without a rule.

    Args:
        text: the mention, verbatim.
        label: its kind, in lower case.
    """
    spaced = " ".join(text.split())
    if label == _DATE:
        return _is_date(spaced)
    if label not in _NAMED:
        return True
    letters, digits = (sum(map(test, spaced)) for test in (str.isalpha, str.isdecimal))
    if digits > letters or number_reading(spaced) is not None:
        return False
    if len(spaced.split()) > _MOST_WORDS or _NO_NAME.fullmatch(spaced):
        return False
    if label in _PLACES:
        return True
    return not _SALUTATION.match(spaced) and not (label in PERSON_LABELS and digits)


def _is_date(text: str) -> bool:
    """Return whether a mention names a day, a month or a year: not a duration, and no row of figures."""
    if readings(text) or coarse_reading(text) is not None or _MONTH.search(text) or _HAN_DATE.search(text):
        return True
    rest, years = _YEAR.subn(" ", text)
    # `fiscal 2023 and 2024` has words beside its years, and `2019 4,149` other figures.
    return bool(years) and not re.search(r"\d\d|\d[.,]\d", rest) and (years == 1 or any(map(str.isalpha, rest)))
