"""Stores the recognised pages of a version beside its pages, and reads them to keep them in the next version (OCR-6).

Recognising some pages must not lose the recognised text of the others, whichever engine read them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from octavo.conversion.ocr.recognition import UNKNOWN_FINGERPRINT, PageReading, Recognition
from octavo.conversion.ocr.rectification import Rectification
from octavo_contracts import Attempt, IngestionQualityReport, OCRResult, OCRWord
from octavo_text.canonical import CanonicalText
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

KEY = "recognised"
"""Key of the record in `pages.json`."""
UNKNOWN = "unknown"
_WORDS = TypeAdapter(tuple[OCRWord, ...])


def record(recognition: Recognition) -> dict[str, Any]:
    """Page → its recognised text, as JSON values; the boxes of the words are those of the page."""
    return {
        str(page): {
            "result": reading.result.model_copy(update={"words": ()}),
            "word_confidences": [word.confidence for word in reading.result.words],
            "holds_text": reading.holds_text,
            "undecodable": reading.undecodable,
            "contradiction": reading.contradiction,
            "is_blank": reading.is_blank,
            "doubts": reading.doubts,
            **({"rectification": reading.rectification} if reading.rectification is not None else {}),
        }
        for page, reading in sorted(recognition.readings.items())
    }


def read_record(pages: Mapping[str, Any]) -> dict[int, PageReading] | None:
    """Read the readings from the values of a `pages.json`; None if it has no record.

    Raises:
        ValueError: the record is malformed.
    """
    kept = pages.get(KEY)
    if kept is None:
        return None
    try:
        facts = {int(page["number"]): page for page in pages["pages"]}
        return {int(page): _reading(one, facts[int(page)]) for page, one in kept.items()}
    except (KeyError, TypeError, AttributeError, ValidationError) as error:
        raise ValueError(f"the record of recognised pages is damaged: {error}") from error


def from_report(
    report: IngestionQualityReport, text: CanonicalText, pages: Sequence[Mapping[str, Any]], attempts: Sequence[Attempt]
) -> dict[int, PageReading]:
    """Reconstruct the readings of a version without a record from its other files.

    The lines of its text are lost, and the engine is known only if a single one was called.

    Args:
        report: report of the version.
        text: its canonical text, with the offsets at which blocks begin.
        pages: the facts of its pages.
        attempts: the plugin calls that were made for it.
    """
    engines = {(one.plugin, one.engine_version) for one in attempts if one.hook == "ocr" and one.outcome == "ok"}
    engine, version = engines.pop() if len(engines) == 1 else (UNKNOWN, None)
    found = {}
    for number, confidence in report.ocr_confidence_summary.page_confidences.items():
        page = int(number)
        if not 1 <= page <= min(len(pages), len(text.pages)):
            continue
        result = OCRResult(
            page_number=page,
            page_fingerprint=UNKNOWN_FINGERPRINT,
            extracted_text=_paragraphs(text, page),
            words=_words(pages[page - 1], [], confidence=confidence),
            confidence=confidence,
            method=engine,
            processed_at=datetime.fromtimestamp(0, UTC),
            tool_version=version or UNKNOWN,
        )
        found[page] = PageReading(result=result, holds_text=True, stored=True)
    return found


def _reading(kept: Mapping[str, Any], page: Mapping[str, Any]) -> PageReading:
    result = OCRResult.read(to_json(kept["result"]))
    words = _words(page, kept["word_confidences"], confidence=result.confidence) if kept["holds_text"] else ()
    return PageReading(
        result=result.model_copy(update={"words": words}),
        holds_text=kept["holds_text"],
        stored=True,
        undecodable=kept["undecodable"],
        contradiction=kept["contradiction"],
        is_blank=kept.get("is_blank", False),
        doubts=tuple(kept.get("doubts", ())),
        rectification=Rectification.read(to_json(kept["rectification"])) if "rectification" in kept else None,
    )


def _words(page: Mapping[str, Any], confidences: Sequence[float], *, confidence: float) -> tuple[OCRWord, ...]:
    """The words of a page from its boxes; a word without a confidence gets that of the page."""
    boxes = [box for box in page.get("boxes", ()) if box["kind"] == "word" and box["text"]]
    own = confidences if len(confidences) == len(boxes) else [confidence] * len(boxes)
    words = [{"text": box["text"], "box": box["box"], "confidence": sure} for box, sure in zip(boxes, own, strict=True)]
    return _WORDS.validate_json(to_json(words))


def _paragraphs(text: CanonicalText, page: int) -> str:
    span = text.pages[page - 1]
    places = [span.start, *(at for at in text.breaks if span.start < at < span.end), span.end]
    return "\n\n".join(text.text[start:end].strip() for start, end in pairwise(places))
