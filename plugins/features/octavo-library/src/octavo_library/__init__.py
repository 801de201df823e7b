"""A library of documents: converts each document once, stores its versions, and searches them.

    with Library.open("papers") as library:
        document = library.ingest("report.pdf").document

Importing this package opens no database: names are loaded at their first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .facade.document import Document
    from .facade.ingest_options import IngestOptions
    from .facade.library import Library
    from .facade.results import IngestOutcome
    from .storage import DeclaredMetadata

__all__ = ["DeclaredMetadata", "Document", "IngestOptions", "IngestOutcome", "Library"]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "DeclaredMetadata": "storage",
        "Document": "facade.document",
        "IngestOptions": "facade.ingest_options",
        "IngestOutcome": "facade.results",
        "Library": "facade.library",
    },
)
