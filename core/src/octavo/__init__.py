"""Octavo: document extraction that can be trusted.

`convert` reads one document and stores nothing. Libraries of documents are in the distribution `octavo-library`.
Importing this package imports no engine: public names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

from ._version import __version__

if TYPE_CHECKING:
    from .conversion.api import convert
    from .conversion.async_api import aconvert
    from .conversion.chunks_api import chunks
    from .conversion.results import ConvertedDocument
    from .conversion.text_chunks import TextChunk
    from .errors import OctavoError, PolicyRefused, StorageError, ToolUnavailable, UsageError
    from .runtime import Runtime
    from .settings.ocr import OcrOptions
    from .settings.settings import Settings
    from .settings.web import WebSettings

__all__ = [
    "ConvertedDocument",
    "OcrOptions",
    "OctavoError",
    "PolicyRefused",
    "Runtime",
    "Settings",
    "StorageError",
    "TextChunk",
    "ToolUnavailable",
    "UsageError",
    "WebSettings",
    "__version__",
    "aconvert",
    "chunks",
    "convert",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "ConvertedDocument": "conversion.results",
        "OcrOptions": "settings.ocr",
        "OctavoError": "errors",
        "PolicyRefused": "errors",
        "Runtime": "runtime",
        "Settings": "settings.settings",
        "StorageError": "errors",
        "TextChunk": "conversion.text_chunks",
        "ToolUnavailable": "errors",
        "UsageError": "errors",
        "WebSettings": "settings.web",
        "aconvert": "conversion.async_api",
        "chunks": "conversion.chunks_api",
        "convert": "conversion.api",
    },
)
