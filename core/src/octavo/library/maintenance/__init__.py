"""Keeping what ingestion made: paths, annotations, export, deletion, retention, checks and likeness.

`Library` and `Document` offer all of it; what they return is defined here.
"""

from __future__ import annotations

from ..document_annotations import Annotation
from ..similarity import Similar
from .paths import PathCheck
from .purge import Purged, PurgePreview
from .repair import RepairReport
from .retention import Purgeable, Retention
from .verify import StoreReport

__all__ = [
    "Annotation",
    "PathCheck",
    "PurgePreview",
    "Purgeable",
    "Purged",
    "RepairReport",
    "Retention",
    "Similar",
    "StoreReport",
]
