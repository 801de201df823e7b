"""OCR results in a library's folder, keyed by page fingerprint and shared by all documents with that page (OCR-3)."""

from __future__ import annotations

from collections.abc import Callable

from octavo_contracts import OCRResult, PageImage, UsageError
from pydantic import ValidationError

from .files.artifacts import ArtifactStore


class LibraryPages:
    """Permanent page store in the library's `ocr/` folder. Thread-safe.

    Stored results carry no document id: several documents may share a page.

    Args:
        artifacts: the library's files.
        note: called with a page's fingerprint before the page is stored, so that a purge of the document removes the
            page even if no version ever references it; raises if the document no longer exists. None: the caller
            records the fingerprints.
    """

    def __init__(self, artifacts: ArtifactStore, *, note: Callable[[str], None] | None = None) -> None:
        self._artifacts = artifacts
        self._note = note

    def get(self, image: PageImage, name: str) -> OCRResult | None:
        """See `PagesStore`. Returns None for a result that cannot be read."""
        try:
            found = OCRResult.read(self._artifacts.read(_ref(image, name)))
        except (UsageError, ValidationError, ValueError):
            return None
        return found.model_copy(update={"page_number": image.page_number})

    def put(self, image: PageImage, name: str, result: OCRResult) -> None:
        """See `PagesStore`."""
        if self._note is not None:
            self._note(image.page_fingerprint)
        data = result.model_copy(update={"document_id": None, "page_number": 1}).to_json().encode()
        self._artifacts.put_ocr(image.page_fingerprint, name=name, data=data, again=True)


def _ref(image: PageImage, name: str) -> str:
    return f"store:ocr/{image.page_fingerprint}/{name}"
