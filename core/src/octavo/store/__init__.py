"""The library on disk: content-addressed artifacts, an index that is the truth, and recovery after a crash.

    with ArtifactStore(root) as store, Index(library_url(root)) as index:
        left = recover(store, index)

Artifacts first, index second: a version's folder gets its name whole, then one transaction makes it known. So a
crash leaves at most a folder that nothing names, which its job adopts (`find_orphan_version`).
"""

from __future__ import annotations

from .artifacts import ArtifactStore, VersionManifest
from .dialect import library_url
from .identity import PolicyContext, document_id_for, source_instance_id_for
from .index import Index
from .records import (
    AlreadyKnown,
    ConversionFacts,
    ConversionRecord,
    CorpusRecord,
    DocumentFacts,
    DocumentRecord,
    Job,
    KnownDocument,
    LocationType,
    NewJob,
    PathRecord,
    ReuseCounts,
    ReuseEvent,
    Sighting,
    StartedJob,
    Step,
    StoredFailure,
    Transition,
)
from .recovery import Recovered, VerifyReport, find_orphan_version, recover, verify

__all__ = [
    "AlreadyKnown",
    "ArtifactStore",
    "ConversionFacts",
    "ConversionRecord",
    "CorpusRecord",
    "DocumentFacts",
    "DocumentRecord",
    "Index",
    "Job",
    "KnownDocument",
    "LocationType",
    "NewJob",
    "PathRecord",
    "PolicyContext",
    "Recovered",
    "ReuseCounts",
    "ReuseEvent",
    "Sighting",
    "StartedJob",
    "Step",
    "StoredFailure",
    "Transition",
    "VerifyReport",
    "VersionManifest",
    "document_id_for",
    "find_orphan_version",
    "library_url",
    "recover",
    "source_instance_id_for",
    "verify",
]
