"""What recognition that somebody asked for read in a document."""

from __future__ import annotations

from dataclasses import dataclass

from octavo.conversion.ocr.recognition import Recognition
from octavo_contracts import OCRResult

from ..document_versions import DocumentVersion


@dataclass(frozen=True, kw_only=True)
class RecognitionResult:
    """What came of a document.

    Attributes:
        source: the document as it was named.
        media_type: its type.
        page_count: its pages.
        recognition: what was recognised, and what could not be.
        document_id: its id in the library; None for a file.
        version: the version that holds the text; None for a file, and where nothing was to be recognised.
    """

    source: str
    media_type: str
    page_count: int
    recognition: Recognition
    document_id: str | None = None
    version: DocumentVersion | None = None

    @property
    def results(self) -> list[OCRResult]:
        """Every page that was read, blank ones too, by their numbers."""
        return [reading.result for _, reading in sorted(self.recognition.readings.items())]

    @property
    def is_incomplete(self) -> bool:
        """Whether a page or a picture could not be read."""
        return bool(self.recognition.unread) or any(one.reading is None for one in self.recognition.pictures)
