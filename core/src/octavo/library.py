"""The library a host application embeds: documents in, results out, everything kept and reused."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

from octavo_contracts import IngestionResult, NotAttempted, OctavoError, UsageError, file_ref

from .conversion import open_source, unreadable
from .corpora import HasCorpora
from .document import Document, load_result
from .entities.on_library import HasEntities
from .entities.tagging import choose_engine
from .heartbeat import Heartbeat
from .ingest import SURFACES, Ingestor, IngestRequest, Processed, reused
from .keeping.on_library import KeepsDocuments
from .keeping.purging import finish_interrupted
from .literal.on_library import ExtractsLiterals
from .pipeline import ConvertOptions
from .runtime import Runtime
from .search import ChunkIndex
from .search.on_library import SearchesDocuments
from .settings import Settings
from .sources import Source, hash_file, printable
from .store import ArtifactStore, CorpusRecord, DocumentRecord, Index, ReuseEvent, library_url, recover

INDEX_FILE = "index.sqlite"
BATCH = 500
"""How many sources are hashed and looked up at once: they share a query and a transaction."""

SourceLike = str | os.PathLike[str] | bytes


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run is.

    Attributes:
        done: documents finished.
        total: documents in the run, or None while that is not known.
        current: the one just finished.
    """

    done: int
    total: int | None
    current: Ingested


class Ingested:
    """What came of one source. The result is read from the library when it is first asked for.

    Attributes:
        source: the source as the caller gave it.
        document_id: the document's id; None where no bytes could be read.
        reused: whether nothing had to be converted.
    """

    def __init__(self, *, source: str, processed: Processed, library: Library) -> None:
        self.source = source
        self.document_id = processed.document_id
        self.reused = processed.reused
        self._processed = processed
        self._library = library

    def __repr__(self) -> str:
        return f"Ingested(source={self.source!r}, document_id={self.document_id!r}, reused={self.reused})"

    @cached_property
    def result(self) -> IngestionResult:
        """Everything known of the document."""
        if self._processed.result is not None:
            return self._processed.result
        assert self.document_id is not None  # only unreadable sources have none, and they carry their result
        record = self._library.index.document(self.document_id)
        way_in = self._processed.request
        instance = way_in.instance_id(self.document_id) if way_in is not None else None
        return load_result(self._library, record, instance_id=instance)

    @property
    def document(self) -> Document:
        """The document in the library.

        Raises:
            UsageError: the source could not be read, so there is none.
        """
        if self.document_id is None:
            raise UsageError("its bytes could not be read, so the library has no such document", source=self.source)
        return self._library.document(self.document_id)


class Library(KeepsDocuments, SearchesDocuments, HasCorpora, HasEntities, ExtractsLiterals):
    """A folder of ingested documents. Use it as a context manager.

    Thread-safe: one library object may serve many threads, and several processes may open one folder. After a fork
    the child must open its own.

    Args:
        path: the library's folder.
        settings: by default the specification's.
        runtime: plugins and workers shared with others; by default its own, which end with it.
    """

    def __init__(self, path: Path, *, settings: Settings | None = None, runtime: Runtime | None = None) -> None:
        self.path = path
        self._owns_runtime = runtime is None
        self.runtime = runtime or Runtime(settings)
        self.artifacts = ArtifactStore(path)
        try:
            self.index = Index(library_url(path))
            self._heartbeat = Heartbeat(self.index, owner=self.artifacts.owner)
            self.ingestor = Ingestor(self.runtime, self.artifacts, self.index, on_claim=self._heartbeat.start)
            self.chunk_index = ChunkIndex(
                path, index=path / INDEX_FILE, library_id=self.index.library_id, read=self.artifacts.read
            )
            self._recover()
        except BaseException:
            self.artifacts.close()
            raise

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
        entities: bool | None = None,
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
            entities: whether to look for entities; None: as corpus and settings say (ENT-1).
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
            entities=entities,
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
        done = self._process(source, request, name)
        if not done.reused:
            return done
        with open_source(source, name=name) as opened:
            self.ingestor.reconvert(opened, request, activate=True)
        return self._ingested(done.source, Processed(document_id=done.document_id, reused=False, request=request))

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
        entities: bool | None = None,
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
                entities=entities,
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
        entities: bool | None = None,
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
            entities: whether to look for entities; None: as corpus and settings say (ENT-1).
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
            retry=retry,
            entities=entities,
            cancel=stop,
        )
        total = len(sources) if isinstance(sources, Sized) else None
        return self._ingest_many(iter(sources), request, stop, workers=workers, total=total, progress=progress)

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

    def close(self) -> None:
        """Let go of the folder and end the library's own workers."""
        self._heartbeat.close()
        if self._owns_runtime:
            self.runtime.close()
        self.chunk_index.close()
        self.index.close()
        self.artifacts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- inside ---------------------------------------------------------------------------------------------

    def _recover(self) -> None:
        """Finish what dead owners had stored; what they had not is free to be claimed when its bytes come again."""
        finish_interrupted(self.artifacts, self.index)
        for job in recover(self.artifacts, self.index).jobs:
            if not self.ingestor.adopt(job):
                self.ingestor.give_back(job)

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
        entities: bool | None = None,
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
        if entities:
            choose_engine(self.runtime)
        return IngestRequest(
            corpus=record,
            surface=surface,
            options=options,
            retry=retry,
            entities=entities,
            may_tag=self._may_tag(record, entities),
        )

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
        workers: int | None,
        total: int | None,
        progress: Callable[[Progress], None] | None,
    ) -> Iterator[Ingested]:
        size = workers or self.runtime.settings.workers or os.cpu_count() or 1
        done = 0
        with ThreadPoolExecutor(max_workers=size, thread_name_prefix="octavo-ingest") as pool:
            running: set[Future[Ingested]] = set()
            try:
                for finished in self._stream(sources, request, stop, pool, running, size):
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
        pool: ThreadPoolExecutor,
        running: set[Future[Ingested]],
        size: int,
    ) -> Iterator[Ingested]:
        while batch := list(islice(sources, BATCH)):
            if stop.is_set():
                for given in batch:
                    yield self._not_attempted(given)
                continue
            settled, unsettled = self._look_up(batch, request)
            yield from settled
            for source in unsettled:
                while len(running) >= 2 * size:
                    yield from _finished(running)
                running.add(pool.submit(self._process, source, request))
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
            if hit is None or request.may_tag or not self.ingestor.is_settled(hit, request):
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
            processed = self.ingestor.process(opened, request)
        if request.may_tag:
            self._tag_if_wanted(processed.document_id, request)
        return self._ingested(given, processed)

    def _not_attempted(self, source: str | os.PathLike[str]) -> Ingested:
        given = _as_given(source, None)
        result = unreadable(NotAttempted("the run was cancelled", source=given), source=source, name=None)
        return self._ingested(given, Processed(document_id=None, reused=False, result=result))

    def _ingested(self, given: str, processed: Processed) -> Ingested:
        return Ingested(source=given, processed=processed, library=self)


def _finished(running: set[Future[Ingested]]) -> Iterator[Ingested]:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    running -= done
    for future in done:
        yield future.result()


def _as_given(source: SourceLike, name: str | None) -> str:
    return name or "bytes" if isinstance(source, bytes) else printable(os.fspath(source))
