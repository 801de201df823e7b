"""Where recognised pages are kept: by what the page looks like, for every document that has it (OCR-3)."""

from __future__ import annotations

import hashlib
import json
import threading
from typing import TYPE_CHECKING, Protocol

from octavo_contracts import OCRRequest, OCRResult, PageImage

if TYPE_CHECKING:
    from ...plugins import PluginInfo


def result_name(plugin: PluginInfo, request: OCRRequest, *, dpi: float) -> str:
    """The name of a page's recognition: engine, version and settings, the resolution among them.

    The resolution is no part of the pixels and decides where boxes stand.
    """
    settings = json.dumps([request.languages, request.options, round(dpi, 3)], sort_keys=True)
    digest = hashlib.sha256(settings.encode()).hexdigest()[:12]
    version = plugin.manifest.version + (f"+{plugin.engine_version}" if plugin.engine_version else "")
    safe = "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in version)
    return f"{plugin.name}-{safe[:60]}-{digest}.json"


class PagesStore(Protocol):
    """Keeps recognitions of pages."""

    def get(self, image: PageImage, name: str) -> OCRResult | None:
        """The recognition of that name for a page that looks like this, with this page's number; or None."""

    def put(self, image: PageImage, name: str, result: OCRResult) -> None:
        """Keep a recognition; one of that name is replaced."""


class MemoryPages:
    """Keeps them as long as it lives: for a document that is not taken into a library. Thread-safe."""

    def __init__(self) -> None:
        self._results: dict[tuple[str, str], OCRResult] = {}
        self._lock = threading.Lock()

    def get(self, image: PageImage, name: str) -> OCRResult | None:
        """See `PagesStore`."""
        with self._lock:
            found = self._results.get((image.page_fingerprint, name))
        return found.model_copy(update={"page_number": image.page_number}) if found else None

    def put(self, image: PageImage, name: str, result: OCRResult) -> None:
        """See `PagesStore`."""
        with self._lock:
            self._results[image.page_fingerprint, name] = result
