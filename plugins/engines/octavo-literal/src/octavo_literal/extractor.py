"""The service: returns unambiguous values by field name."""

from __future__ import annotations

from collections.abc import Mapping

from octavo_contracts import ExtractedField, Span, page_separator
from pydantic import JsonValue

from .choosing import choose
from .kinds import places
from .wanted import read_wanted

METHOD = "literal"
CONFIDENCE = 0.9
"""Of every value: it is given where nothing speaks for another one, and left out otherwise."""


class PatternExtractor:
    """Reads literal values by patterns and labels; see `octavo_contracts.LiteralExtractor`."""

    def extract(self, text: str, schema: Mapping[str, JsonValue]) -> Mapping[str, ExtractedField]:
        """Values by field name; what is not found, or found in two ways, is left out.

        Args:
            text: the canonical text.
            schema: a JSON Schema of an object; `x-octavo` of a property may name `kind`, `labels`,
                `date_order` and `pages`.
        """
        found: dict[str, ExtractedField] = {}
        for wanted in read_wanted(schema):
            scope = first_pages(text, wanted.pages) if wanted.pages else text
            chosen = choose(scope, wanted, places(scope, wanted))
            if chosen is not None:
                span = Span(start=chosen.place.start, end=chosen.place.end)
                found[wanted.name] = ExtractedField(value=chosen.value, span=span, method=METHOD, confidence=CONFIDENCE)
        return found


def first_pages(text: str, count: int) -> str:
    """The text up to the end of a page; offsets in it are offsets in the whole text."""
    end = text.find(page_separator(count + 1))
    return text if end < 0 else text[:end]


def make_extractor() -> PatternExtractor:
    """The factory that the manifest names."""
    return PatternExtractor()
