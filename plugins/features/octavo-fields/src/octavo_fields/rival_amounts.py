"""Finds amounts that contradict a verified one: those behind other labels that begin with the label of the field.

A receipt that prints `Total Sales 63.60` and, in its tax summary, `Total: 60.00` does not say which of them is the field
`Total`. The canonical text has no lines, so the lines are those of the document's markdown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from octavo_library.text.numbers import number_reading

from .labels import label_pattern
from .schema import FieldSpec

MAX_LABEL: Final = 60
"""Maximum code points between the beginning of a label and its amount, beyond the label of the schema."""
MAX_SHOWN: Final = 6
"""Places that a reason quotes."""

_AMOUNT: Final = re.compile(
    r"(?<![\w.,])[-−(]?(?:(?:[$€£¥₹]|[A-Z]{1,3}\$|\b(?:USD|EUR|GBP|CHF|CAD|AUD|JPY|RM)) ?[-−]?\d[\d,.']*\d?"
    r"|(?:\d{1,3}(?:[,.']\d{3})+|\d+)[.,]\d{2})(?:\)|(?: ?(?:[$€£¥₹]|USD|EUR|GBP|CHF|CAD|AUD))?[-−](?=[\s|]|$))?(?![\w%]|[.,]\d)"
)
"""A number that looks like an amount: a currency sign or two decimals."""
_WORD_BEFORE: Final = re.compile(r"[^\W\d_][\s.\-–—]*$")
"""The end of a longer label, such as `Sub-` of `Sub-Total`, which begins with another word."""
_COLON: Final = re.compile(r"[\s)\]%#.]*[:：]")
_SENTENCE: Final = re.compile(r"[!?;]\s|\.\s+[A-Z]")


class _Place(NamedTuple):
    label: str
    amount: str
    value: Decimal
    is_whole: bool
    has_colon: bool


def rival_amounts(pages: Sequence[Sequence[str]], spec: FieldSpec, verbatim: str) -> str:
    """Say which amounts contradict a value; empty if none does.

    A value is beyond doubt if one of the field's labels is a whole label of the document, and every label that begins with
    it has the same amount.

    Args:
        pages: the lines of each page.
        spec: the field; one with a `pattern` of its own has no rivals.
        verbatim: the text of the value.
    """
    value = number_reading(verbatim)
    if spec.pattern is not None or spec.type == "string" or value is None or not _AMOUNT.search(verbatim):
        return ""
    lines = [line for page in (pages[: spec.pages] if spec.pages else pages) for line in page]
    contradicted: list[tuple[str, list[_Place]]] = []
    for label in spec.labels:
        found = _places(lines, label)
        if any(one.value != value for one in found):
            contradicted.append((label, found))
        elif any(one.is_whole for one in found):
            return ""
    return _told(*contradicted[0], verbatim) if contradicted else ""


def _places(lines: Sequence[str], label: str) -> list[_Place]:
    """Return the amounts behind labels of the document that begin with a label of the schema."""
    pattern = label_pattern(label)
    found = [
        one
        for line in lines
        for match in pattern.finditer(line)
        if not _WORD_BEFORE.search(line[: match.start()]) and (one := _place(line, match))
    ]
    if label.rstrip().endswith(":"):  # the colon says that the label ends here
        return [one for one in found if one.has_colon] or found
    return found


def _place(line: str, label: re.Match[str]) -> _Place | None:
    amount = _AMOUNT.search(line, label.end())
    if amount is None or amount.start() - label.end() > MAX_LABEL:
        return None
    between = line[label.end() : amount.start()]
    value = number_reading(amount.group())
    if value is None or _SENTENCE.search(between):
        return None
    whole = " ".join(line[label.start() : amount.start()].split()).rstrip(" :=")
    is_whole = not any(map(str.isalpha, between))
    return _Place(whole, amount.group(), value, is_whole, _COLON.match(between) is not None)


def _told(label: str, places: Sequence[_Place], verbatim: str) -> str:
    seen = dict.fromkeys((one.label, one.amount) for one in places)
    if all(one.value != number_reading(verbatim) for one in places):
        seen = {(label, verbatim): None, **seen}
    shown = ", ".join(f'"{name}" {amount}' for name, amount in list(seen)[:MAX_SHOWN])
    more = f" and {len(seen) - MAX_SHOWN} more" if len(seen) > MAX_SHOWN else ""
    return (
        f'several amounts stand behind labels that begin with "{label}": {shown}{more}; '
        "give the whole label of the right one as the only label"
    )
