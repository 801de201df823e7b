"""Amounts and times of a recognised page that break the pattern of the others: a lost point, a letter for a digit.

A recogniser is as sure of `052` beside `8.68` as of any other word, so that its confidence does not show these mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from octavo_contracts import BoundingBox

from .recognised_lines import Token

FEWEST: Final = 3
"""Amounts with two decimals on a page of which others are judged, and in a column."""
NEAR: Final = 4.0
"""Greatest distance of the amounts above and below a number in its column, in its heights."""
LEVEL: Final = 0.6
"""Greatest difference of right edges in a column, in heights of a number."""
_AMOUNT: Final = re.compile(r"[-+(]?(?P<currency>[A-Z]{1,3}|[$€£¥])?-?\d{1,3}(?:[,.]?\d{3})*[.,]\d\d\)?")
_WITHOUT_POINT: Final = re.compile(r"\d{3,5}")
_LETTERS: Final = re.compile(
    r"[-+(]?(?P<currency>[A-Z]{2,3}|[$€£¥])?-?(?P<units>[\dOolIS]{1,6})[.,](?P<cents>[\dOolIS]{2})\)?"
)
_GLUED: Final = re.compile(
    r"(?:\d{4}[-/.]\d\d?[-/.]\d{3,4}|\d\d?[-/.]\d\d?[-/.]\d{5,6}|(?<![-/.\d])\d{4,})"
    r":[0-5]\d(?::[0-5]\d)?"
)
"""A time that follows a date, or the last digits of one, without a blank, as in `2016-07-3113:48:37`."""
_LABEL: Final = re.compile(r"[^\W\d_]+[:=]")
_ENDS: Final = ".,:;*"


class BrokenAmount(NamedTuple):
    """A number that breaks the pattern of the others.

    Attributes:
        line: number of its line.
        place: its place in the line.
        is_sure: whether no number is written so; else it may be right, as a number of another kind.
    """

    line: int
    place: int
    is_sure: bool


def broken_amounts(lines: Sequence[Sequence[Token]]) -> Iterator[BrokenAmount]:
    """Yield the numbers of a page that break the pattern of its amounts and times.

    Args:
        lines: of the page, each word with its box.
    """
    amounts = [
        (token, found) for line in lines for token in line if (found := _AMOUNT.fullmatch(token.text.rstrip(_ENDS)))
    ]
    has_amounts = len(amounts) >= FEWEST
    currencies = {found["currency"] for _, found in amounts if found["currency"]}
    boxes = [token.box for token, _ in amounts]
    for at, line in enumerate(lines):
        for place, token in enumerate(line):
            text = token.text.rstrip(_ENDS)
            if _is_glued(text) or (has_amounts and _has_letters(text, currencies)):
                yield BrokenAmount(at, place, is_sure=True)
            elif (
                has_amounts
                and _WITHOUT_POINT.fullmatch(text)
                and place == len(line) - 1
                and (_is_behind_amount(line) or _is_between_amounts(token.box, boxes))
            ):
                yield BrokenAmount(at, place, is_sure=text.startswith("0"))


def _is_glued(text: str) -> bool:
    label = _LABEL.match(text)
    found = _GLUED.fullmatch(text, label.end() if label else 0)
    return found is not None and (text.count(":") == 2 or len(re.findall(r"[-/.]", text)) == 2)


def _has_letters(text: str, currencies: set[str]) -> bool:
    """Return whether a word is an amount with a letter for a digit."""
    found = _LETTERS.fullmatch(text)
    if found is None or f"{found['units']}{found['cents']}".isdecimal():
        return False
    return found["currency"] in currencies or any(map(str.isdigit, found["units"]))


def _is_behind_amount(line: Sequence[Token]) -> bool:
    """Return whether the word before the last one of a line is an amount."""
    return len(line) > 1 and _AMOUNT.fullmatch(line[-2].text.rstrip(_ENDS)) is not None


def _is_between_amounts(box: BoundingBox, amounts: Sequence[BoundingBox]) -> bool:
    """Return whether a number stands in a column of amounts, closely between two of them."""
    height = box.bottom - box.top
    column = [one.top - box.top for one in amounts if abs(one.right - box.right) <= LEVEL * height]
    return (
        len(column) >= FEWEST
        and any(0 < -away <= NEAR * height for away in column)
        and any(0 < away <= NEAR * height for away in column)
    )
