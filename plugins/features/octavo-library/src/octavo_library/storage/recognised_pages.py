"""Recognised pages in a library's folder: by what the page looks like, for every document that has it (OCR-3)."""

from __future__ import annotations

from collections.abc import Callable

from octavo_contracts import OCRResult, PageImage, UsageError
from pydantic import ValidationError

from .files.artifacts import ArtifactStore


class LibraryPages:
    """Keeps them in a library's folder `ocr/`, for ever. Thread-safe.

    A document's id is left out of what is kept: the page may be in many.

    Args:
        artifacts: the library's files.
        note: told the fingerprint of a page before it is kept, so that it goes when its document is purged, though no
            version may ever hold it; for a document that is not there any more it raises. None: whoever asks notes them.
    """

    def __init__(self, artifacts: ArtifactStore, *, note: Callable[[str], None] | None = None) -> None:
        self._artifacts = artifacts
        self._note = note

    def get(self, image: PageImage, name: str) -> OCRResult | None:
        """See `PagesStore`. What cannot be read is as if it were not there."""
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
