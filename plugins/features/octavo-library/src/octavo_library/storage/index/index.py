"""The index: one database, with a repository for each concept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from octavo_contracts import StorageError
from sqlalchemy import URL

from ...text.times import utc_now
from .acceptances import AcceptanceRepository
from .annotations import AnnotationRepository
from .attachments import AttachmentRepository
from .commits import JobRepository
from .comparisons import ComparisonRepository
from .conversations import ConversationRepository
from .corpora import CorpusRepository
from .database import Database
from .declarations import DeclarationRepository
from .document_listing import DocumentListing
from .document_records import RecordReader
from .document_types import DocumentTypeRepository
from .documents import DocumentRepository
from .entities import EntityRepository
from .hosts import HostRepository
from .inspections import InspectionRepository
from .links import LinkRepository
from .lost_rows import LostRowRepository
from .memberships import MembershipRepository
from .memories import MemoryRepository
from .minhash import SketchRepository
from .original_paths import PathRepository
from .page_marks import PageMarkRepository
from .pauses import PauseRepository
from .purges import PurgeRepository
from .queue import QueueRepository
from .research import ResearchRepository
from .runs import RunRepository
from .snapshots import SnapshotReader
from .status import StatusReader
from .uploads import UploadRepository
from .versions import VersionRepository


class Index(Database):
    """The library's database: documents, active versions, jobs and runs (STO-3, ENG-2).

    Every public method of a repository is one transaction, unless it is called in a `batch()` block. Thread-safe, and
    several processes may have the same index open.

    Args:
        url: see `Database`.
        clock: see `Database`.
        read_only: see `Database`.
        may_be_empty: see `Database`.

    Attributes:
        jobs: the durable queue, and the writes that end a job (ENG-3, ENG-4).
        documents: known documents, and resolution of references to them (STO-3, STO-5).
        listing: pages of documents for people who browse (UI-1).
        versions: conversion versions; which one is active (STO-6).
        corpora: corpora and the overrides of users.
        paths: paths of originals, and removal of documents from corpora (STO-11, STO-12).
        memberships: when and by whom documents were added to corpora (STO-15).
        attachments: links between attachments and their parents.
        acceptances: versions that users accepted with their flags (ENG-25).
        declarations: metadata that callers declared, and disputes about it (ENG-21).
        annotations: bookmarks, highlights and notes (STO-17).
        links: links between two documents (STO-9).
        conversations: documents in conversations with language models (CTX-4).
        uploads: files that providers of models hold, and reference documents (CTX-12).
        document_types: types that users set (CLS-6).
        sketches: sketches of texts, for similarity (STO-9).
        entities: observations and decisions (ENT-2).
        comparisons: measured comparisons of two plugins, and verdicts (CNV-4).
        purges: the log of purges, and the rows that one removes (STO-12).
        queue: documents that wait for a worker (ENG-3).
        research: research runs and their finished steps (RES-2).
        memories: memories with their anchors, entities and links (ENG-5).
        runs: runs and their outcomes (ENG-15 to ENG-17).
        pauses: why processes pause new work now (ENG-30).
        inspections: inspections of documents (CLS-7).
        page_marks: users' marks on pages (CNV-3).
        hosts: processes that have a library of several machines open (ENG-6).
        status: counts of states of documents, corpora and runs (ENG-17).
        snapshots: consistent copies of columns, for the search over an index on a server.
        records: the rows that only the index knows, for the records beside the documents.
        lost_rows: re-inserts lost rows from the records and files beside the index.
    """

    def __init__(
        self,
        url: str | URL,
        *,
        clock: Callable[[], datetime] = utc_now,
        read_only: StorageError | None = None,
        may_be_empty: bool = True,
    ) -> None:
        super().__init__(url, clock=clock, read_only=read_only, may_be_empty=may_be_empty)
        self.jobs = JobRepository(self)
        self.documents = DocumentRepository(self)
        self.listing = DocumentListing(self)
        self.versions = VersionRepository(self)
        self.corpora = CorpusRepository(self)
        self.paths = PathRepository(self)
        self.memberships = MembershipRepository(self)
        self.attachments = AttachmentRepository(self)
        self.acceptances = AcceptanceRepository(self)
        self.declarations = DeclarationRepository(self)
        self.annotations = AnnotationRepository(self)
        self.links = LinkRepository(self)
        self.conversations = ConversationRepository(self)
        self.uploads = UploadRepository(self)
        self.document_types = DocumentTypeRepository(self)
        self.sketches = SketchRepository(self)
        self.entities = EntityRepository(self)
        self.comparisons = ComparisonRepository(self)
        self.purges = PurgeRepository(self)
        self.queue = QueueRepository(self)
        self.research = ResearchRepository(self)
        self.memories = MemoryRepository(self)
        self.runs = RunRepository(self)
        self.pauses = PauseRepository(self)
        self.inspections = InspectionRepository(self)
        self.page_marks = PageMarkRepository(self)
        self.hosts = HostRepository(self)
        self.status = StatusReader(self)
        self.snapshots = SnapshotReader(self)
        self.records = RecordReader(self)
        self.lost_rows = LostRowRepository(self)
