"""What a library offers for taking documents in. `Library` is built on it."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Sized
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from octavo_contracts import Intent, UsageError

from ..conversion.options import ConvertOptions
from ..documents.location import is_url, place_of, shown_url
from ..documents.source import Given, as_source, printable
from ..entities.tagging import choose_engine
from ..ingestion.ingest_run import Run
from ..ingestion.parallel_map import behind
from ..ingestion.reconversion import Anew
from ..ingestion.requests import SURFACES, Answer, IngestRequest, Processed, corpus_overrides
from ..storage import CorpusRecord, NewRun
from ..storage.index.database import time_text, utc_now
from .document_type import in_force
from .entities import HasEntities
from .results import Ingested, Progress
from .routing_review.on_library import HasRouting
from .runs.on_library import HasRuns

if TYPE_CHECKING:
    from .library import Library

SourceLike = str | os.PathLike[str] | bytes


class IngestsDocuments(HasEntities, HasRuns, HasRouting):
    """The part of `Library` that documents come in by."""

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

        What came inside it, such as what is attached to a message, is taken in as well, as documents of their own
        (`Ingested.attachments`, `AttachmentSettings`).

        Args:
            source: a path, the URL of a page (a text that begins with http:// or https://; see `WebSettings`), or bytes
                together with `name`.
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
        activate: bool | None = None,
    ) -> Ingested:
        """As `ingest`, and known bytes are converted again, as a new version that becomes the active one (STO-13).

        With `activate` None the new version becomes the active one unless it lost pages or text of the version before,
        and `Ingested.held_back` says so then; True: in any case; False: in no case. The rest is as for `ingest`.

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
        if not done._is_shared:
            return done
        with self.engine.incoming.open_known(source, request, document_id=done.document_id, name=name) as opened:
            made = self.engine.ingestor.reconvert(opened, request, activate=activate)
        if request.may_tag:
            self._tag_if_wanted(done.document_id, request)
        assert done.document_id is not None  # it was found to be known
        attached = self.engine.attached.all_of(done.document_id, request, intent=Intent.RECONVERT)
        processed = Processed(
            document_id=done.document_id,
            reused=False,
            request=request,
            attached=attached,
            held_back=made.held_back,
            was_told=done.reused,
        )
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
        activate: bool | None = None,
        entities: bool | None = None,
        workers: int | None = None,
        cancel: threading.Event | None = None,
        progress: Callable[[Progress], None] | None = None,
        named: Sequence[str] = (),
    ) -> Iterator[Ingested]:
        """Take many documents in; each is given as it finishes, known ones at once. One bad file never stops the run.

        What came inside one of them is taken in with it (`Ingested.attachments`).

        Args:
            sources: paths and URLs; may be a generator, and is read as it goes. What is neither gives a failed result.
                What a generator raises ends the sources: it is raised again once those before it are taken in.
            corpus: the corpus they join, by name; made if it is not there.
            surface: the way in (ENG-1).
            with_: convert with this plugin what has to be converted.
            profile: routing rules.
            password: of encrypted documents.
            timeout: seconds a plugin may take for one document.
            retry: convert again what failed before.
            reingest: convert known documents again too, once a run, as new versions that become the active ones
                (STO-13). One that can not be gives a failed result, and its versions are untouched.
            activate: with `reingest`, as `reingest` has it.
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
            Given(sources),
            request,
            stop,
            reingest=reingest,
            activate=activate,
            workers=workers,
            new=new,
            progress=progress,
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
        paths = [place_of(case.path) for case in cases]
        options = {name: record.options.get(name) for name in ("with_", "profile", "timeout")}
        options["timeout"] = timeout if timeout is not None else options["timeout"]
        stop = cancel or threading.Event()
        corpus = self.index.get_corpus(record.corpus_id).name if record.corpus_id else None
        request = self._request(
            corpus=corpus, surface=record.surface, password=password, retry=True, cancel=stop, **options
        )
        new = self._new_run(request, total=len(cases), workers=workers, options=options, retry_of=record.run_id)
        return self._ingest_many(Given(paths), request, stop, workers=workers, new=new, progress=None)

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
        options = ConvertOptions(
            plugin=with_ or None,
            standing=corpus_overrides(self.index, record),
            profile=rules,
            password=password,
            timeout=timeout,
            cancel=cancel,
            preferences=self.routing_preferences(rules),
        )
        if entities:
            choose_engine(self.runtime)
        return IngestRequest(
            corpus=record,
            surface=surface,
            options=options,
            retry=retry,
            entities=entities,
            may_tag=self._may_tag(record, entities),
            profile_asked=profile,
        )

    def _corpus(self, name: str) -> CorpusRecord:
        known = {record.name: record for record in self.index.list_corpora()}
        if name in known:
            return known[name]
        try:
            return self.index.create_corpus(name)
        except UsageError:  # another thread or process was quicker
            return self.index.get_corpus(name)

    def _ingest_many(
        self,
        sources: Given,
        request: IngestRequest,
        stop: threading.Event,
        *,
        reingest: bool = False,
        activate: bool | None = None,
        workers: int | None,
        new: NewRun,
        progress: Callable[[Progress], None] | None,
    ) -> Iterator[Ingested]:
        size = workers or self.runtime.settings.workers or os.cpu_count() or 1
        asked_at = time_text(utc_now())
        run = Run(self.engine, request, workers=size, total=new.total, stop=stop)
        request = replace(request, run_id=run.run_id)
        found = self._behind(run.answers(sources), request, stop, reingest=reingest, activate=activate, workers=size)
        with self._recording(new, run_id=run.run_id, stop=stop) as saw, closing(found) as answers:
            for done, (source, processed) in enumerate(answers, start=1):
                finished = self._ingested(_as_given(source, None), processed, asked_at)
                saw(finished)
                if progress is not None:
                    progress(Progress(done=done, total=new.total, current=finished))
                yield finished
            if sources.error is not None:
                raise sources.error

    def _behind(
        self,
        found: Generator[Answer, None, None],
        request: IngestRequest,
        stop: threading.Event,
        *,
        reingest: bool,
        activate: bool | None,
        workers: int,
    ) -> Generator[Answer, None, None]:
        """What else a request asks for, done with the answers of its run."""
        if reingest:
            anew = Anew(self.engine, request, stop=stop, activate=activate)
            found = behind(found, is_due=anew.is_due, work=anew.convert, workers=workers, stop=stop)
        if request.may_tag:
            tag = partial(self._tag_answer, request=request)
            found = behind(found, is_due=lambda one: one.document_id is not None, work=tag, workers=workers, stop=stop)
        return self.engine.attached.behind_run(found, request, workers=workers, stop=stop)

    def _process(self, source: SourceLike, request: IngestRequest, name: str | None = None) -> Ingested:
        asked_at = time_text(utc_now())
        source = source if isinstance(source, bytes) else as_source(source)
        processed = self.engine.ingestor.take(source, request, name=name)
        if request.may_tag:
            self._tag_if_wanted(processed.document_id, request)
        if processed.document_id is not None and processed.has_attachments:
            processed = replace(processed, attached=self.engine.attached.all_of(processed.document_id, request))
        return self._ingested(_as_given(source, name), processed, asked_at)

    def _ingested(self, given: str, processed: Processed, asked_at: str) -> Ingested:
        library = cast("Library", self)  # the whole, whose part this is
        # Now, not when it is read: what was given stays when the library is closed.
        processed = self._typed(processed)
        return Ingested(source=given, processed=processed, library=library, asked_at=asked_at)

    def _typed(self, processed: Processed) -> Processed:
        """What came of a document, and of what came inside it, with the types in force."""
        made, request = processed.result, processed.request
        if made is not None and request is not None and (raw_hash := made.content_hashes.raw_file_hash) is not None:
            by_hand = self.index.type_by_hand(raw_hash, policy=request.policy)
            processed = replace(processed, result=in_force(made, by_hand))
        if processed.attached:
            inside = (replace(one, processed=self._inside(one.processed, processed)) for one in processed.attached)
            processed = replace(processed, attached=tuple(inside))
        return processed

    def _inside(self, processed: Processed, outer: Processed) -> Processed:
        """What came inside a document. It is known where the document is, or where it came in before that did (STO-5)."""
        request = processed.request
        if processed.reused and not outer.was_told and request is not None:
            assert processed.document_id is not None  # it was found to be known
            assert outer.document_id is not None  # something came inside it
            before = self.index.came_before(processed.document_id, outer.document_id, policy=request.told_as)
            processed = replace(processed, reused=before, was_told=before)
        return self._typed(processed)


def _as_given(source: SourceLike, name: str | None) -> str:
    if is_url(source):
        return shown_url(source)
    return name or "bytes" if isinstance(source, bytes) else printable(os.fspath(source))
