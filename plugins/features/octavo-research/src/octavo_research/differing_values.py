"""Values of a sentence, and whether two sentences give different values for the same asked thing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from octavo_library.text.dates import MONTH_NUMBERS
from octavo_library.text.numbers import SCALES

from .matches import terms_of

# English alone: names of other languages are English words, such as the Italian *set*.
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DATES = (
    re.compile(rf"(?<!\w)(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH}(?:,?\s+(?P<year>\d{{4}})\b)?", re.I),
    re.compile(rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<year>\d{{4}})\b)?", re.I),
)
_ISO_DATE = re.compile(r"(?<![\w-])(\d{4})-(\d\d)-(\d\d)(?![\w-])")
_VALUE = re.compile(
    r"(?P<currency>\b(?:EUR|USD|GBP|CHF)\s?|[€$£]\s?)?(?<![\w.,/-])(?P<number>\d+(?:[.,]\d+)*)(?![\w.,-]*\d)"
    r"(?:\s?(?P<scale>thousand|million|billion)\b)?(?:\s?(?P<unit>%|[€$£]|[^\W\d_]+(?:/[^\W\d_]+)?))?",
    re.I,
)
_REFERENCE = re.compile(
    r"\b(?:section|article|clause|paragraph|page|chapter|table|figure|item|version|no)\W{0,2}\Z", re.I
)
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_UNITS = {"percent": "%", "€": "eur", "$": "usd", "£": "gbp"}
_NO_UNITS = frozenset({
    "a", "an", "and", "are", "as", "at", "by", "for", "from", "in", "is", "of", "on", "or", "per", "so", "that", "the", "to",
    "was", "were", "which", "with",
})  # fmt: skip
_YEARS = range(1500, 2100)
_ASKS_TIME = re.compile(r"\bwhen\b|\b(?:what|which)\s+(?:date|day|year)s?\b", re.I)
_ASKS_NO_VALUE = re.compile(
    r"\b(?:who|whom|whose|why|where)\b|\bhow\s+(?:am|are|can|did|do|does|is|must|should|to|was|were)\b", re.I
)


@dataclass(frozen=True, kw_only=True)
class Values:
    """The values of a sentence.

    Attributes:
        times: its dates and years, as (year, month, day); a part that is not given is 0.
        quantities: unit → its amounts, each by the numbers that its digits may stand for.
    """

    times: tuple[tuple[int, int, int], ...]
    quantities: dict[str, tuple[frozenset[float], ...]]


def values_of(sentence: str, question: str) -> Values:
    """Read the dates and the quantities of a sentence; numbers and units that the question names are left out."""
    asked = frozenset(terms_of(question))
    times = list(_times(sentence))
    rest = _ISO_DATE.sub(";", sentence)
    for pattern in _DATES:
        rest = pattern.sub(";", rest)
    quantities: dict[str, tuple[frozenset[float], ...]] = {}
    for match in _VALUE.finditer(rest):
        number = match["number"]
        if number in asked or _REFERENCE.search(rest, 0, match.start()):
            continue
        unit = _unit(match, asked)
        if not match["currency"] and not match["scale"] and number.isdigit() and int(number) in _YEARS and not unit:
            times.append((int(number), 0, 0))
            continue
        scale = 10 ** SCALES[match["scale"].lower()] if match["scale"] else 1
        amount = frozenset(one * scale for one in _amounts(number))
        quantities[unit] = (*quantities.get(unit, ()), amount)
    return Values(times=tuple(times), quantities=quantities)


def is_value_asked(question: str) -> bool:
    """Whether a question may ask for a quantity or a time: not those for a person, a place, a reason or a manner."""
    return _ASKS_NO_VALUE.search(question) is None


def differ(first: Values, second: Values, question: str) -> bool:
    """Whether two sentences that have the same of a question give different values for it.

    A question for a time compares times, any other one quantities. Only what is unambiguous is compared: each sentence gives one
    value of the kind. Quantities of different years do not contradict each other.
    """
    if _ASKS_TIME.search(question):
        return len(first.times) == len(second.times) == 1 and not _is_same_time(first.times[0], second.times[0])
    years = [{year for year, _, _ in one.times if year} for one in (first, second)]
    if all(years) and years[0].isdisjoint(years[1]):
        return False
    compared = [
        (first.quantities[unit], second.quantities[unit]) for unit in first.quantities.keys() & second.quantities.keys()
    ]
    return bool(compared) and all(
        len(one) == len(other) == 1 and one[0].isdisjoint(other[0]) for one, other in compared
    )


def _times(sentence: str) -> Iterator[tuple[int, int, int]]:
    for match in _ISO_DATE.finditer(sentence):
        year, month, day = (int(one) for one in match.groups())
        try:
            date(year, month, day)
        except ValueError:
            continue  # a number of another kind
        yield year, month, day
    for pattern in _DATES:
        for match in pattern.finditer(sentence):
            yield int(match["year"] or 0), MONTH_NUMBERS[match["month"].lower()], int(match["day"])


def _is_same_time(first: tuple[int, int, int], second: tuple[int, int, int]) -> bool:
    """Whether what both times give is equal."""
    return all(one == other or not (one and other) for one, other in zip(first, second, strict=True))


def _unit(match: re.Match[str], asked: frozenset[str]) -> str:
    """The unit of a number; empty where it has none, or where it is what the question asks for."""
    found = (match["currency"] or match["unit"] or "").strip().lower()
    if found in _NO_UNITS or found in asked or found.removesuffix("s") in asked:
        return ""
    return _UNITS.get(found, found.removesuffix("s") if len(found) > 2 else found)


def _amounts(number: str) -> frozenset[float]:
    """The numbers that digits may stand for: `1,200` is 1200 or, where a comma is a decimal point, 1.2."""
    found = set()
    if _THOUSANDS.fullmatch(number) or number.isdigit():
        found.add(float(re.sub(r"[.,]", "", number)))
    if len(re.findall(r"[.,]", number)) == 1:
        found.add(float(number.replace(",", ".")))
    if not found:  # such as 1,234.56
        whole, _, part = re.sub(r"[.,](?=.*[.,])", "", number).replace(",", ".").partition(".")
        found.add(float(f"{whole}.{part}"))
    return frozenset(found)
