"""Checks, repair, retention and deletion: `library.maintenance`."""

from __future__ import annotations

from .paths import PathCheck
from .purge import Purged, PurgePreview
from .repair import RepairReport
from .retention import Purgeable, Retention
from .verify import StoreReport

__all__ = [
    "PathCheck",
    "PurgePreview",
    "Purgeable",
    "Purged",
    "RepairReport",
    "Retention",
    "StoreReport",
]
