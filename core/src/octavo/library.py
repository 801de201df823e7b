"""The library a host application embeds: documents in, results out, everything kept and reused."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Sized
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Self

from octavo_contracts import UsageError, ref_path
from pydantic import SecretStr

from .conversion import open_source
from .corpora import HasCorpora
from .digest.on_library import DigestsDocuments
from .document import Document
from .engine.anew import Anew
from .engine.behind import behind
from .engine.events import EventHub
from .engine.opened import Engine
from .engine.requests import SURFACES, IngestRequest, Processed
from .engine.run import Answer, Run
from .engine.tally import Bottleneck
from .engine.throttle import Hold
from .entities.on_library import HasEntities
from .entities.tagging import choose_engine
from .ingested import Ingested, Progress
from .keeping.on_library import KeepsDocuments
from .keeping.purging import finish_interrupted
from .lifetime import HasLifetime
from .literal.on_library import ExtractsLiterals
from .observing.audit import AuditLog
from .observing.watching import Observers
from .pipeline import ConvertOptions
from .runs.on_library import HasRuns
from .runtime import Runtime
from .search import ChunkIndex, tables_of
from .search.on_library import SearchesDocuments
from .settings import Settings
from .sources import printable
from .store import (
    ArtifactStore,
    CorpusRecord,
    DocumentRecord,
    NewRun,
    PolicyContext,
    Status,
    has_index,
    open_index,
)
from .store.database import time_text, utc_now

SourceLike = str | os.PathLike[str] | bytes


class Library(
    KeepsDocuments,
    SearchesDocuments,
    DigestsDocuments,
    HasEntities,
    ExtractsLiterals,
    HasCorpora,
    HasRuns,
    HasLifetime,
):
    """A folder of ingested documents. Use it as a context manager.

    Thread-safe: one library object may serve many threads, and several processes may open one folder. What is asked
    of it after `close` is a `UsageError`, and so is all that a forked child asks of its parent's: it opens its own.

    Args:
        path: the library's folder.
        settings: by default the specification's.
        runtime: plugins and workers shared with others; by default its own, which end with it.
        index: see `open`.
    """

    def __init__(
        self,
        path: Path,
        *,
        settings: Settings | None = None,
        runtime: Runtime | None = None,
        index: str | None = None,
    ) -> None:
        self.path = path
        self._owns_runtime = runtime is None
        self.artifacts = ArtifactStore(path)
        self.runtime = runtime or Runtime(settings)
        try:
            self.index = open_index(self.artifacts, url=index or _shown(self.runtime.settings.index))
            self.engine = Engine(self.runtime, self.artifacts, self.index)
            self.chunk_index = ChunkIndex(
                path, library=tables_of(self.index), library_id=self.index.library_id, read=self.artifacts.read
            )
            self.observers = Observers(self.engine.events, root=path, settings=self.runtime.settings.log)
            finish_interrupted(self.artifacts, self.index)
            self.engine.recover()
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
        index: str | None = None,
    ) -> Self:
        """Open a library, and finish what a killed process left half done.

        Args:
            path: its folder; made if it is not there.
            settings: by default the specification's.
            create: whether to make it.
            runtime: plugins and workers shared with others.
            index: URL of a PostgreSQL database of its own for the index, `postgresql://user@host/database`, so that
                several machines can work on one library; by default the settings', and without one the index is a
                file in the folder. Needs `octavo[postgres]`.

        Raises:
            UsageError: `create` is False and there is no library; or its index is elsewhere than was said.
            StorageError: the folder or the database can not be written, or was made by a newer Octavo.
            ToolUnavailable: the driver of PostgreSQL is not installed.
        """
        folder = Path(os.path.abspath(path))
        if not create and not has_index(folder):
            raise UsageError(
                f"there is no library at {folder}", remedy="Make one with `octavo ingest`, or give --library"
            )
        return cls(folder, settings=settings, runtime=runtime, index=index)

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
            self.engine.ingestor.reconvert(opened, request, activate=True)
        processed = Processed(document_id=done.document_id, reused=False, request=request)
        return self._ingested(done.source, processed, time_text(utc_now()))

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
        reingest: bool = False,
        entities: bool | None = None,
        workers: int | None = None,
        cancel: threading.Event | None = None,
        progress: Callable[[Progress], None] | None = None,
        named: Sequence[str] = (),
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
            entities: whether to look for entities; None: as corpus and settings say (ENT-1).
            workers: documents converted at once; by default the settings'.
            cancel: set it from another thread to stop: running work is killed, the rest is not attempted.
            progress: called after each document.
            named: what the user named, folders for example, for the record of the run.

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
            entities=entities,
            cancel=stop,
        )
        total = len(sources) if isinstance(sources, Sized) else None
        options = {"with_": with_, "profile": profile, "timeout": timeout}
        new = self._new_run(request, total=total, workers=workers, options=options, sources=tuple(named))
        return self._ingest_many(
            iter(sources), request, stop, reingest=reingest, workers=workers, new=new, progress=progress
        )

    def retry(
        self,
        run: str,
        *,
        reason: str | None = None,
        password: str | None = None,
        timeout: float | None = None,
        workers: int | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[Ingested]:
        """Try again what a run did not convert: exactly those documents, as a new run (ENG-15).

        Args:
            run: its id, four or more of its first digits, or "last".
            reason: only what failed or waits for this reason; "interrupted" for what was cut short.
            password: of encrypted documents.
            timeout: seconds a plugin may take for one document; by default as the run had it.
            workers: documents converted at once; by default the settings'.
            cancel: set it from another thread to stop.

        Raises:
            UsageError: no such run, or nothing of it is left for that reason.
        """
        record, cases = self.to_retry(run, reason=reason)
        paths = [ref_path(case.path) for case in cases]
        options = {name: record.options.get(name) for name in ("with_", "profile", "timeout")}
        options["timeout"] = timeout if timeout is not None else options["timeout"]
        stop = cancel or threading.Event()
        corpus = self.index.get_corpus(record.corpus_id).name if record.corpus_id else None
        request = self._request(
            corpus=corpus, surface=record.surface, password=password, retry=True, cancel=stop, **options
        )
        new = self._new_run(request, total=len(cases), workers=workers, options=options, retry_of=record.run_id)
        return self._ingest_many(iter(paths), request, stop, workers=workers, new=new, progress=None)

    def documents(self, *, corpus: str | None = None, policy: PolicyContext | None = None) -> list[Document]:
        """The documents of the library, or of one corpus, by the time they first came in.

        Args:
            corpus: only its documents, as its policy sees them (STO-5).
            policy: only what came in under this policy context.

        Raises:
            UsageError: no such corpus, or both a corpus and a policy.
        """
        corpus_id, policy = self._asker(corpus, policy)
        found: list[Document] = []
        last: DocumentRecord | None = None
        while page := self.index.list_documents(corpus_id=corpus_id, policy=policy, limit=1000, after=last):
            found.extend(Document(self, record, policy=policy) for record in page)
            last = page[-1]
        return found

    def document(self, ref: str, *, corpus: str | None = None, policy: PolicyContext | None = None) -> Document:
        """A document by its id, by a unique prefix of at least 6 characters of id or raw hash, or by a known path.

        Args:
            ref: see above.
            corpus: the corpus that asks: what came in under another policy than its own is not there for it (STO-5).
            policy: the policy context that asks. With neither, the whole library is meant: its owner asks.

        Raises:
            UsageError: none, or more than one; or both a corpus and a policy.
        """
        _, asker = self._asker(corpus, policy)
        return Document(self, self.index.document(self.index.resolve(ref, policy=asker)), policy=asker)

    def status(self, *, corpus: str | None = None, policy: PolicyContext | None = None) -> Status:
        """How it stands with the documents of a corpus, or of a policy context; by default the default one (ENG-17).

        Raises:
            UsageError: no such corpus, or both a corpus and a policy.
        """
        corpus_id, asker = self._asker(corpus, policy)
        if corpus_id is not None:
            return self.index.corpus_status(corpus_id)
        return self.index.policy_status(asker or PolicyContext())

    @property
    def events(self) -> EventHub:
        """Where to listen to what the engine does, while it does it."""
        return self.engine.events

    @property
    def audit(self) -> AuditLog:
        """Where to write down what is done to the library."""
        return self.observers.audit

    def user_active(self) -> None:
        """Say that a person uses this machine now: pools shrink for a minute, and grow again by themselves (ENG-9)."""
        self.engine.throttle.user_active()

    def holds(self) -> list[Hold]:
        """Why new work is held back at this moment, and at which value it goes on; empty while it is not (ENG-30)."""
        return self.engine.throttle.holds()

    def wait_for_resumed(self, *, seconds: float) -> bool:
        """Wait until the reconversions that were cut short, and go on since this opening, have ended (ENG-6).

        Args:
            seconds: at most so long.

        Returns:
            Whether they have. What is left goes on at the next opening.
        """
        return self.engine.waking.wait(seconds)

    def bottleneck(self) -> Bottleneck | None:
        """The step that the last run of `ingest_many` waited for most, and why (ENG-8); None before the first."""
        return self.engine.last_bottleneck

    # -- inside ---------------------------------------------------------------------------------------------

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

    def _asker(self, corpus: str | None, policy: PolicyContext | None) -> tuple[str | None, PolicyContext | None]:
        """Id of the corpus that asks, or None, and the policy context that asks, or None for the library's owner."""
        if corpus is None:
            return None, policy
        if policy is not None:
            raise UsageError("a corpus has its own policy: give one of corpus and policy")
        record = self.index.get_corpus(corpus)
        return record.corpus_id, record.policy

    def _corpus(self, name: str) -> CorpusRecord:
        known = {record.name: record for record in self.index.list_corpora()}
        return known[name] if name in known else self.index.create_corpus(name)

    def _ingest_many(
        self,
        sources: Iterator[str | os.PathLike[str]],
        request: IngestRequest,
        stop: threading.Event,
        *,
        reingest: bool = False,
        workers: int | None,
        new: NewRun,
        progress: Callable[[Progress], None] | None,
    ) -> Iterator[Ingested]:
        size = workers or self.runtime.settings.workers or os.cpu_count() or 1
        asked_at = time_text(utc_now())
        run = Run(self.engine, request, workers=size, total=new.total, stop=stop)
        found = self._behind(run.answers(sources), request, stop, reingest=reingest, workers=size)
        with self._recording(new, run_id=run.run_id, stop=stop) as saw, closing(found) as answers:
            for done, (source, processed) in enumerate(answers, start=1):
                finished = self._ingested(_as_given(source, None), processed, asked_at)
                saw(finished)
                if progress is not None:
                    progress(Progress(done=done, total=new.total, current=finished))
                yield finished

    def _behind(
        self,
        found: Generator[Answer, None, None],
        request: IngestRequest,
        stop: threading.Event,
        *,
        reingest: bool,
        workers: int,
    ) -> Generator[Answer, None, None]:
        """What else a request asks for, done with the answers of its run."""
        if reingest:
            anew = Anew(self.engine, request, stop=stop)
            found = behind(found, is_due=anew.is_due, work=anew.convert, workers=workers, stop=stop)
        if request.may_tag:
            tag = partial(self._tag_answer, request=request)
            found = behind(found, is_due=lambda one: one.document_id is not None, work=tag, workers=workers, stop=stop)
        return found

    def _process(self, source: SourceLike, request: IngestRequest, name: str | None = None) -> Ingested:
        asked_at = time_text(utc_now())
        processed = self.engine.ingestor.take(source, request, name=name)
        if request.may_tag:
            self._tag_if_wanted(processed.document_id, request)
        return self._ingested(_as_given(source, name), processed, asked_at)

    def _ingested(self, given: str, processed: Processed, asked_at: str) -> Ingested:
        return Ingested(source=given, processed=processed, library=self, asked_at=asked_at)


def _shown(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret is not None else None


def _as_given(source: SourceLike, name: str | None) -> str:
    return name or "bytes" if isinstance(source, bytes) else printable(os.fspath(source))
