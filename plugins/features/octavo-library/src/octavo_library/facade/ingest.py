"""Ingests single documents and runs of many."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

from octavo.builtins.classification.named_types import type_by_names
from octavo.conversion.options import ConvertOptions
from octavo.conversion.profile_metadata import check_metadata_readers
from octavo.documents.location import place_of, shown_url
from octavo.documents.source import Given, SourceLike, as_given, as_source, printable
from octavo_contracts import Intent, UsageError
from octavo_sandbox.egress.targets import is_url

from ..entities.opt_in import check_labels, could_opt_in
from ..entities.tagging import choose_engine
from ..ingestion.corpus_plugin import corpus_overrides
from ..ingestion.ingest_run import IngestRun
from ..ingestion.location_types import SURFACES
from ..ingestion.parallel_map import behind
from ..ingestion.queued_run import QueuedRun, Workers
from ..ingestion.reconversion import RunReconversion
from ..ingestion.requests import IngestRequest, ProcessedDocument, SourceResult
from ..storage import CorpusRecord, DeclaredMetadata, LocationType, NewRun, RunRecord, UnfinishedSource
from ..summaries.opt_in import check_any_maker, wants_summaries
from .context import LibraryContext
from .declared_metadata import checked
from .document_type import in_force, typed_by_name
from .ingest_batch import IngestBatch, SourcePath, files_beforehand, files_of, one_or_many
from .ingest_options import IngestOptions
from .profile_metadata import with_profile_metadata
from .results import IngestOutcome, Progress
from .routing_review.rules import routing_preferences
from .routing_review.sampling import make_all_waiting
from .runs.cost_guard import CostGuard, cost_guard_of, cost_of_outcome
from .runs.preflight import DiskPreflight, check_cost, new_sources
from .runs.run_recorder import new_run, recording

_PLUGIN = "with_"
"""Key of the plugin in the stored options of a run, as in runs of earlier versions."""
_DECLARED = "declared"


class Ingestion:
    """Implements `Library.ingest`, `Library.ingest_many` and `library.runs.retry`.

    Args:
        context: the library's parts.
    """

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def one(
        self, source: SourceLike, options: IngestOptions, *, name: str | None, cancel: threading.Event | None
    ) -> IngestOutcome:
        """See `Library.ingest`.

        Raises:
            UsageError: no such plugin, profile or surface.
            StorageError: the library cannot be written.
            OctavoError: known bytes could not be converted again.
        """
        with self._context.sampling.paused(partial(make_all_waiting, self._context)):
            return self._one(source, options, self.request(options, cancel), name=name)

    def many(
        self,
        sources: Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
        options: IngestOptions,
        *,
        workers: int | None,
        cancel: threading.Event | None,
        progress: Callable[[Progress], None] | None,
        named: Sequence[str],
        total: int | None = None,
    ) -> IngestBatch:
        """See `Library.ingest_many`.

        Raises:
            UsageError: no such plugin, profile or surface.
            StorageError: the library cannot be written.
        """
        stop = cancel or threading.Event()
        request = self.request(options, stop)
        given, counted = files_of(one_or_many(sources), library=self._context.path)
        total = total if counted is None else counted
        if options.declared is not None and options.declared.title is not None and total is not None and total > 1:
            raise UsageError(f"a title is of one document, and {total} were given", remedy="Leave out the title")
        new = new_run(
            self._context,
            request,
            total=total,
            workers=workers,
            options=_recorded(options),
            sources=tuple(named),
        )
        answers = self._answers(Given(given), options, request, stop, workers=workers, new=new, progress=progress)
        is_read_twice = isinstance(sources, os.PathLike | Collection)
        return IngestBatch(self._checked(sources, options, request, answers) if is_read_twice else answers)

    def queued(
        self,
        sources: Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
        options: IngestOptions,
        *,
        workers: Workers,
        cancel: threading.Event | None,
        named: Sequence[str],
    ) -> IngestBatch:
        """See `library.queue.ingest`.

        Raises:
            UsageError: no such plugin, profile or surface, or an option that workers cannot have.
            StorageError: the library cannot be written.
        """
        if options.password is not None:
            raise UsageError(
                "a password is not stored in the queue", remedy="Ingest encrypted documents without --executor"
            )
        if options.reingest:
            raise UsageError(
                "known documents are not converted again through the queue",
                remedy="Leave out --executor, or use `octavo reconvert`",
            )
        stop = cancel or threading.Event()
        request = self.request(options, stop)
        if isinstance(sources, os.PathLike | Collection):
            check_cost(self._context, new_sources(self._context, sources, options), options, request)
        given, total = files_of(one_or_many(sources), library=self._context.path)
        new = new_run(
            self._context, request, total=total, workers=None, options=_recorded(options), sources=tuple(named)
        )
        guard = cost_guard_of(None if options.confirm_cost else request.corpus, total=new.total)
        return IngestBatch(self._queued_answers(Given(given), request, stop, workers=workers, new=new, guard=guard))

    def retry(
        self,
        record: RunRecord,
        cases: Sequence[UnfinishedSource],
        *,
        password: str | None,
        timeout: float | None,
        workers: int | None,
        cancel: threading.Event | None,
    ) -> Iterator[IngestOutcome]:
        """See `library.runs.retry`.

        Raises:
            UsageError: the run's plugin or profile no longer exists.
            StorageError: the library cannot be written.
        """
        options = IngestOptions(
            corpus=self._context.index.corpora.get(record.corpus_id).name if record.corpus_id else None,
            surface=record.surface,
            plugin=record.options.get(_PLUGIN),
            profile=record.options.get("profile"),
            password=password,
            timeout=timeout if timeout is not None else record.options.get("timeout"),
            retry=True,
            declared=DeclaredMetadata.read(record.options.get(_DECLARED)),
        )
        stop = cancel or threading.Event()
        request = self.request(options, stop)
        new = new_run(
            self._context,
            request,
            total=len(cases),
            workers=workers,
            options=_recorded(options),
            retry_of=record.run_id,
        )
        paths = [place_of(case.path) for case in cases]
        answers = self._answers(Given(paths), options, request, stop, workers=workers, new=new, progress=None)
        return self._checked(paths, options, request, answers)

    # -- inside ---------------------------------------------------------------------------------------------

    def _one(
        self, source: SourceLike, options: IngestOptions, request: IngestRequest, *, name: str | None
    ) -> IngestOutcome:
        asked_at = self._context.index.now()
        engine = self._context.engine
        given, name = as_given(source, name)
        source = given if isinstance(given, bytes) else as_source(given)
        processed = engine.ingestor.take(source, request, name=name)
        processed = engine.follow_ups.run(processed, request)
        if options.reingest and processed.is_shared:
            activate = options.activate
            processed = engine.reconverter.reconvert_known(source, request, processed, name=name, activate=activate)
            processed = engine.follow_ups.run(processed, request, intent=Intent.RECONVERT)
            asked_at = self._context.index.now()
        return self._outcome(_named_as(source, name), processed, asked_at)

    def request(self, options: IngestOptions, cancel: threading.Event | None) -> IngestRequest:
        """The request of an ingestion.

        Raises:
            UsageError: no such plugin, profile or surface.
        """
        runtime = self._context.runtime
        if options.surface not in SURFACES:
            raise UsageError(f"unknown surface {options.surface!r}", remedy=f"Give one of {', '.join(SURFACES)}")
        if options.location is not None and options.location not in list(LocationType):
            kinds = ", ".join(LocationType)
            raise UsageError(f"unknown kind of place {options.location!r}", remedy=f"Give one of {kinds}")
        if options.plugin is not None:
            runtime.catalogue.get(options.plugin)
        record = self._corpus(options.corpus) if options.corpus is not None else None
        rules = options.profile or (record.profile if record else None)
        profile = runtime.profile(rules)
        if profile.metadata:
            check_metadata_readers(profile)
        conversion = ConvertOptions(
            plugin=options.plugin,
            standing=corpus_overrides(self._context.index, record) if record is not None else (),
            profile=rules,
            password=options.password,
            timeout=options.timeout,
            cancel=cancel,
            preferences=routing_preferences(self._context, rules),
        )
        entities = options.entities
        if options.entity_types is not None:
            check_labels(options.entity_types)
            entities = entities is not False
        if entities:
            choose_engine(runtime)
        if options.briefs:
            check_any_maker()
        return IngestRequest(
            corpus=record,
            surface=options.surface,
            options=conversion,
            retry=options.retry or options.reingest,
            entities=entities,
            entity_types=options.entity_types,
            may_tag=could_opt_in(
                run=entities,
                by_document_type=runtime.settings.entities.by_document_type,
                corpus=record.overrides.get("entities") if record else None,
                profile=record.profile if record else None,
            ),
            briefs=wants_summaries(options.briefs, record, runtime.settings.briefs),
            profile_asked=options.profile,
            metadata=checked(options.declared) if options.declared is not None else None,
            known_metadata=options.known_metadata,
            location=options.location,
        )

    def _corpus(self, name: str) -> CorpusRecord:
        index = self._context.index
        known = {record.name: record for record in index.corpora.all()}
        if name in known:
            return known[name]
        try:
            return index.corpora.create(name)
        except UsageError:  # another thread or process was quicker
            return index.corpora.get(name)

    def _answers(
        self,
        sources: Given,
        options: IngestOptions,
        request: IngestRequest,
        stop: threading.Event,
        *,
        workers: int | None,
        new: NewRun,
        progress: Callable[[Progress], None] | None,
    ) -> Generator[IngestOutcome]:
        context = self._context
        guard = cost_guard_of(None if options.confirm_cost else request.corpus, total=new.total)
        size = workers or context.runtime.settings.workers or os.cpu_count() or 1
        asked_at = context.index.now()
        run = IngestRun(context.engine, request, workers=size, total=new.total, stop=stop)
        request = replace(request, run_id=run.run_id)
        found = run.answers(sources)
        if options.reingest:
            again = RunReconversion(context.engine.reconverter, request, stop=stop, activate=options.activate)
            found = behind(found, is_due=again.is_due, work=again.convert, workers=size, stop=stop)
        found = context.engine.follow_ups.run_behind(found, request, workers=size, stop=stop)
        yield from self._reported(
            found, sources, run_id=run.run_id, stop=stop, new=new, asked_at=asked_at, progress=progress, guard=guard
        )

    def _queued_answers(
        self,
        sources: Given,
        request: IngestRequest,
        stop: threading.Event,
        *,
        workers: Workers,
        new: NewRun,
        guard: CostGuard | None,
    ) -> Generator[IngestOutcome]:
        asked_at = self._context.index.now()
        run = QueuedRun(self._context.engine, request, total=new.total, stop=stop, workers=workers)
        found = run.answers(sources)
        yield from self._reported(
            found, sources, run_id=run.run_id, stop=stop, new=new, asked_at=asked_at, progress=None, guard=guard
        )

    def _reported(
        self,
        found: Generator[SourceResult, None, None],
        sources: Given,
        *,
        run_id: str,
        stop: threading.Event,
        new: NewRun,
        asked_at: str,
        progress: Callable[[Progress], None] | None,
        guard: CostGuard | None,
    ) -> Generator[IngestOutcome]:
        """Record the run, and yield the outcomes of its sources."""
        context = self._context
        with (
            context.sampling.paused(partial(make_all_waiting, context)),
            recording(context, new, run_id=run_id, stop=stop) as saw,
            closing(found) as answers,
        ):
            for done, (source, processed) in enumerate(answers, start=1):
                finished = self._outcome(_named_as(source, None), processed, asked_at)
                saw(finished)
                if progress is not None:
                    progress(Progress(done=done, total=new.total, current=finished))
                yield finished
                if guard is not None and finished.was_attempted:
                    guard.add(cost_of_outcome(context, finished))
            if sources.error is not None:
                raise sources.error

    def _checked(
        self,
        sources: Iterable[SourcePath] | SourcePath,
        options: IngestOptions,
        request: IngestRequest,
        answers: Generator[IngestOutcome],
    ) -> Generator[IngestOutcome]:
        """The answers, unless the disk or the cost limit is too small for the run (ENG-12, ENG-24).

        Raises:
            StorageExhausted, CostLimitReached: as said; the run has not begun.
        """
        if self._context.runtime.settings.engine.care.disk_preflight:
            files = files_beforehand(sources, library=self._context.path)
            DiskPreflight.of(self._context).check(files, corpus=options.corpus, reingest=options.reingest)
        check_cost(self._context, new_sources(self._context, sources, options), options, request)
        yield from answers

    def _outcome(self, given: str, processed: ProcessedDocument, asked_at: str) -> IngestOutcome:
        # Apply types now, not at the first read: the outcome must stay valid after the library is closed.
        processed = self._typed(processed)
        if type_by_names([given]) is not None:
            processed = typed_by_name(self._context, processed)
        return IngestOutcome(source=given, processed=processed, context=self._context, asked_at=asked_at)

    def _typed(self, processed: ProcessedDocument) -> ProcessedDocument:
        """The result of a document and of its attachments, with the effective types."""
        made, request = processed.result, processed.request
        if made is not None and request is not None and (raw_hash := made.content_hashes.raw_file_hash) is not None:
            by_hand = self._context.index.document_types.by_hand(raw_hash, policy=request.policy)
            made = with_profile_metadata(self._context, made, [request.options.profile])
            processed = replace(processed, result=made if by_hand is None else in_force(made, by_hand))
        if processed.attached:
            inside = (replace(one, processed=self._inside(one.processed, processed)) for one in processed.attached)
            processed = replace(processed, attached=tuple(inside))
        return processed

    def _inside(self, processed: ProcessedDocument, outer: ProcessedDocument) -> ProcessedDocument:
        """The result of an attachment. It counts as known if its parent is, or if it was ingested before it (STO-5)."""
        request = processed.request
        if processed.reused and not outer.was_told and request is not None:
            assert processed.document_id is not None  # it is known
            assert outer.document_id is not None  # it has attachments
            before = self._context.index.documents.came_before(
                processed.document_id, outer.document_id, policy=request.told_as
            )
            processed = replace(processed, reused=before, was_told=before)
        return self._typed(processed)


def _recorded(options: IngestOptions) -> dict[str, str | float | None]:
    """The options that the record of a run stores."""
    stored = {_PLUGIN: options.plugin, "profile": options.profile, "timeout": options.timeout}
    return stored | ({_DECLARED: options.declared.to_json()} if options.declared is not None else {})


def _named_as(source: str | os.PathLike[str] | bytes, name: str | None) -> str:
    if is_url(source):
        return shown_url(source)
    return name or "bytes" if isinstance(source, bytes) else printable(os.fspath(source))
