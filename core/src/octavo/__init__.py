"""Octavo: document extraction that can be trusted.

Importing this package imports no engine and no database: names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._lazy import lazily
from ._version import __version__

if TYPE_CHECKING:
    from .conversion.api import convert
    from .conversion.results import ConvertedDocument
    from .library.document import Document
    from .library.ingest_options import IngestOptions
    from .library.library import Library
    from .library.results import IngestOutcome
    from .library.results import IngestOutcome as Ingested  # its name up to 0.1
    from .settings.settings import Settings

__all__ = [
    "ConvertedDocument",
    "Document",
    "IngestOptions",
    "IngestOutcome",
    "Ingested",
    "Library",
    "Settings",
    "__version__",
    "convert",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "ConvertedDocument": "conversion.results",
        "Document": "library.document",
        "IngestOptions": "library.ingest_options",
        "IngestOutcome": "library.results",
        "Ingested": "library.results",
        "Library": "library.library",
        "Settings": "settings.settings",
        "convert": "conversion.api",
    },
)
