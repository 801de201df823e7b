"""Keeping what ingestion made: paths, annotations, export, deletion, retention, checks and likeness.

`Library` and `Document` offer all of it; what they return is defined here.
"""

from __future__ import annotations

from .checking import StoreReport
from .marks import Annotation
from .paths import PathCheck
from .purging import Purged, PurgePreview
from .repairing import RepairReport
from .retention import Purgeable, Retention
from .similar import Similar

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
