"""Parses the response of Document Intelligence for one page and converts it to an `OCRResult`.

Source of the names: https://learn.microsoft.com/rest/api/aiservices/document-models (2024-11-30, `AnalyzeOperation`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Literal

from octavo_contracts import BoundingBox, OCRRequest, OCRResult, OCRWord, PageImage
from pydantic import BaseModel, ConfigDict, Field

PLUGIN = "azure"
API_VERSION = "2024-11-30"
MODEL = "prebuilt-read"

_Length = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Place = Annotated[float, Field(allow_inf_nan=False)]


class _Said(BaseModel):
    """Base of response models. Unused fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Span(_Said):
    """A range of the text, in code points."""

    offset: int = Field(ge=0)
    length: int = Field(ge=0)


class Word(_Said):
    """A word: corners x, y, x, y … in the page's unit, and its confidence, 0..1."""

    content: str
    polygon: tuple[_Place, ...] = Field(min_length=4, strict=False)
    confidence: float = Field(ge=0, le=1)


class Line(_Said):
    """A line of text on the page."""

    content: str


class SeenPage(_Said):
    """A page. The unit of its size and coordinates is the pixel for images, else the inch."""

    width: _Length
    height: _Length
    words: tuple[Word, ...] = Field(default=(), strict=False)
    lines: tuple[Line, ...] = Field(default=(), strict=False)


class Language(_Said):
    """A detected language and its ranges."""

    locale: str = Field(max_length=35)
    spans: tuple[Span, ...] = Field(default=(), strict=False)


class Analysis(_Said):
    """The result of an analysis."""

    model_id: str = Field(alias="modelId", max_length=64)
    pages: tuple[SeenPage, ...] = Field(strict=False)
    languages: tuple[Language, ...] = Field(default=(), strict=False)


class Problem(_Said):
    """An error; may contain more specific errors."""

    code: str = ""
    innererror: Problem | None = None
    details: tuple[Problem, ...] = Field(default=(), strict=False)

    def codes(self) -> list[str]:
        """Error codes, from general to specific."""
        inner = [*([self.innererror] if self.innererror else []), *self.details]
        return [code for code in (self.code, *(code for one in inner for code in one.codes())) if code]


class Refusal(_Said):
    """Body of an error response."""

    error: Problem


class Operation(_Said):
    """Status of an operation, and its result if it succeeded."""

    status: Literal["notStarted", "running", "succeeded", "failed", "canceled", "skipped", "completed"]
    analysis: Analysis | None = Field(default=None, alias="analyzeResult")
    error: Problem | None = None


def to_result(analysis: Analysis, page: SeenPage, image: PageImage, request: OCRRequest) -> OCRResult:
    """Convert an analysis to an `OCRResult`.

    Args:
        analysis: the analysis.
        page: the page of the analysis.
        image: the image that was sent; boxes are scaled to its size, whatever the unit.
        request: the OCR request.
    """
    across, down = (72 / image.dpi * side for side in (image.width, image.height))
    words = tuple(_word(word, page, across=across, down=down) for word in page.words if word.content.strip())
    lines = [line.content.strip() for line in page.lines] or [word.text for word in words]
    return OCRResult(
        document_id=request.document_id,
        page_number=image.page_number,
        page_fingerprint=image.page_fingerprint,
        extracted_text="\n".join(lines),
        words=words,
        confidence=round(sum(word.confidence for word in words) / len(words), 4) if words else 0.0,
        method=PLUGIN,
        processed_at=datetime.now(UTC),
        language=_language(analysis.languages) or next(iter(request.languages), None),
        tool_version=f"{API_VERSION} {analysis.model_id}",
    )


def _word(word: Word, page: SeenPage, *, across: float, down: float) -> OCRWord:
    """Convert a word; boxes in points.

    Args:
        word: the word from the service.
        page: page whose width and height are the scale of the corners.
        across: page width in points.
        down: page height in points.
    """
    xs = [_within(x / page.width, across) for x in word.polygon[0::2]]
    ys = [_within(y / page.height, down) for y in word.polygon[1::2]]
    box = BoundingBox(left=min(xs), top=min(ys), right=max(xs), bottom=max(ys))
    return OCRWord(text=word.content.strip(), box=box, confidence=round(word.confidence, 4))


def _within(share: float, whole: float) -> float:
    return round(min(max(share, 0.0), 1.0) * whole, 3)


def _language(found: Sequence[Language]) -> str | None:
    """The language of most of the text, or None if none was detected."""
    covered: dict[str, int] = {}
    for one in found:
        covered[one.locale] = covered.get(one.locale, 0) + sum(span.length for span in one.spans)
    return max(covered, key=lambda locale: covered[locale]) if covered else None
