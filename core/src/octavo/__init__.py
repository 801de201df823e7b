"""Octavo: document extraction that can be trusted.

Importing this package imports no engine and no database: names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._lazy import lazily
from ._version import __version__

if TYPE_CHECKING:
    from .conversion import ConvertedDocument
    from .converting import convert, extract
    from .document import Document
    from .ingested import Ingested
    from .library import Library
    from .settings import Settings

__all__ = ["ConvertedDocument", "Document", "Ingested", "Library", "Settings", "__version__", "convert", "extract"]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "ConvertedDocument": "conversion",
        "Document": "document",
        "Ingested": "ingested",
        "Library": "library",
        "Settings": "settings",
        "convert": "converting",
        "extract": "converting",
    },
)
