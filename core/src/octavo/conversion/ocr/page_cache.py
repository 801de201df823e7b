"""Caches recognised pages by appearance, across all documents that contain the same page (OCR-3)."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from octavo_contracts import OCRRequest, OCRResult, PageImage
from pydantic import JsonValue

if TYPE_CHECKING:
    from ...plugins import PluginInfo

RECTIFICATION_VERSION = 1
"""Raised when pages are rectified in another way, so that they are recognised again."""


def result_name(
    plugin: PluginInfo,
    request: OCRRequest,
    *,
    dpi: float,
    rectified: bool = False,
    options: Mapping[str, JsonValue] | None = None,
) -> str:
    """Build the cache key of a page's OCR result from engine, version and settings, including the resolution.

    The resolution is not visible in the pixels, but it determines the coordinates of boxes.

    Args:
        plugin: the engine.
        request: languages, script and options.
        dpi: resolution of the page.
        rectified: whether the page was rectified for it; its fingerprint is that of the page as displayed.
        options: options of the plugin that the user or a profile gives, such as a model.
    """
    script = [] if request.script is None else [request.script]
    as_rectified = [{"rectified": RECTIFICATION_VERSION}] if rectified else []
    more = [{"options": dict(options)}] if options else []
    purpose = [] if request.purpose == "text" else [{"purpose": request.purpose}]
    parts = [request.languages, request.options, round(dpi, 3), *script, *as_rectified, *more, *purpose]
    settings = json.dumps(parts, sort_keys=True)
    digest = hashlib.sha256(settings.encode()).hexdigest()[:12]
    version = plugin.manifest.version + (f"+{plugin.engine_version}" if plugin.engine_version else "")
    safe = "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in version)
    return f"{plugin.name}-{safe[:60]}-{digest}.json"


class PagesStore(Protocol):
    """A cache of OCR results."""

    def get(self, image: PageImage, name: str) -> OCRResult | None:
        """Return the result stored under this name for a page that looks the same, with this page's number; or None."""

    def put(self, image: PageImage, name: str, result: OCRResult) -> None:
        """Store a result, replacing one of the same name."""


class MemoryPages:
    """In-memory cache for a document outside a library. Thread-safe."""

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
