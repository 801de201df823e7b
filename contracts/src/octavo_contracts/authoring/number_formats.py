"""Number formats of workbooks (ECMA-376, 18.8.31): amounts with their currency or unit, as a sheet shows them."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from math import isfinite

from .date_formats import Moment, moment_of, shown_date

Value = int | float | str | bool | Moment
"""A cell's value."""

BUILT_IN: dict[int, str] = {
    5: '"$"#,##0;("$"#,##0)',
    6: '"$"#,##0;[Red]("$"#,##0)',
    7: '"$"#,##0.00;("$"#,##0.00)',
    8: '"$"#,##0.00;[Red]("$"#,##0.00)',
    9: "0%",
    10: "0.00%",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
}
"""Number of a built-in format → its code. Those of plain numbers are left out, and the dates 14 and 22, whose form depends on
the region of the computer that shows the sheet."""

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|[_*].|\[(?P<bracket>[^\]]*)\]|(?P<mark>[0#?.,%@]|E[+-]|/)|(?P<plain>.)'
)
_CONDITION = re.compile(r"^(<=|>=|<>|<|>|=)(-?\d{1,15}(?:\.\d{1,15})?)$")
_DATE_LETTERS = re.compile(r"[ymdhs]", re.IGNORECASE)
_DIGITS = re.compile(r"00+")
"""Placeholders of numbers that are written in full: codes, telephone numbers."""
_LARGEST = 1e15
"""Numbers from here on have more digits than a sheet keeps."""
_LONGEST = 255
"""Characters of a code; a program writes no longer one."""


class _Section:
    """One of the up to four parts of a code, for some of the numbers.

    Args:
        pieces: literal texts, and placeholders as they are written.
        condition: operator and number, or None.

    Attributes:
        placeholders: all placeholders.
        literals: all literal texts.
        before: the literal text before the first placeholder.
        after: the literal text behind the last one.
        is_known: whether numbers can be written in one piece: not fractions, powers, or amounts with literals inside.
    """

    def __init__(self, pieces: tuple[tuple[bool, str], ...], condition: tuple[str, Decimal] | None) -> None:
        self.pieces = pieces
        self.condition = condition
        self.placeholders = "".join(text for is_mark, text in pieces if is_mark)
        self.literals = "".join(text for is_mark, text in pieces if not is_mark)
        places = [index for index, (is_mark, _) in enumerate(pieces) if is_mark]
        first, last = (places[0], places[-1]) if places else (0, -1)
        self.before = "".join(text for _, text in pieces[:first])
        self.after = "".join(text for _, text in pieces[last + 1 :])
        self.is_known = len(places) == last - first + 1 and not set(self.placeholders) - set("0#?.,")


@lru_cache(maxsize=1000)
def is_notable(code: str) -> bool:
    """Whether a code shows more than a number's value: a percentage, a date, a currency, a unit, or a number of so many digits."""
    if len(code) > _LONGEST or code.lower() == "general":
        return False
    sections = _sections(code)
    if _DIGITS.fullmatch(sections[0].placeholders):
        return True
    if any("%" in one.placeholders or _DATE_LETTERS.search(one.placeholders) for one in sections):
        return True
    return any(letter.isalpha() or unicodedata.category(letter) == "Sc" for one in sections for letter in one.literals)


@lru_cache(maxsize=1000)
def is_percent(code: str) -> bool:
    """Whether a code shows numbers as percentages."""
    return len(code) <= _LONGEST and any("%" in one.placeholders for one in _sections(code))


def shown(value: Value, code: str) -> str | None:
    """Return a value as a notable format shows it; None where the value alone says as much.

    Percentages keep all digits of the value; amounts and dates are written as the sheet shows them.

    Args:
        value: the cell's value.
        code: the format's code.
    """
    if isinstance(value, bool | str) or len(code) > _LONGEST:
        return None
    if isinstance(value, date | time | timedelta):
        return shown_date(value, code)
    if not isfinite(value) or abs(value) >= _LARGEST:
        return None
    sections = _sections(code)
    if is_percent(code):
        return f"{(Decimal(repr(value)) * 100).normalize():f}%"
    number = Decimal(repr(value))
    section, is_negative = _section_of(number, sections)
    if section is None or not section.pieces:
        return None
    text = _written(abs(number), section)
    return None if text is None else " ".join(f"{'-' if is_negative else ''}{text}".split()) or None


def shown_serial(number: float, code: str) -> str | None:
    """Return a stored number as a format shows it, dates included, which are stored as days since the end of 1899.

    Args:
        number: the stored number, whose form is not known.
        code: the format's code.

    Returns:
        The text; a date in ISO 8601 where its form is not known; None where the number alone says as much.
    """
    if not is_notable(code) or not isfinite(number):
        return None
    if not _DATE_LETTERS.search(_sections(code)[0].placeholders):
        return shown(number, code)
    moment = moment_of(number)
    return None if moment is None else shown_date(moment, code) or moment.isoformat()


@lru_cache(maxsize=1000)
def _sections(code: str) -> tuple[_Section, ...]:
    found: list[_Section] = []
    pieces: list[tuple[bool, str]] = []
    condition: tuple[str, Decimal] | None = None
    for token in _TOKEN.finditer(code):
        if token["plain"] == ";":
            found.append(_Section(tuple(pieces), condition))
            pieces, condition = [], None
        elif token["mark"] or (token["plain"] or "").isalpha():
            # A letter without quotation marks is part of a date, of `General`, or of a form that is not known.
            pieces.append((True, token["mark"] or token["plain"]))
        elif token["bracket"] is not None:
            if named := _CONDITION.match(token["bracket"]):
                condition = named[1], Decimal(named[2])
            elif token["bracket"].startswith("$"):
                pieces.append(
                    (False, token["bracket"][1:].rpartition("-")[0] or token["bracket"][1:].partition("-")[0])
                )
        else:
            pieces.append((False, token["quoted"] or token["escaped"] or token["plain"] or ""))
    return (*found, _Section(tuple(pieces), condition))


def _section_of(number: Decimal, sections: tuple[_Section, ...]) -> tuple[_Section | None, bool]:
    """Return the section for a number, and whether a minus sign stands before it."""
    if any(one.condition for one in sections):
        for one in sections[:3]:
            if one.condition is None or _holds(number, *one.condition):
                return one, number < 0
        return None, False
    if number < 0 and len(sections) > 1:
        return sections[1], False
    if number == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], number < 0


def _holds(number: Decimal, sign: str, bound: Decimal) -> bool:
    return {
        "<": number < bound,
        "<=": number <= bound,
        ">": number > bound,
        ">=": number >= bound,
        "=": number == bound,
        "<>": number != bound,
    }[sign]


def _written(number: Decimal, section: _Section) -> str | None:
    """Write a number that is not negative; None for forms that are not known: fractions, powers, amounts with literals inside."""
    marks = section.placeholders
    if not marks:
        return section.literals
    if _DIGITS.fullmatch(marks) and number == number.to_integral_value():
        return _in_places(f"{number:f}".partition(".")[0].zfill(len(marks)), section)
    return f"{section.before}{_digits(number, marks)}{section.after}" if section.is_known else None


def _in_places(digits: str, section: _Section) -> str:
    """Write each digit in its placeholder; those for which there is none stand before the first."""
    left = list(digits)
    pieces = [left.pop() if is_mark else text for is_mark, text in reversed(section.pieces)]
    first = next(index for index, (is_mark, _) in enumerate(section.pieces) if is_mark)
    pieces.reverse()
    return "".join([*pieces[:first], *left, *pieces[first:]])


def _digits(number: Decimal, marks: str) -> str:
    whole, _, fraction = marks.partition(".")
    scaling = len(whole) - len(whole.rstrip(",")) + fraction.count(",")
    is_grouped = "," in whole.rstrip(",")
    most, least = sum(map(fraction.count, "0#?")), fraction.count("0")
    rounded = number.scaleb(-3 * scaling).quantize(Decimal(1).scaleb(-most), ROUND_HALF_UP)
    before, _, after = f"{rounded:f}".partition(".")
    before = before.lstrip("0").zfill(whole.count("0"))
    if is_grouped:
        before = f"{int(before):,}".zfill(len(before)) if before else ""
    while len(after) > least and after.endswith("0"):
        after = after[:-1]
    return f"{before}.{after}" if after else before
