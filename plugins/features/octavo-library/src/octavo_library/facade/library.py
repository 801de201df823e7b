"""`Library`, the API for host applications: ingests documents, and stores and reuses their conversions."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from octavo.settings.settings import Settings
from octavo_contracts import StorageError

from ..search.chunk_search import CATCH_UP_SECONDS
from ..search.records import SearchResults
from ..storage import AlreadyKnown, HashKind, PolicyContext, Status
from . import lookup
from .context import LibraryContext
from .document import Document
from .ingest_options import IngestFields, IngestOptions, merge_options
from .library_opener import open_library
from .namespaces import at_first_use
from .search_index import search_chunks

if TYPE_CHECKING:
    from octavo.documents.source import SourceLike
    from octavo.runtime import Runtime

    from .catalogue import Catalogue
    from .corpora import Corpora
    from .engine_status import EngineStatus
    from .entities import Entities
    from .graph import Graph
    from .ingest import Ingestion
    from .maintenance.maintenance import Maintenance
    from .queue import Queue
    from .recognition.recognition_runs import RecognitionRuns
    from .results import IngestOutcome, Progress
    from .routing_review.review import RoutingReview
    from .runs.runs import Runs
    from .search_index import SearchIndex


class Library:
    """A folder of ingested documents. Open it with `Library.open`, and use it as a context manager.

    Thread-safe: one library object may serve many threads, and several processes may open one folder. Using a library
    after `close`, or in a forked child, raises `UsageError`; the child must open its own.

    Args:
        context: the components of an open library.
    """

    context: LibraryContext
    """The shared context of the namespaces."""
    catalogue: Catalogue = at_first_use("catalogue", "Catalogue")
    """Pages of documents, filtered, for screens and programs that browse."""
    corpora: Corpora = at_first_use("corpora", "Corpora")
    """Named sets of documents, each with its own policy and settings."""
    runs: Runs = at_first_use("runs.runs", "Runs")
    """Runs: their requests and progress; retries failed documents."""
    entities: Entities = at_first_use("entities", "Entities")
    """Entities that were observed in documents, and whether they are confirmed."""
    graph: Graph = at_first_use("graph", "Graph")
    """Documents, corpora and observed entities as nodes and edges."""
    routing: RoutingReview = at_first_use("routing_review.review", "RoutingReview")
    """The rules of profiles, the measurements of sampling, and the user's decisions."""
    recognition: RecognitionRuns = at_first_use("recognition.recognition_runs", "RecognitionRuns")
    """Recognition of many documents."""
    queue: Queue = at_first_use("queue", "Queue")
    """Documents that wait for workers, on this machine or others."""
    maintenance: Maintenance = at_first_use("maintenance.maintenance", "Maintenance")
    """Checks, repair, deletion and retention."""
    search_index: SearchIndex = at_first_use("search_index", "SearchIndex")
    """The chunk index for searches."""
    engine: EngineStatus = at_first_use("engine_status", "EngineStatus")
    """Events, throttles and resumed jobs."""
    _ingestion: Ingestion = at_first_use("ingest", "Ingestion")

    def __init__(self, context: LibraryContext) -> None:
        self.context = context

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        settings: Settings | None = None,
        create: bool = True,
        runtime: Runtime | None = None,
        index: str | None = None,
        make_room: bool = False,
    ) -> Self:
        """Open a library, and recover what a killed process left unfinished.

        A library that cannot be written, because its disk is full or read-only or permissions are missing, is opened
        read-only: see `Library.read_only`.

        Args:
            path: its folder, created if it is missing; or its URL in an object store, `s3://bucket/prefix`, `gs://…` or
                `az://…`, which needs `octavo-library[object-store]` and an index on a server.
            settings: settings; by default those of the specification.
            create: whether to create a missing library.
            runtime: shared plugins and workers; by default the library's own, which end with it.
            index: URL of a dedicated PostgreSQL database for the index, `postgresql://user@host/database`, so that
                several machines can work on one library; by default the settings', and without one the index is a
                file in the folder. Needs `octavo-library[postgres]`.
            make_room: on a full disk, free the library's disk reserve, so that documents can be purged.

        Raises:
            UsageError: `path` begins as a URL and is not that of an object store; `create` is False and there is no
                library; its index is at another place than `index`; or `index` is not the URL of a PostgreSQL database.
            StorageError: the library cannot be created; or a newer Octavo made the index; with the reason
                `tool_unavailable` if the database server cannot be reached or denies access.
            LibraryDamaged: the index is damaged.
            ToolUnavailable: the PostgreSQL driver, or obstore for a library in an object store, is not installed.
        """
        context = open_library(
            path, settings=settings, create=create, runtime=runtime, index=index, make_room=make_room
        )
        return cls(context)

    def __repr__(self) -> str:
        return f"<Library {self.context.place!r}{', read only' if self.read_only is not None else ''}>"

    @property
    def path(self) -> Path:
        """The library's folder; of a library in an object store, its workspace on this machine."""
        return self.context.path

    @property
    def read_only(self) -> StorageError | None:
        """None; or the error why the library cannot be written.

        Every call that writes then raises an error of the same class.
        """
        return self.context.read_only

    def close(self) -> None:
        """Release the folder and stop the library's workers. Calling it again does nothing."""
        self.context.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        damage = self.context.damage_behind(error)
        self.close()
        if damage is not None:
            raise damage from error

    def ingest(
        self,
        source: SourceLike,
        *,
        name: str | None = None,
        options: IngestOptions | None = None,
        cancel: threading.Event | None = None,
        **fields: Unpack[IngestFields],
    ) -> IngestOutcome:
        """Ingest one document; known bytes are not converted again. Errors of the document are in the outcome.

        Its attachments are ingested too, as separate documents (`IngestOutcome.attachments`, `AttachmentSettings`).

        With `reingest`, known bytes are converted again, as a new version that becomes the active one (STO-13) unless
        it lost pages or text of the previous one (`IngestOutcome.held_back`).

        Args:
            source: a path, the URL of a page (a string that begins with http:// or https://; see `WebSettings`), or
                bytes together with `name`; or a file-like object, which is read to its end.
            name: the name of bytes.
            options: options of the ingestion.
            cancel: set it from another thread to stop.
            fields: fields of `IngestOptions`, which replace those of `options`: `corpus="case"`, `plugin="pdfium"`.

        Raises:
            UsageError: no such plugin, profile or surface.
            StorageError: the library cannot be written.
            OctavoError: with `reingest`, the conversion of known bytes failed; existing versions are untouched.
        """
        return self._ingestion.one(source, merge_options(options, **fields), name=name, cancel=cancel)

    async def aingest(
        self,
        source: SourceLike,
        *,
        name: str | None = None,
        options: IngestOptions | None = None,
        **fields: Unpack[IngestFields],
    ) -> IngestOutcome:
        """As `ingest`, without blocking the event loop; cancelling the task kills the worker.

        Raises:
            UsageError: as `ingest`.
            asyncio.CancelledError: the task was cancelled; the document can be ingested again.
        """
        cancel = threading.Event()
        wanted = merge_options(options, **fields)
        task = asyncio.ensure_future(asyncio.to_thread(self.ingest, source, name=name, options=wanted, cancel=cancel))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            cancel.set()
            await asyncio.wait([task])
            raise

    def ingest_many(
        self,
        sources: Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
        *,
        options: IngestOptions | None = None,
        workers: int | None = None,
        cancel: threading.Event | None = None,
        progress: Callable[[Progress], None] | None = None,
        named: Sequence[str] = (),
        total: int | None = None,
        **fields: Unpack[IngestFields],
    ) -> Iterator[IngestOutcome]:
        """Ingest many documents; yield each as it finishes, known ones immediately. One bad file never stops the run.

        Attachments are ingested with their parent (`IngestOutcome.attachments`). With `reingest`, known documents are
        converted again once per run; a failure gives a failed result, and existing versions are untouched.

        Args:
            sources: paths, folders and URLs; may be a generator, which is consumed lazily. Any other value gives a
                failed result. A single path or URL is one document, and a folder is all files in it. Nothing is ingested before the result is iterated. An
                exception of a generator ends the sources; it is raised again once the sources before it are ingested.
            options: options of the ingestion.
            workers: documents converted in parallel; by default the settings'.
            cancel: set it from another thread to stop: running work is killed, the rest is not attempted.
            progress: called after each document.
            named: the arguments of the user, such as folders, for the record of the run.
            total: number of sources of a generator, if known: estimates of the run need it.
            fields: fields of `IngestOptions`, which replace those of `options`.

        Raises:
            UsageError: no such plugin, profile or surface.
            StorageError: the library cannot be written.
        """
        wanted = merge_options(options, **fields)
        return self._ingestion.many(
            sources, wanted, workers=workers, cancel=cancel, progress=progress, named=named, total=total
        )

    def documents(self, *, corpus: str | None = None, policy: PolicyContext | None = None) -> list[Document]:
        """The documents of the library, or of one corpus, by the time of their first ingestion.

        Args:
            corpus: only its documents, as visible under its policy (STO-5).
            policy: only documents ingested under this policy context.

        Raises:
            UsageError: no such corpus, or both a corpus and a policy.
        """
        return lookup.list_documents(self.context, corpus=corpus, policy=policy)

    def document(
        self,
        ref: str,
        *,
        version: int | None = None,
        as_of: datetime | None = None,
        corpus: str | None = None,
        policy: PolicyContext | None = None,
    ) -> Document:
        """A document by its id, a unique prefix of at least 6 characters of id or raw hash, its path, file name or title.

        Args:
            ref: id, prefix or path.
            version: read this version instead of the active one.
            as_of: read the version that was active at this time; without a zone it is UTC (STO-19).
            corpus: the asking corpus: documents ingested under other policies are not found (STO-5).
            policy: the asking policy context. Without corpus and policy, the library's owner asks and sees all.

        Raises:
            UsageError: no such document, or more than one; no such version, or none at that time; or two arguments that
                exclude each other.
        """
        return lookup.find_document(self.context, ref, version=version, as_of=as_of, corpus=corpus, policy=policy)

    def documents_with_hash(
        self, value: str, *, corpus: str | None = None, policy: PolicyContext | None = None
    ) -> dict[HashKind, list[Document]]:
        """The documents with a hash: other copies of bytes or text, and documents that share a page or a chunk (STO-16).

        Args:
            value: a SHA-256 in hexadecimal digits, with or without `sha256:`, or the id of a source instance.
            corpus: the asking corpus: documents and instances of other policies are not found (STO-5).
            policy: the asking policy context.

        Returns:
            What the hash is of (raw, binary, text, page, chunk or instance) → documents; empty if there is none.

        Raises:
            UsageError: no such corpus, or both a corpus and a policy.
        """
        return lookup.documents_with_hash(self.context, value, corpus=corpus, policy=policy)

    def find_known(self, source: str | os.PathLike[str] | bytes, *, corpus: str | None = None) -> AlreadyKnown | None:
        """Whether a document is "already in your system": where and since when, as far as the asker may see (STO-13).

        Args:
            source: a path or bytes; nothing is stored or recorded.
            corpus: the asking corpus: ingestions under other policies are not reported (STO-5). None: all that are
                not firewalled are reported, as in a search.

        Raises:
            UsageError: no such corpus.
            SourceMissing: there is no readable file.
        """
        return lookup.find_known(self.context, source, corpus=corpus)

    def search(
        self,
        query: str,
        *,
        corpus: str | None = None,
        policy: PolicyContext | None = None,
        limit: int = 10,
        seconds: float | None = CATCH_UP_SECONDS,
        vectors: bool | None = None,
    ) -> SearchResults:
        """The chunks of active versions that match a query best.

        If plugins provide vectors, chunks are found by meaning as well as by words, and the two rankings are fused
        (`SearchResults.method` and `reason`).

        Documents ingested since the last search are indexed first. If that takes longer than `seconds`, the rest is
        left out of the results (`SearchResults.pending`) and indexed by the next search.

        Args:
            query: words, at least one of which a chunk must have; "phrases in quotation marks"; -excluded words.
            corpus: only documents of this corpus that were ingested under its policy (STO-5), by its own chunk sets if
                it has any (STO-7).
            policy: without a corpus, only documents ingested under this policy context. With neither: all except
                those that are known under a firewalled policy only.
            limit: maximum number of hits, at least 1.
            seconds: time for indexing; None: unlimited. At most one second of it is spent on vectors.
            vectors: whether to compare meanings; True raises if no plugin can; by default as in the settings.

        Raises:
            UsageError: no such corpus, a limit below 1, or both a corpus and a policy.
            StorageError: the chunk index cannot be written.
            ToolUnavailable: `vectors` is True and no plugin provides vectors, or one that should cannot.
        """
        return search_chunks(
            self.context, query, corpus=corpus, policy=policy, limit=limit, seconds=seconds, vectors=vectors
        )

    async def asearch(
        self,
        query: str,
        *,
        corpus: str | None = None,
        policy: PolicyContext | None = None,
        limit: int = 10,
        seconds: float | None = CATCH_UP_SECONDS,
        vectors: bool | None = None,
    ) -> SearchResults:
        """As `search`, without blocking the event loop. A search that has begun is finished where the task is cancelled.

        Raises:
            UsageError: as `search`.
            StorageError: as `search`.
            ToolUnavailable: as `search`.
        """
        return await asyncio.to_thread(
            self.search, query, corpus=corpus, policy=policy, limit=limit, seconds=seconds, vectors=vectors
        )

    def status(self, *, corpus: str | None = None, policy: PolicyContext | None = None) -> Status:
        """Progress of the documents of a corpus or of a policy context, which is the default one if not given (ENG-17).

        Raises:
            UsageError: no such corpus, or both a corpus and a policy.
        """
        corpus_id, asker = lookup.asker_of(self.context, corpus, policy)
        if corpus_id is not None:
            return self.context.index.status.of_corpus(corpus_id)
        return self.context.index.status.of_policy(asker or PolicyContext())
