"""The API for host applications: a library that ingests documents, and stores and reuses their conversions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .catalogue import Catalogue, CatalogueEntry, CataloguePage
    from .context import LibraryContext
    from .corpora import Corpora
    from .document import Document
    from .document_annotations import Annotations
    from .document_links import Links
    from .document_original import Original
    from .engine_status import EngineStatus
    from .entities import Entities
    from .ingest_options import IngestOptions
    from .library import Library
    from .maintenance.maintenance import Maintenance
    from .recognition.recognition_runs import RecognitionRuns
    from .results import IngestOutcome
    from .routing_review.review import RoutingReview
    from .runs.runs import Runs
    from .search_index import SearchIndex
    from .versions import Versions

__all__ = [
    "Annotations",
    "Catalogue",
    "CatalogueEntry",
    "CataloguePage",
    "Corpora",
    "Document",
    "EngineStatus",
    "Entities",
    "IngestOptions",
    "IngestOutcome",
    "Library",
    "LibraryContext",
    "Links",
    "Maintenance",
    "Original",
    "RecognitionRuns",
    "RoutingReview",
    "Runs",
    "SearchIndex",
    "Versions",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Annotations": "document_annotations",
        "Catalogue": "catalogue",
        "CatalogueEntry": "catalogue",
        "CataloguePage": "catalogue",
        "Corpora": "corpora",
        "Document": "document",
        "EngineStatus": "engine_status",
        "Entities": "entities",
        "IngestOptions": "ingest_options",
        "IngestOutcome": "results",
        "Library": "library",
        "LibraryContext": "context",
        "Links": "document_links",
        "Maintenance": "maintenance.maintenance",
        "Original": "document_original",
        "RecognitionRuns": "recognition.recognition_runs",
        "RoutingReview": "routing_review.review",
        "Runs": "runs.runs",
        "SearchIndex": "search_index",
        "Versions": "versions",
    },
)
