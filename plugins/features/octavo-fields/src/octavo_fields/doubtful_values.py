"""Names the values whose words OCR was unsure of, as the quality report of the document quotes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from octavo.conversion.ocr.merge import DOUBTFUL_WORDS
from octavo_contracts import QualityFinding, Span, page_spans

from .extracting import Field

_QUOTE: Final = r"“([^”]*)”(?: \([^()]*\))?"
_DOUBT: Final = re.compile(rf"{_QUOTE}(?: or {_QUOTE})*")
"""A doubt in the message of a finding: the words as they stand in the text, and what other engines read there."""


def with_doubts(text: str, fields: Mapping[str, Field], findings: Iterable[QualityFinding]) -> dict[str, Field]:
    """Add to each verified field the words of it that OCR was unsure of. Its value remains verified: the text says so.

    Args:
        text: the canonical text.
        fields: name → field.
        findings: of the document's quality report.
    """
    doubtful = [one for one in findings if one.flag == DOUBTFUL_WORDS]
    told = {name: "; ".join(_doubts(text, field.span, doubtful)) for name, field in fields.items()}
    return {name: replace(field, why=told[name]) if told[name] else field for name, field in fields.items()}


def _doubts(text: str, span: Span | None, findings: Iterable[QualityFinding]) -> Iterator[str]:
    if span is None:
        return
    pages = page_spans(text)
    for finding in findings:
        page = finding.page or 1
        if not any(body.start <= span.start < body.end for body in pages[page - 1 : page]):
            continue
        for doubt in _DOUBT.finditer(finding.message):
            if any(place.start() < span.end and span.start < place.end() for place in _occurrences(text, doubt[1])):
                yield f"OCR was unsure of {doubt.group()}: compare page {page} with the original"


def _occurrences(text: str, words: str) -> Iterator[re.Match[str]]:
    spaced = r"\s+".join(map(re.escape, words.split()))
    return re.finditer(rf"(?<!\S){spaced or '(?!)'}(?!\S)", text)
