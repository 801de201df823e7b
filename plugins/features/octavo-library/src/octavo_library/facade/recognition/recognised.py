"""The result of a requested recognition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from octavo_contracts import OCRResult

from ..document_versions import DocumentVersion

if TYPE_CHECKING:
    from octavo.conversion.ocr.recognition import Recognition


@dataclass(frozen=True, kw_only=True)
class RecognitionResult:
    """The recognition of one document.

    Attributes:
        source: name of the document.
        media_type: its media type.
        page_count: number of its pages.
        recognition: the readings, and the pages that could not be read.
        document_id: its id in the library; None for a file.
        version: the new version with the text; None for a file, and if there was nothing to recognise.
        version_before: the number of the version that was active; None for a file.
        confidences_before: confidence of each recognised page of that version.
    """

    source: str
    media_type: str
    page_count: int
    recognition: Recognition
    document_id: str | None = None
    version: DocumentVersion | None = None
    version_before: int | None = None
    confidences_before: Mapping[int, float] = field(default_factory=dict)

    @property
    def results(self) -> list[OCRResult]:
        """All pages that were read, blank ones included, by number."""
        return [reading.result for _, reading in sorted(self.recognition.readings.items())]

    @property
    def lower_confidence(self) -> tuple[float, float] | None:
        """The mean confidence before and now, of the pages that were recognised both times; None if it is not lower."""
        now = self.recognition.confidences
        pages = now.keys() & self.confidences_before.keys()
        if not pages:
            return None
        before, after = (sum(of[page] for page in pages) / len(pages) for of in (self.confidences_before, now))
        return (before, after) if after < before else None

    @property
    def is_incomplete(self) -> bool:
        """Whether a page or a picture could not be read."""
        return bool(self.recognition.unread) or any(one.reading is None for one in self.recognition.pictures)
