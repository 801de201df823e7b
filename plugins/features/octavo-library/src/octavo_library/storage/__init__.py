"""The library on disk: content-addressed artifacts, the authoritative index, and crash recovery.

    with ArtifactStore(root) as store, Index(library_url(root)) as index:
        left = recover(store, index)

Artifacts are written first, the index second: a complete version folder is renamed into place, then one transaction
records it. A crash leaves at most an unreferenced folder, which its job adopts (`find_orphan_version`).
"""

from __future__ import annotations

from ..text.times import time_text
from .files.artifacts import ArtifactStore
from .files.read_only import ReadOnlyStore
from .files.stored_files import VersionManifest
from .index.acceptances import AcceptedVersion
from .index.annotations import AnnotationKind, NewAnnotation, StoredAnnotation
from .index.attachments import AttachedDocument
from .index.comparisons import NewComparison, StoredComparison, StoredVerdict
from .index.completed_job import CompletedJob, JobFailure
from .index.conversations import STATE_VERSION, ConversationDocumentState, DocumentSend, DocumentUsage
from .index.declarations import COMPARED, Declaration, DeclaredMetadata, MetadataDecision, MetadataDispute
from .index.derived_texts import DERIVED_FROM, derived, documents_of
from .index.dialect import is_conflict, library_url
from .index.document_filter import DocumentFilter
from .index.document_listing import MOST_COUNTED, ListingPosition
from .index.documents import HASH_KINDS, AmbiguousReference, HashKind
from .index.entries import entry_name, entry_ref, entry_surface, is_entry
from .index.index import Index
from .index.instance_ids import PolicyContext, document_id_for, source_instance_id_for
from .index.links import Link, LinkKind
from .index.location import check_not_lost, has_index, open_index
from .index.memberships import CorpusMembership
from .index.memories import MemoryRepository
from .index.memory_records import (
    MemoryAnchor,
    MemoryEntity,
    MemoryScope,
    NewStoredMemory,
    StoredMemory,
    StoredMemoryLink,
    TermUse,
)
from .index.minhash import Sketched, Unsketched
from .index.original_paths import Place
from .index.page_marks import PAGE_MARK_KINDS, PageMark, PageMarkKind
from .index.pauses import StoredPause
from .index.provenance import ReuseCounts
from .index.purges import OldVersion, PurgeRecord
from .index.records import (
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
    Provenance,
    ReuseEvent,
    StartedJob,
    Step,
    StoredFailure,
    Transition,
)
from .index.recovery import Recovered, VerifyReport, find_orphan_version, is_let_go, is_whole, recover, verify
from .index.research import ResearchRecord, ResearchRepository, ResearchStep
from .index.run_records import (
    INTERRUPTED,
    PHASE_STATES,
    DocumentState,
    NewRun,
    Phase,
    RunCounts,
    RunEnd,
    RunRecord,
    Status,
    StepCount,
    UnfinishedSource,
)
from .index.server import IndexUnreachable, server_url
from .index.stored_inspection import StoredInspection
from .index.uploads import FileUpload
from .index.versions import ActiveVersion

__all__ = [
    "COMPARED",
    "DERIVED_FROM",
    "HASH_KINDS",
    "INTERRUPTED",
    "MOST_COUNTED",
    "PAGE_MARK_KINDS",
    "PHASE_STATES",
    "STATE_VERSION",
    "AcceptedVersion",
    "ActiveVersion",
    "AlreadyKnown",
    "AmbiguousReference",
    "AnnotationKind",
    "ArtifactStore",
    "AttachedDocument",
    "CompletedJob",
    "ConversationDocumentState",
    "ConversionFacts",
    "ConversionRecord",
    "CorpusMembership",
    "CorpusRecord",
    "Declaration",
    "DeclaredMetadata",
    "DocumentFacts",
    "DocumentFilter",
    "DocumentRecord",
    "DocumentSend",
    "DocumentState",
    "DocumentUsage",
    "FileUpload",
    "HashKind",
    "Index",
    "IndexUnreachable",
    "Job",
    "JobFailure",
    "KnownDocument",
    "Link",
    "LinkKind",
    "ListingPosition",
    "LocationType",
    "MemoryAnchor",
    "MemoryEntity",
    "MemoryRepository",
    "MemoryScope",
    "MetadataDecision",
    "MetadataDispute",
    "NewAnnotation",
    "NewComparison",
    "NewJob",
    "NewRun",
    "NewStoredMemory",
    "OldVersion",
    "PageMark",
    "PageMarkKind",
    "PathRecord",
    "Phase",
    "Place",
    "PolicyContext",
    "Provenance",
    "PurgeRecord",
    "ReadOnlyStore",
    "Recovered",
    "ResearchRecord",
    "ResearchRepository",
    "ResearchStep",
    "ReuseCounts",
    "ReuseEvent",
    "RunCounts",
    "RunEnd",
    "RunRecord",
    "Sketched",
    "StartedJob",
    "Status",
    "Step",
    "StepCount",
    "StoredAnnotation",
    "StoredComparison",
    "StoredFailure",
    "StoredInspection",
    "StoredMemory",
    "StoredMemoryLink",
    "StoredPause",
    "StoredVerdict",
    "TermUse",
    "Transition",
    "UnfinishedSource",
    "Unsketched",
    "VerifyReport",
    "VersionManifest",
    "check_not_lost",
    "derived",
    "document_id_for",
    "documents_of",
    "entry_name",
    "entry_ref",
    "entry_surface",
    "find_orphan_version",
    "has_index",
    "is_conflict",
    "is_entry",
    "is_let_go",
    "is_whole",
    "library_url",
    "open_index",
    "recover",
    "server_url",
    "source_instance_id_for",
    "time_text",
    "verify",
]
