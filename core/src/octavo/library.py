"""The library a host application embeds: documents in, results out, everything kept and reused."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from pathlib import Path
from typing import Self

from octavo_contracts import (
    IngestionResult,
    IngestionState,
    NotAttempted,
    OctavoError,
    StorageError,
    UsageError,
    file_ref,
)

from .assemble import build_failure
from .conversion import open_source, unreadable
from .corpora import HasCorpora
from .digest.on_library import DigestsDocuments
from .document import Document
from .engine import SURFACES, Heartbeat, Ingestor, IngestRequest, Processed, reused
from .ingested import Ingested, Progress
from .keeping.on_library import KeepsDocuments
from .keeping.purging import finish_interrupted
from .lifetime import HasLifetime
from .pipeline import ConvertOptions
from .runtime import Runtime
from .sandbox import Cancelled
from .search import ChunkIndex
from .search.on_library import SearchesDocuments
from .settings import Settings
from .sources import Source, hash_file, printable
from .store import ArtifactStore, CorpusRecord, DocumentRecord, Index, ReuseEvent, library_url, recover

INDEX_FILE = "index.sqlite"
BATCH = 500
"""How many sources are hashed and looked up at once: they share a query and a transaction."""

Process = Callable[[str | os.PathLike[str], IngestRequest], Ingested]
"""Takes one document of a run in."""

SourceLike = str | os.PathLike[str] | bytes


class Library(KeepsDocuments, SearchesDocuments, DigestsDocuments, HasCorpora, HasLifetime):
    """A folder of ingested documents. Use it as a context manager.

    Thread-safe: one library object may serve many threads, and several processes may open one folder. What is asked
    of it after `close` is a `UsageError`, and so is all that a forked child asks of its parent's: it opens its own.

    Args:
        path: the library's folder.
        settings: by default the specification's.
        runtime: plugins and workers shared with others; by default its own, which end with it.
    """

    def __init__(self, path: Path, *, settings: Settings | None = None, runtime: Runtime | None = None) -> None:
        self.path = path
        self._owns_runtime = runtime is None
        self.artifacts = ArtifactStore(path)
        self.runtime = runtime or Runtime(settings)
        try:
            self.index = Index(library_url(path))
            self._heartbeat = Heartbeat(self.index, owner=self.artifacts.owner)
            self.ingestor = Ingestor(self.runtime, self.artifacts, self.index, on_claim=self._heartbeat.start)
            self.chunk_index = ChunkIndex(
                path, index=path / INDEX_FILE, library_id=self.index.library_id, read=self.artifacts.read
            )
            self._recover()
        except BaseException:
            self.close()
            raise
        self._is_open()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        settings: Settings | None = None,
        create: bool = True,
        runtime: Runtime | None = None,
    ) -> Self:
        """Open a library, and finish what a killed process left half done.

        Args:
            path: its folder; made if it is not there.
            settings: by default the specification's.
            create: whether to make it.
            runtime: plugins and workers shared with others.

        Raises:
            UsageError: `create` is False and there is no library.
            StorageError: the folder can not be written, or was made by a newer Octavo.
        """
        folder = Path(os.path.abspath(path))
        if not create and not (folder / INDEX_FILE).is_file():
            raise UsageError(
                f"there is no library at {folder}", remedy="Make one with `octavo ingest`, or give --library"
            )
        return cls(folder, settings=settings, runtime=runtime)

    def ingest(
        self,
        source: SourceLike,
        *,
        name: str | None = None,
        corpus: str | None = None,
        surface: str = "direct_upload",
        with_: str | None = None,
        profile: str | None = None,
        password: str | None = None,
        timeout: float | None = None,
        retry: bool = False,
        cancel: threading.Event | None = None,
    ) -> Ingested:
        """Take one document in; known bytes are not converted again. Never raises for the document itself.

        Args:
            source: a path, or bytes together with `name`.
            name: the name of bytes.
            corpus: the corpus it joins, by name; made if it is not there.
            surface: the way in (ENG-1).
            with_: convert with this plugin, if it has to be converted.
            profile: routing rules.
            password: of an encrypted document.
            timeout: seconds a plugin may take.
            retry: convert again what failed before.
            cancel: set it from another thread to stop.

        Raises:
            UsageError: no such plugin, profile or surface.
            StorageError: the library can not be written.
        """
        request = self._request(
            corpus=corpus,
            surface=surface,
            with_=with_,
            profile=profile,
            password=password,
            timeout=timeout,
            retry=retry,
            cancel=cancel,
        )
        return self._process(source, request, name)

    def reingest(
        self,
        source: SourceLike,
        *,
        name: str | None = None,
        corpus: str | None = None,
        surface: str = "direct_upload",
        with_: str | None = None,
        profile: str | None = None,
        password: str | None = None,
        timeout: float | None = None,
    ) -> Ingested:
        """As `ingest`, and known bytes are converted again, as a new version that becomes the active one (STO-13).

        Raises:
            UsageError: as `ingest`.
            StorageError: as `ingest`.
            OctavoError: known bytes could not be converted again; their versions are untouched.
        """
        request = self._request(
            corpus=corpus,
            surface=surface,
            with_=with_,
            profile=profile,
            password=password,
            timeout=timeout,
            retry=True,
            cancel=None,
        )
        return self._again(self._process(source, request, name), source, request, name)

    async def aingest(
        self,
        source: SourceLike,
        *,
        name: str | None = None,
        corpus: str | None = None,
        surface: str = "direct_upload",
        with_: str | None = None,
        profile: str | None = None,
        password: str | None = None,
        timeout: float | None = None,
        retry: bool = False,
    ) -> Ingested:
        """As `ingest`, without blocking the event loop; cancelling the task kills the worker.

        Raises:
            UsageError: as `ingest`.
            asyncio.CancelledError: the task was cancelled; the document can be ingested again.
        """
        cancel = threading.Event()
        task = asyncio.ensure_future(
            asyncio.to_thread(
                self.ingest,
                source,
                name=name,
                corpus=corpus,
                surface=surface,
                with_=with_,
                profile=profile,
                password=password,
                timeout=timeout,
                retry=retry,
                cancel=cancel,
            )
        )
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            cancel.set()
            await asyncio.wait([task])
            raise

    def ingest_many(
        self,
        sources: Iterable[str | os.PathLike[str]],
        *,
        corpus: str | None = None,
        surface: str = "direct_upload",
        with_: str | None = None,
        profile: str | None = None,
        password: str | None = None,
        timeout: float | None = None,
        retry: bool = False,
        reingest: bool = False,
        workers: int | None = None,
        cancel: threading.Event | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Iterator[Ingested]:
        """Take many documents in; each is given as it finishes, known ones at once. One bad file never stops the run.

        Args:
            sources: paths; may be a generator, and is read as it goes.
            corpus: the corpus they join, by name; made if it is not there.
            surface: the way in (ENG-1).
            with_: convert with this plugin what has to be converted.
            profile: routing rules.
            password: of encrypted documents.
            timeout: seconds a plugin may take for one document.
            retry: convert again what failed before.
            reingest: convert known documents again too, once a run, as new versions that become the active ones
                (STO-13). One that can not be gives a failed result, and its versions are untouched.
            workers: documents converted at once; by default the settings'.
            cancel: set it from another thread to stop: running work is killed, the rest is not attempted.
            progress: called after each document.

        Raises:
            UsageError: no such plugin, profile or surface.
            StorageError: the library can not be written.
        """
        stop = cancel or threading.Event()
        request = self._request(
            corpus=corpus,
            surface=surface,
            with_=with_,
            profile=profile,
            password=password,
            timeout=timeout,
            retry=retry or reingest,
            cancel=stop,
        )
        process = _Reingest(self) if reingest else self._process
        total = len(sources) if isinstance(sources, Sized) else None
        return self._ingest_many(
            iter(sources), request, stop, process=process, workers=workers, total=total, progress=progress
        )

    def documents(self, *, corpus: str | None = None) -> list[Document]:
        """The documents of the library, or of one corpus, by the time they first came in.

        Raises:
            UsageError: no such corpus.
        """
        corpus_id = self.index.get_corpus(corpus).corpus_id if corpus is not None else None
        found: list[Document] = []
        last: DocumentRecord | None = None
        while page := self.index.list_documents(corpus_id=corpus_id, limit=1000, after=last):
            found.extend(Document(self, record) for record in page)
            last = page[-1]
        return found

    def document(self, ref: str) -> Document:
        """A document by its id, by a unique prefix of at least 6 characters of id or raw hash, or by a known path.

        Raises:
            UsageError: none, or more than one.
        """
        return Document(self, self.index.document(self.index.resolve(ref)))

    # -- inside ---------------------------------------------------------------------------------------------

    def _recover(self) -> None:
        """Finish what dead owners had stored; what they had not is free to be claimed when its bytes come again."""
        finish_interrupted(self.artifacts, self.index)
        for job in recover(self.artifacts, self.index).jobs:
            if not self.ingestor.recovery.adopt(job):
                self.ingestor.recovery.give_back(job)

    def _request(
        self,
        *,
        corpus: str | None,
        surface: str,
        with_: str | None,
        profile: str | None,
        password: str | None,
        timeout: float | None,
        retry: bool,
        cancel: threading.Event | None,
    ) -> IngestRequest:
        if surface not in SURFACES:
            raise UsageError(f"no surface named {surface!r}; there are {', '.join(SURFACES)}")
        if with_ is not None:
            self.runtime.catalogue.get(with_)
        record = self._corpus(corpus) if corpus is not None else None
        rules = profile or (record.profile if record else None)
        self.runtime.profile(rules)
        overrides = ((with_, "the caller"),) if with_ else ()
        if record is not None and (plugin := self.index.get_override(corpus_id=record.corpus_id)):
            overrides = (*overrides, (plugin, f"the corpus {record.name}"))
        options = ConvertOptions(overrides=overrides, profile=rules, password=password, timeout=timeout, cancel=cancel)
        return IngestRequest(corpus=record, surface=surface, options=options, retry=retry)

    def _corpus(self, name: str) -> CorpusRecord:
        known = {record.name: record for record in self.index.list_corpora()}
        return known[name] if name in known else self.index.create_corpus(name)

    def _open(self, source: SourceLike, *, name: str | None, request: IngestRequest) -> Source | IngestionResult:
        try:
            return open_source(source, name=name)
        except OctavoError as error:
            if error.reason is None:
                raise
            result = unreadable(error, source=source, name=name)
            self.ingestor.record_unreadable(
                result, request, None if isinstance(source, bytes) else result.original_artifact_ref
            )
            return result

    def _ingest_many(
        self,
        sources: Iterator[str | os.PathLike[str]],
        request: IngestRequest,
        stop: threading.Event,
        *,
        process: Process,
        workers: int | None,
        total: int | None,
        progress: Callable[[Progress], None] | None,
    ) -> Iterator[Ingested]:
        size = workers or self.runtime.settings.workers or os.cpu_count() or 1
        done = 0
        with ThreadPoolExecutor(max_workers=size, thread_name_prefix="octavo-ingest") as pool:
            running: set[Future[Ingested]] = set()
            try:
                for finished in self._stream(sources, request, stop, process, pool, running, size):
                    done += 1
                    if progress is not None:
                        progress(Progress(done=done, total=total, current=finished))
                    yield finished
            finally:
                # Reached early when the caller stops reading or an error ends the run: nothing may go on unseen.
                if running:
                    stop.set()

    def _stream(
        self,
        sources: Iterator[str | os.PathLike[str]],
        request: IngestRequest,
        stop: threading.Event,
        process: Process,
        pool: ThreadPoolExecutor,
        running: set[Future[Ingested]],
        size: int,
    ) -> Iterator[Ingested]:
        while batch := list(islice(sources, BATCH)):
            if stop.is_set():
                for given in batch:
                    yield self._not_attempted(given)
                continue
            settled, unsettled = ([], batch) if process != self._process else self._look_up(batch, request)
            yield from settled
            for source in unsettled:
                while len(running) >= 2 * size:
                    yield from _finished(running)
                running.add(pool.submit(process, source, request))
        while running:
            yield from _finished(running)

    def _look_up(
        self, batch: list[str | os.PathLike[str]], request: IngestRequest
    ) -> tuple[list[Ingested], list[str | os.PathLike[str]]]:
        """Hash a batch and settle at once what is known already: one query and one transaction for all of it."""
        hashed: list[tuple[str | os.PathLike[str], str]] = []
        unsettled: list[str | os.PathLike[str]] = []
        for source in batch:
            raw_hash = hash_file(source)
            if raw_hash is None:
                unsettled.append(source)
            else:
                hashed.append((source, raw_hash))
        known = self.index.find_by_hash([raw_hash for _, raw_hash in hashed])
        settled: list[Ingested] = []
        events: list[ReuseEvent] = []
        for source, raw_hash in hashed:
            hit = known.get(raw_hash)
            if hit is None or not self.ingestor.is_settled(hit, request):
                unsettled.append(source)
                continue
            events.append(self.ingestor.reuse_event(hit, request, file_ref(os.fspath(source))))
            settled.append(self._ingested(_as_given(source, None), reused(hit, request)))
        if events:
            self.index.record_reuse(events)
        return settled, unsettled

    def _process(self, source: SourceLike, request: IngestRequest, name: str | None = None) -> Ingested:
        stop = request.options.cancel
        if stop is not None and stop.is_set() and not isinstance(source, bytes):
            return self._not_attempted(source)
        given = _as_given(source, name)
        opened = self._open(source, name=name, request=request)
        if isinstance(opened, IngestionResult):
            return self._ingested(given, Processed(document_id=None, reused=False, result=opened))
        with opened:
            return self._ingested(given, self.ingestor.process(opened, request))

    def _again(self, done: Ingested, source: SourceLike, request: IngestRequest, name: str | None = None) -> Ingested:
        """Convert a document again that was known; one that was not has just been converted."""
        if not done.reused:
            return done
        with open_source(source, name=name) as opened:
            self.ingestor.reconvert(opened, request, activate=True)
        return self._ingested(done.source, Processed(document_id=done.document_id, reused=False, request=request))

    def _not_attempted(self, source: str | os.PathLike[str]) -> Ingested:
        given = _as_given(source, None)
        result = unreadable(NotAttempted("the run was cancelled", source=given), source=source, name=None)
        return self._ingested(given, Processed(document_id=None, reused=False, result=result))

    def _ingested(self, given: str, processed: Processed) -> Ingested:
        return Ingested(source=given, processed=processed, library=self)


class _Reingest:
    """Processes the documents of one run anew, each of them once however many paths it has.

    Args:
        library: where they live.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = threading.Lock()
        self._seen: set[str | None] = set()

    def __call__(self, source: str | os.PathLike[str], request: IngestRequest) -> Ingested:
        """Ingest, and convert again what was known and has not been converted in this run."""
        done = self._library._process(source, request)
        with self._lock:
            was_seen = done.document_id in self._seen
            self._seen.add(done.document_id)
        if was_seen:
            return done
        try:
            return self._library._again(done, source, request)
        except Cancelled:
            return self._library._not_attempted(source)
        except OctavoError as error:
            if error.reason is None or isinstance(error, StorageError):
                raise
            result = build_failure(
                error,
                stage=IngestionState.CONVERSION_FAILED,
                document_id=done.document_id,
                original_ref=file_ref(os.fspath(source)),
            )
            processed = Processed(document_id=done.document_id, reused=False, result=result)
            return self._library._ingested(done.source, processed)


def _finished(running: set[Future[Ingested]]) -> Iterator[Ingested]:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    running -= done
    for future in done:
        yield future.result()


def _as_given(source: SourceLike, name: str | None) -> str:
    return name or "bytes" if isinstance(source, bytes) else printable(os.fspath(source))
