"""Verifies values: the text at the span must be the value, complete and unambiguous (CNV-13)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, get_args

from octavo_contracts import ExtractedField, Span
from octavo_contracts.authoring.dates_and_times import MINUTES_BEHIND, runs_into_time
from octavo_contracts.authoring.number_ranges import RANGE_BEFORE, RANGE_BEHIND
from octavo_library.text.dates import DateOrder, readings
from octavo_library.text.numbers import SCALES, number_reading
from octavo_text.normal_forms import normalised
from pydantic import JsonValue

from .schema import FieldSpec

_WITHIN_A_NUMBER: Final = re.compile(r"\d[.,]\d")
_BESIDE_A_NUMBER: Final = (
    (
        re.compile(r"\d[.,]?$"),
        re.compile(rf"[.,]?\d|\s?(?:{'|'.join(SCALES)})\b", re.IGNORECASE),
        "its span splits a number",
    ),
    (
        re.compile(r"(?:^|[\s(|:=])[-−][$€£¥₹]?$|[$€£¥₹][-−]$"),
        re.compile(r"(?:\s?(?:[$€£¥₹]|USD|EUR|GBP|CHF|CAD|AUD|JPY|RM))?[-−](?:[\s|]|$)"),
        "its span leaves out a minus sign beside the number",
    ),
    (
        re.compile(rf"{RANGE_BEFORE}[$€£¥₹]?$"),
        re.compile(RANGE_BEHIND),
        "its span is one end of a range, or one of two numbers",
    ),
)
"""What may not stand directly before or behind the span of a number, and why."""
_MOST_BEFORE: Final = 3
"""Code points before a span that the patterns look at."""
_DECIMALS: Final = re.compile(r"\d[.,]\d\d$")
MAX_SPAN: Final = 2000
"""Maximum length of a literal value, code points."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldCheck:
    """Result of verifying a value.

    Attributes:
        verified: whether the text at `span` is the value.
        span: its position, or None.
        why: why it is not verified, as text; empty if it is.
    """

    verified: bool
    span: Span | None = None
    why: str = ""


def verify(text: str, field: FieldSpec, found: ExtractedField) -> FieldCheck:
    """Compare a value with the text at its span.

    Args:
        text: the canonical text.
        field: the wanted field.
        found: the extractor's proposal; not trusted.
    """
    span = found.span
    if span is None:
        return FieldCheck(verified=False, why="the extractor gave no position")
    if not 0 <= span.start < span.end <= len(text) or span.end - span.start > MAX_SPAN:
        return FieldCheck(verified=False, why=f"position {span.start}-{span.end} is outside the text")
    why = _fault(text, field, found.value, span)
    return FieldCheck(verified=not why, span=span, why=why)


def relaxed(text: str, field: FieldSpec, found: ExtractedField) -> FieldCheck:
    """Search for a value that is not at its span: it is verified if it occurs at exactly one position.

    A value that occurs twice stays unverified, because it is unknown which occurrence was meant.
    """
    if not isinstance(found.value, str | int | float) or isinstance(found.value, bool) or not str(found.value).strip():
        return FieldCheck(verified=False, why="there is no value")
    words = [re.escape(word) for word in str(found.value).split()]
    places = [Span(start=m.start(), end=m.end()) for m in re.finditer(r"\s+".join(words), text)]
    holding = [span for span in places if not _fault(text, field, found.value, span)]
    if len(holding) == 1:
        return FieldCheck(verified=True, span=holding[0])
    stands = f"it occurs at {len(holding)} positions" if holding else "it does not occur in the text"
    return FieldCheck(verified=False, why=stands)


def _fault(text: str, field: FieldSpec, value: JsonValue, span: Span) -> str:
    """Return why the text at a span is not the value; empty if it is."""
    verbatim = span.of(text)
    if field.choices and value not in field.choices:
        return "it is not one of the values that the schema allows"
    if field.type in ("number", "integer"):
        return _number_fault(text, field, value, span)
    if not isinstance(value, str):
        return f"it is not a {field.type}"
    is_run_on = field.kind == "date" and runs_into_time(text, span.start, span.end)
    if _cuts_a_word(text, span, divides=field.pattern is not None, is_run_on=is_run_on):
        return "its span splits a word"
    if field.kind == "date":
        days = readings(verbatim, order=field.date_order)
        if len(days) > 1:
            return f"{verbatim!r} may mean {' or '.join(days)}"
        if re.match(MINUTES_BEHIND, text[span.end : span.end + 2]):
            return "its last digits may be the hour of the time behind it"
        if not days and field.date_order is not None and (others := _in_other_orders(verbatim)):
            return f"{verbatim!r} is no date in the order {field.date_order} of `date_order`, but {others}"
        return "" if days == (value,) else "the text at its span is another date, or none"
    return "" if _folded(value) == _folded(verbatim) else "the text at its span is different"


def _in_other_orders(date: str) -> str:
    """What a date means in each order that it can have, such as `2024-11-23 in the order mdy`."""
    found = ((readings(date, order=order), order) for order in get_args(DateOrder))
    return " or ".join(f"{days[0]} in the order {order}" for days, order in found if days)


def _number_fault(text: str, field: FieldSpec, value: JsonValue, span: Span) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"it is not a {field.type}"
    before = text[max(0, span.start - _MOST_BEFORE) : span.start]
    for ends, begins, why in _BESIDE_A_NUMBER:
        if ends.search(before) or begins.match(text, span.end):
            return why
    if before.endswith("(") and text.startswith(")", span.end) and _DECIMALS.search(span.of(text)):
        return "the parentheses around it may mean a minus"
    read = number_reading(span.of(text))
    if read is None:
        return "the text at its span is not a number, or is ambiguous"
    if field.type == "integer" and read != read.to_integral_value():
        return "the number at its span is not whole"
    return "" if read == Decimal(str(value)) else "the number at its span is different"


def _cuts_a_word(text: str, span: Span, *, divides: bool, is_run_on: bool) -> bool:
    """Return whether a word or number goes on before or behind a span.

    Args:
        text: the canonical text.
        span: the span.
        divides: whether a letter may stand beside a digit, as in `RM8.35`: the pattern of a field may divide them.
        is_run_on: whether the span is a date that runs into the time of day behind it.
    """
    return _goes_on(text, span.start, divides=divides) or (not is_run_on and _goes_on(text, span.end, divides=divides))


def _goes_on(text: str, at: int, *, divides: bool) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if _WITHIN_A_NUMBER.fullmatch(text, max(0, at - 2), at + 1) or _WITHIN_A_NUMBER.fullmatch(text, at - 1, at + 2):
        return True
    return before.isalnum() and after.isalnum() and not (divides and before.isalpha() != after.isalpha())


def _folded(text: str) -> str:
    return " ".join(normalised("NFC", text).split())
