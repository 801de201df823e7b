"""Octavo: document extraction that can be trusted.

`convert` reads one document and stores nothing. Libraries of documents are in the distribution `octavo-library`.
Importing this package imports no engine: public names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._lazy import lazily
from ._version import __version__

if TYPE_CHECKING:
    from .conversion.api import convert
    from .conversion.results import ConvertedDocument
    from .settings.settings import Settings

__all__ = ["ConvertedDocument", "Settings", "__version__", "convert"]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "ConvertedDocument": "conversion.results",
        "Settings": "settings.settings",
        "convert": "conversion.api",
    },
)
