"""One document into the library: known already? reuse it; else convert it, store a version, commit the index.

A job is claimed before anything is converted and ended by one transaction after its version's files are published,
so that a crash at any instant leaves the old state or the new one (STO-8, ENG-6).
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from octavo_contracts import (
    TERMINAL_STATES,
    ContentHashes,
    DocumentClassification,
    HardFailReason,
    IngestionResult,
    IngestionState,
    Intent,
    NotAttempted,
    OctavoError,
    PageAnchorMap,
    StorageError,
)
from sqlalchemy.exc import SQLAlchemyError

from .assemble import build_failure
from .conversion import failure_result, success_result
from .pipeline import ConversionFailed, ConvertedVersion, ConvertOptions, Outcome, run
from .runtime import Runtime
from .sandbox import Cancelled
from .sources import Source
from .store import (
    ArtifactStore,
    ConversionFacts,
    CorpusRecord,
    DocumentFacts,
    Index,
    Job,
    KnownDocument,
    LocationType,
    NewJob,
    PolicyContext,
    ReuseEvent,
    Sighting,
    Step,
    document_id_for,
    find_orphan_version,
    source_instance_id_for,
)
from .text.canonical import CanonicalText
from .text.chunking import make_chunks
from .version_files import chunk_file, read_result, to_files, version_refs

WAIT_SECONDS = 0.05
"""How often a thread that waits for another one's work on a document looks whether it was cancelled."""

WAITING = frozenset({HardFailReason.TOOL_UNAVAILABLE, HardFailReason.AUTH_UNAVAILABLE})
"""Reasons that end by themselves: the job stays open and waits (ENG-7)."""

_S = IngestionState


@dataclass(frozen=True, kw_only=True)
class IngestRequest:
    """How documents come in and how they are to be converted.

    Attributes:
        corpus: the corpus they join, or None.
        surface: the way in (ENG-1).
        options: what the caller asked of the conversion.
        retry: convert again what failed before.
        entities: whether to look for entities; None: as corpus and settings say (ENT-1).
        may_tag: whether anybody might want entities, so that each document has to be asked about.
    """

    corpus: CorpusRecord | None = None
    surface: str = "direct_upload"
    options: ConvertOptions = field(default_factory=ConvertOptions)
    retry: bool = False
    entities: bool | None = None
    may_tag: bool = False

    @property
    def policy(self) -> PolicyContext:
        """The corpus's policy, or the default one."""
        return self.corpus.policy if self.corpus else PolicyContext()

    @property
    def corpus_id(self) -> str | None:
        """The corpus's id, or None."""
        return self.corpus.corpus_id if self.corpus else None

    def sighting(self, path_ref: str | None) -> Sighting:
        """The encounter to record for a document at a path, or for bytes without one."""
        location = LocationType.LOCAL if path_ref else _LOCATIONS.get(self.surface, LocationType.DIRECT_UPLOAD)
        return Sighting(
            path=path_ref, location_type=location, surface=self.surface, corpus_id=self.corpus_id, policy=self.policy
        )

    def instance_id(self, document_id: str) -> str:
        """The id of this way in for a document (STO-5)."""
        return source_instance_id_for(document_id, policy=self.policy, surface=self.surface, corpus_id=self.corpus_id)


_LOCATIONS = {
    "email_attachment": LocationType.EMAIL_ATTACHMENT,
    "browser_capture": LocationType.BROWSER,
    "chat_attachment": LocationType.CHAT_ATTACHMENT,
    "demonstration_capture": LocationType.DEMONSTRATION_CAPTURE,
    "task_output": LocationType.TASK_OUTPUT,
}

SURFACES = (
    "corpus",
    "email_attachment",
    "browser_capture",
    "chat_attachment",
    "demonstration_capture",
    "task_output",
    "direct_upload",
    "watched_folder",
    "autonomous_gathering",
)
"""The ways in (ENG-1)."""


@dataclass(frozen=True, kw_only=True)
class Processed:
    """What came of one document.

    Attributes:
        document_id: its id, or None where its bytes could not be read.
        reused: whether nothing had to be converted.
        result: the result where it is at hand; None: read it from the store.
        request: how it came in, for a result that is read from the store.
    """

    document_id: str | None
    reused: bool
    result: IngestionResult | None = None
    request: IngestRequest | None = None


class _Turn:
    """The right to work on one document, and how many threads have it or wait for it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.takers = 0


def _raise_if(cancel: threading.Event | None) -> None:
    if cancel is not None and cancel.is_set():
        raise Cancelled("the caller cancelled while the document was at work elsewhere")


class Ingestor:
    """Takes opened documents into a library. Thread-safe.

    Args:
        runtime: plugins and workers.
        artifacts: the library's files.
        index: the library's index.
        on_claim: called whenever a job was claimed.
    """

    def __init__(
        self, runtime: Runtime, artifacts: ArtifactStore, index: Index, *, on_claim: Callable[[], None] = lambda: None
    ) -> None:
        self._on_claim = on_claim
        self._runtime = runtime
        self._artifacts = artifacts
        self._index = index
        self._busy: dict[str, _Turn] = {}
        self._busy_lock = threading.Lock()

    def engine_set(self, request: IngestRequest) -> str:
        """What a stored failure depends on: the installed engines, and the plugin that was asked for."""
        asked = "".join(f"/{plugin}" for plugin, _ in request.options.overrides)
        return self._runtime.catalogue.fingerprint() + asked

    def is_settled(self, known: KnownDocument, request: IngestRequest) -> bool:
        """Whether a known document's stored result answers a request: a conversion, or a failure not worth a new try."""
        if known.active_version is not None:
            return True
        if request.retry or request.options.password is not None or known.status is not _S.HARD_FAILED:
            return False
        failure = self._index.stored_failure(known.raw_hash)
        return failure is not None and failure.engine_set == self.engine_set(request)

    def reuse_event(self, known: KnownDocument, request: IngestRequest, path_ref: str | None) -> ReuseEvent:
        """The event of a settled document that came again."""
        return ReuseEvent(
            document_id=known.document_id,
            sighting=request.sighting(path_ref),
            outcome="reused" if known.active_version is not None else "reused_failure",
        )

    def process(self, source: Source, request: IngestRequest) -> Processed:
        """Take one document in. Never raises for the document itself.

        Raises:
            UsageError: an override or profile does not exist.
            StorageError: the library can not be written.
        """
        path_ref = source.original_ref if source.path is not None else None
        raw_hash = source.raw_file_hash
        try:
            with self._alone(raw_hash, request.options.cancel):
                known = self._index.find_by_hash([raw_hash]).get(raw_hash)
                if known is not None and self.is_settled(known, request):
                    return self._reuse(known, request, path_ref)
                job = self._claim(raw_hash, Intent.INGEST, request, path_ref)
                if job is None:  # another process finished it while we waited
                    return self._reuse(self._index.find_by_hash([raw_hash])[raw_hash], request, path_ref)
                with self._held(job):
                    return self._run(job, source, request, path_ref)
        except Cancelled:
            return Processed(document_id=document_id_for(raw_hash), reused=False, result=cancelled(source))

    def record_unreadable(self, result: IngestionResult, request: IngestRequest, path_ref: str | None) -> None:
        """Store the failure of a source whose bytes could not be read: a job that starts and ends at once."""
        reason = result.failure_receipts[0].reason_code
        with self._index.batch():
            started = self._index.start_job(NewJob(raw_hash=None), owner=self._artifacts.owner)
            self._index.finish_failure(
                started.job, reason=reason, result_json=result.to_json(), sighting=request.sighting(path_ref)
            )

    def reconvert(self, source: Source, request: IngestRequest, *, activate: bool) -> int:
        """Convert a known document again, as a new version.

        Returns:
            The new version's number.

        Raises:
            OctavoError: it could not be converted; the versions it has are untouched.
        """
        with self._alone(source.raw_file_hash, request.options.cancel):
            job = self._claim(source.raw_file_hash, Intent.RECONVERT, request, None)
            if job is None:
                raise NotAttempted("another process has just reconverted it", source=source.display)
            started = _now()
            with self._held(job):
                try:
                    outcome = run(self._runtime, source, request.options)
                except (ConversionFailed, OctavoError) as error:
                    failed = error if isinstance(error, ConversionFailed) else ConversionFailed(error)
                    if failed.error.reason is None:
                        raise
                    self._fail(job, source, failed, request, None)
                    raise failed.error.located(source=source.display) from error
                version = outcome.versions[outcome.active]
                original = self._original_ref(source)
                return self._commit(job, source, outcome, version, request, None, original, started, activate=activate)[
                    0
                ]

    def adopt(self, job: Job) -> bool:
        """Finish a dead owner's job from the version it had stored before it died.

        Returns:
            Whether there was one.
        """
        number = find_orphan_version(self._artifacts, self._index, job)
        if number is None:
            return False
        self._finish_adopted(job, number)
        return True

    def give_back(self, job: Job) -> None:
        """Note that a dead owner's job was cut short, and let it wait until its bytes come again."""
        self._index.release(self._interrupted(job))

    def _interrupted(self, job: Job) -> Job:
        """Log the interruption. It is not held against the document: converters run apart and can not kill the host."""
        if job.state is not _S.CONVERSION_PENDING:
            return job
        step = Step(state=_S.CONVERSION_FAILED, step="convert", outcome="interrupted", error="its host died")
        return self._index.advance(job, step)

    # -- inside ---------------------------------------------------------------------------------------------

    def _reuse(self, known: KnownDocument, request: IngestRequest, path_ref: str | None) -> Processed:
        self._index.record_reuse([self.reuse_event(known, request, path_ref)])
        return reused(known, request)

    @contextmanager
    def _alone(self, raw_hash: str, cancel: threading.Event | None) -> Iterator[None]:
        """One thread a document: the second one finds the first one's result (ENG-22).

        Raises:
            Cancelled: the caller cancelled while another thread was at work on it.
        """
        with self._busy_lock:
            turn = self._busy.setdefault(raw_hash, _Turn())
            turn.takers += 1
        try:
            while not turn.lock.acquire(timeout=WAIT_SECONDS):
                _raise_if(cancel)
            try:
                yield
            finally:
                turn.lock.release()
        finally:
            with self._busy_lock:
                turn.takers -= 1
                if not turn.takers:
                    del self._busy[raw_hash]

    @contextmanager
    def _held(self, job: Job) -> Iterator[None]:
        """Let go of a job that an unexpected error left open, so that the document can be taken in again."""
        try:
            yield
        except BaseException:
            with suppress(OctavoError, SQLAlchemyError):  # the first error is the one to report
                now = self._index.job(job.job_id)
                if now.owner == self._artifacts.owner:
                    self._index.release(now)
            raise

    def _claim(self, raw_hash: str, intent: Intent, request: IngestRequest, path_ref: str | None) -> Job | None:
        """Start the job, or take over a dead owner's; None where a living process finished it while we waited."""
        new = NewJob(
            raw_hash=raw_hash,
            intent=intent,
            source_instance_id=request.instance_id(document_id_for(raw_hash)),
            engine_set=self.engine_set(request),
            request_json=json.dumps({"path": path_ref, "surface": request.surface, "corpus_id": request.corpus_id}),
            steps=(_S.HASH_CHECKED, _S.SOURCE_STORED, _S.CONVERSION_PENDING),
            unless_converted=intent is Intent.INGEST,
        )
        self._on_claim()
        while True:
            job, is_new = self._index.start_job(new, owner=self._artifacts.owner)
            if is_new:
                return job
            if job.state in TERMINAL_STATES:
                return None
            if self._is_free(job):
                claimed = self._index.claim(job, owner=self._artifacts.owner)
                if claimed is None:
                    continue
                if self.adopt(claimed):
                    return None
                if job.owner not in (None, self._artifacts.owner):
                    claimed = self._interrupted(claimed)
                if claimed.state is _S.CONVERSION_FAILED:
                    claimed = self._index.advance(claimed, _S.CONVERSION_PENDING)
                return claimed
            _raise_if(request.options.cancel)
            time.sleep(WAIT_SECONDS)

    def _is_free(self, job: Job) -> bool:
        """Whether nobody is at work on a job. One of our own is left over: this thread alone has the document."""
        return job.owner is None or job.owner == self._artifacts.owner or not self._artifacts.is_alive(job.owner)

    def _run(self, job: Job, source: Source, request: IngestRequest, path_ref: str | None) -> Processed:
        started = _now()
        try:
            original = self._original_ref(source)
            outcome = run(self._runtime, source, request.options)
        except (ConversionFailed, OctavoError) as error:
            failed = error if isinstance(error, ConversionFailed) else ConversionFailed(error)
            if failed.error.reason is None or isinstance(error, StorageError):
                raise
            return self._fail(job, source, failed, request, path_ref)
        first, *later = outcome.versions
        _, result = self._commit(job, source, outcome, first, request, path_ref, original, started, activate=True)
        for version in later:
            again = self._claim(source.raw_file_hash, Intent.RECONVERT, request, path_ref)
            if again is not None:
                takes_over = outcome.versions[outcome.active] is version
                with self._held(again):
                    _, better = self._commit(
                        again, source, outcome, version, request, None, original, started, activate=takes_over
                    )
                result = better if takes_over else result
        return Processed(document_id=result.document_id, reused=False, result=result)

    def _original_ref(self, source: Source) -> str:
        """Bytes without a path are stored once; a user's file stays where it is (STO-1)."""
        if source.path is not None:
            return source.original_ref
        with os.fdopen(os.dup(source.fd), "rb") as stream:
            stream.seek(0)
            return self._artifacts.put_original(
                source.raw_file_hash, extension=PurePath(source.name).suffix, stream=stream
            )

    def _commit(
        self,
        job: Job,
        source: Source,
        outcome: Outcome,
        version: ConvertedVersion,
        request: IngestRequest,
        path_ref: str | None,
        original: str,
        started: str,
        *,
        activate: bool,
    ) -> tuple[int, IngestionResult]:
        raw_hash = source.raw_file_hash
        document_id = document_id_for(raw_hash)
        plugin = version.candidate.plugin
        tool = {
            "plugin": plugin.name,
            "plugin_version": plugin.manifest.version,
            "engine_version": version.conversion.engine_version or plugin.engine_version,
            "because": version.candidate.because,
            "profile": request.options.profile or self._runtime.settings.profile,
            "created_at": _now(),
        }

        results: dict[int, IngestionResult] = {}

        def files_of(number: int) -> dict[str, bytes]:
            results[number] = success_result(
                outcome,
                version,
                source,
                version_refs(raw_hash, number, original=original),
                sandbox_level=self._runtime.pool.level,
                source_instance_id=request.instance_id(document_id),
            )
            return to_files(results[number], texts=version.texts, conversion=version.conversion, tool=tool)

        above = self._index.highest_version(document_id)
        number = self._artifacts.put_version(raw_hash, files_of, job_id=job.job_id, above=above)
        result = results[number]
        self._artifacts.put_chunks(
            raw_hash, number, config_version=self._runtime.settings.chunking.version, data=chunk_file(result)
        )
        facts = _facts(result, size=source.size, media_type=outcome.inspection.detected.media_type)
        self._finish(
            job,
            result,
            facts,
            tool,
            number,
            request.sighting(path_ref) if job.intent is Intent.INGEST else None,
            started,
            activate=activate,
        )
        return number, result

    def _finish(
        self,
        job: Job,
        result: IngestionResult,
        facts: DocumentFacts,
        tool: dict[str, Any],
        number: int,
        sighting: Sighting | None,
        started: str,
        *,
        activate: bool,
    ) -> None:
        report = result.quality_report
        conversion = ConversionFacts(
            version=number,
            tool=tool["plugin"],
            tool_version=tool["plugin_version"],
            config_json=json.dumps({"profile": tool["profile"], "because": tool["because"]}),
            quality_score=report.quality_score,
            status="ok" if report.user_visible_status == "ok" else "degraded",
            flags=report.degraded_flags,
            activate=activate,
        )
        converted = Step(
            state=_S.CONVERTED,
            step="convert",
            started_at=started,
            ended_at=_now(),
            outcome=report.user_visible_status,
            tool=f"{tool['plugin']} {tool['plugin_version']}",
        )
        classified = _S.CLASSIFIED if result.classification else _S.CLASSIFICATION_FAILED
        skipped = [
            Step(state=state, skipped=True) for state in (_S.EXTRACTION_PENDING, _S.EXTRACTED, _S.VERIFIED, _S.WRITTEN)
        ]
        end = _S.COMPLETE if result.ingestion_status == "complete" else _S.DEGRADED_COMPLETE
        self._index.finish_conversion(
            job,
            converted,
            classified,
            Step(state=_S.SUMMARIZED, skipped=True),
            _S.INDEXED,
            *skipped,
            end,
            document=facts,
            conversion=conversion,
            sighting=sighting,
        )
        self._write_log(facts.raw_hash)

    def _finish_adopted(self, job: Job, number: int) -> None:
        assert job.raw_hash is not None  # `adopt` looked
        raw_hash = job.raw_hash
        came = json.loads(job.request_json or "{}")
        chunking = self._runtime.settings.chunking
        report_ref = f"store:by_hash/{raw_hash}/conversions/v{number}"
        original = json.loads(self._artifacts.read(f"{report_ref}/quality_report.json"))["source_ref"]
        refs = version_refs(raw_hash, number, original=original)
        self._ensure_chunks(raw_hash, number)
        result = read_result(
            self._artifacts.read,
            document_id=document_id_for(raw_hash),
            refs=refs,
            chunking_version=chunking.version,
            source_instance_id=job.source_instance_id,
        )
        corpus = self._index.get_corpus(came["corpus_id"]) if came.get("corpus_id") else None
        request = IngestRequest(corpus=corpus, surface=came.get("surface", "direct_upload"))
        tool = json.loads(self._artifacts.read(f"{refs.conversion}/tool.json"))
        media_type = result.classification.media_type if result.classification else None
        sighting = request.sighting(came.get("path")) if job.intent is Intent.INGEST else None
        facts = _facts(result, size=None, media_type=media_type)
        self._finish(job, result, facts, tool, number, sighting, tool["created_at"], activate=True)

    def _ensure_chunks(self, raw_hash: str, number: int) -> None:
        """Make the chunk set of a version whose owner died before it was written: it follows from the texts."""
        chunking = self._runtime.settings.chunking
        folder = f"store:by_hash/{raw_hash}/conversions/v{number}"
        pages = json.loads(self._artifacts.read(f"{folder}/pages.json"))
        archived = CanonicalText.from_archive(self._artifacts.read(f"{folder}/canonical.txt").decode())
        text = CanonicalText(archived.text, archived.pages, tuple(pages["breaks"]), pages["paginated"])
        anchors = PageAnchorMap.model_validate_json(self._artifacts.read(f"{folder}/anchors.json"))
        chunks = make_chunks(text, anchors, chunking)
        from .text.canonical import hash_texts

        data = json.dumps(
            {
                "chunks": [json.loads(chunk.to_json()) for chunk in chunks],
                "chunk_hashes": list(hash_texts(chunk.span.of(text.text) for chunk in chunks)),
            },
            ensure_ascii=False,
            indent=1,
        ).encode()
        self._artifacts.put_chunks(raw_hash, number, config_version=chunking.version, data=data)

    def _fail(
        self, job: Job, source: Source, failed: ConversionFailed, request: IngestRequest, path_ref: str | None
    ) -> Processed:
        result = failure_result(failed, source, sandbox_level=self._runtime.pool.level)
        instance = request.instance_id(document_id_for(source.raw_file_hash))
        hashes = result.content_hashes.model_copy(update={"source_instance_id": instance})
        original = self._original_ref(source)
        report = result.quality_report.model_copy(update={"source_ref": original})
        result = result.model_copy(
            update={"content_hashes": hashes, "original_artifact_ref": original, "quality_report": report}
        )
        reason = result.failure_receipts[0].reason_code
        if reason in WAITING:
            self._index.release(job, waiting_reason=reason)
            return Processed(document_id=result.document_id, reused=False, result=result)
        inspection = failed.inspection
        facts = DocumentFacts(
            raw_hash=source.raw_file_hash,
            normalized_binary_hash=hashes.normalized_binary_hash,
            title=source.name,
            document_type=result.document_type,
            file_size=source.size,
            mime_type=inspection.detected.media_type if inspection else None,
            classification_json=_classification_json(result.classification),
            original_ref=result.original_artifact_ref,
        )
        failure = Step(state=_S.CONVERSION_FAILED, step="convert", outcome="failed", error=failed.error.message)
        self._index.finish_failure(
            job,
            failure,
            reason=reason,
            result_json=result.to_json(),
            document=facts,
            sighting=request.sighting(path_ref) if job.intent is Intent.INGEST else None,
        )
        self._write_log(source.raw_file_hash)
        return Processed(document_id=result.document_id, reused=False, result=result)

    def _write_log(self, raw_hash: str) -> None:
        self._artifacts.write_log(raw_hash, self._index.processing_log(raw_hash))


def reused(known: KnownDocument, request: IngestRequest) -> Processed:
    """What is given for a known document: its result is read from the library when somebody asks for it."""
    return Processed(document_id=known.document_id, reused=True, request=request)


def cancelled(source: Source) -> IngestionResult:
    """The result of a document whose turn was cancelled; it is not stored."""
    return build_failure(
        NotAttempted("the run was cancelled", source=source.display),
        stage=_S.CONVERSION_PENDING,
        document_id=document_id_for(source.raw_file_hash),
        original_ref=source.original_ref,
        hashes=ContentHashes(raw_file_hash=source.raw_file_hash),
    )


def _facts(result: IngestionResult, *, size: int | None, media_type: str | None) -> DocumentFacts:
    hashes = result.content_hashes
    assert hashes.raw_file_hash is not None  # a converted document was hashed
    return DocumentFacts(
        raw_hash=hashes.raw_file_hash,
        normalized_binary_hash=hashes.normalized_binary_hash,
        normalized_text_hash=hashes.normalized_text_hash,
        title=result.metadata.title,
        document_type=result.document_type,
        file_size=size,
        mime_type=media_type,
        classification_json=_classification_json(result.classification),
        original_ref=result.original_artifact_ref,
        page_hashes=hashes.page_hashes,
        chunk_hashes=hashes.chunk_hashes,
    )


def _classification_json(classification: DocumentClassification | None) -> str | None:
    return classification.to_json() if classification else None


def _now() -> str:
    return datetime.now(UTC).isoformat()
