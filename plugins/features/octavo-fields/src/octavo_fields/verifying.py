"""A value is verified when the text at its span says it, whole and in one way only (CNV-13)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from octavo.text.normal_forms import normalised
from octavo_contracts import ExtractedField, Span
from octavo_library.text.dates import readings
from octavo_library.text.numbers import SCALES, number_reading
from pydantic import JsonValue

from .schema import FieldSpec

_NUMBER_GOES_ON = re.compile(rf"[.,]?\d|\s?(?:{'|'.join(SCALES)})\b", re.IGNORECASE)
_NUMBER_BEFORE = re.compile(r"\d[.,]?$")
MAX_SPAN: Final = 2000
"""Code points; a literal value is not longer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldCheck:
    """Whether a value holds.

    Attributes:
        verified: whether the text at `span` says it.
        span: where, or None.
        why: why not, in words; empty where it holds.
    """

    verified: bool
    span: Span | None = None
    why: str = ""


def verify(text: str, field: FieldSpec, found: ExtractedField) -> FieldCheck:
    """Hold a value to its span.

    Args:
        text: the canonical text.
        field: what was wanted.
        found: what an extractor says; not trusted.
    """
    span = found.span
    if span is None:
        return FieldCheck(verified=False, why="it names no place")
    if not 0 <= span.start < span.end <= len(text) or span.end - span.start > MAX_SPAN:
        return FieldCheck(verified=False, why=f"there is no place {span.start}-{span.end}")
    why = _fault(text, field, found.value, span)
    return FieldCheck(verified=not why, span=span, why=why)


def relaxed(text: str, field: FieldSpec, found: ExtractedField) -> FieldCheck:
    """Look for a value that its span does not hold: it is verified where it stands at exactly one place.

    A value that stands twice stays unverified: nobody can say which of the two was meant.
    """
    if not isinstance(found.value, str | int | float) or isinstance(found.value, bool) or not str(found.value).strip():
        return FieldCheck(verified=False, why="it has no value")
    words = [re.escape(word) for word in str(found.value).split()]
    places = [Span(start=m.start(), end=m.end()) for m in re.finditer(r"\s+".join(words), text)]
    holding = [span for span in places if not _fault(text, field, found.value, span)]
    if len(holding) == 1:
        return FieldCheck(verified=True, span=holding[0])
    stands = f"it stands at {len(holding)} places" if holding else "it does not stand in the text"
    return FieldCheck(verified=False, why=stands)


def _fault(text: str, field: FieldSpec, value: JsonValue, span: Span) -> str:
    """Why the text at a span does not say a value; empty where it does."""
    verbatim = span.of(text)
    if field.choices and value not in field.choices:
        return "it is none of the values that the schema allows"
    if field.type in ("number", "integer"):
        return _number_fault(text, field, value, span)
    if not isinstance(value, str):
        return f"it is not a {field.type}"
    if _cuts_a_word(text, span):
        return "its place cuts a word"
    if field.kind == "date":
        days = readings(verbatim, order=field.date_order)
        if len(days) > 1:
            return f"{verbatim!r} may mean {' or '.join(days)}"
        return "" if days == (value,) else "its place holds another date, or none"
    return "" if _folded(value) == _folded(verbatim) else "its place holds another text"


def _number_fault(text: str, field: FieldSpec, value: JsonValue, span: Span) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"it is not a {field.type}"
    if _NUMBER_GOES_ON.match(text, span.end) or _NUMBER_BEFORE.search(text[max(0, span.start - 2) : span.start]):
        return "its place cuts a number"
    read = number_reading(span.of(text))
    if read is None:
        return "its place holds no number, or one that may be read in two ways"
    if field.type == "integer" and read != read.to_integral_value():
        return "its place holds a number that is not whole"
    return "" if read == Decimal(str(value)) else "its place holds another number"


def _cuts_a_word(text: str, span: Span) -> bool:
    before = span.start > 0 and text[span.start - 1].isalnum() and text[span.start].isalnum()
    after = span.end < len(text) and text[span.end - 1].isalnum() and text[span.end].isalnum()
    return before or after


def _folded(text: str) -> str:
    return " ".join(normalised("NFC", text).split())
