"""Follow-up that has summaries made in the background, once the documents of a run are stored (INT-1 to INT-3).

A summary job has the intent `extract` and its own scope, and is open from the commit of the version on: if the host is
killed in between, the next process that opens the library resumes it (ENG-6). No result waits for it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from datetime import UTC, datetime

from octavo_contracts import (
    TERMINAL_STATES,
    ContractViolation,
    ConversionTimeout,
    IngestionState,
    Intent,
    LibraryDamaged,
    OctavoError,
    StorageError,
    UsageError,
)
from octavo_sandbox import Cancelled
from octavo_text.deadline import DeadlineExceeded, deadline

from ..ingestion.engine import Engine
from ..ingestion.follow_ups import MARK, Arrival, follow_up_of
from ..ingestion.requests import IngestRequest, ProcessedDocument, serialize_request
from ..storage import DocumentRecord, Index, Job, NewJob, Step, document_id_for
from ..storage.version_reader import files_of
from .makers import SummaryMaker, installed_makers
from .stored_summary import keep_summary, valid_summary
from .version_texts import VersionTexts, texts_of

_S = IngestionState

SCOPE = "summaries"
_MOST_BYTES = 8
"""Bytes of a summary for each code point of its text, at most: by them the disk's reserve is kept (ENG-12)."""
_WAY = (_S.HASH_CHECKED, _S.SOURCE_STORED)
"""In this state a job without an owner has only to continue (`is_let_go`)."""
_BEFORE = (_S.CONVERSION_PENDING, _S.CONVERTED, _S.CLASSIFIED)
_AFTER = (_S.INDEXED, _S.EXTRACTION_PENDING, _S.EXTRACTED, _S.VERIFIED, _S.WRITTEN)


class SummaryFollowUp:
    """Makes summaries of documents, for one open library. Thread-safe.

    Args:
        engine: the engine that it is registered with.
    """

    def __init__(self, engine: Engine) -> None:
        context = engine.context
        self._engine = engine
        self._settings = context.runtime.settings
        self._artifacts = context.artifacts
        self._index = context.index
        self._lock = threading.Lock()
        self._owed: set[str] = set()
        """Ids of documents whose jobs this process opened and has not scheduled yet."""

    def jobs_for(self, index: Index, arrival: Arrival) -> Sequence[NewJob]:
        """As `FollowUp.jobs_for`: for a new active version, if the request asks for it or an earlier version has summaries."""
        facts, request = arrival.version, arrival.request
        if facts is None:
            return ()
        is_again = arrival.intent is Intent.RECONVERT and self._had_summaries(
            index, arrival.document_id, facts.raw_hash
        )
        if not request.briefs and not is_again:
            return ()
        with self._lock:
            self._owed.add(arrival.document_id)
        return (_job(facts.raw_hash, request),)

    def is_due(self, processed: ProcessedDocument, request: IngestRequest) -> bool:
        """As `FollowUp.is_due`."""
        return processed.document_id is not None and (request.briefs or processed.document_id in self._owed)

    def run(
        self, processed: ProcessedDocument, request: IngestRequest, *, intent: Intent, patient: bool
    ) -> ProcessedDocument:
        """As `FollowUp.run`: schedules the job and returns at once; a known document gets a job if it lacks summaries."""
        document_id = processed.document_id
        assert document_id is not None  # checked by `is_due`
        with self._lock:
            self._owed.discard(document_id)
        try:
            record = self._index.documents.get(document_id)
        except UsageError:  # purged meanwhile
            return processed
        job = self._open_job(record)
        if job is None and request.briefs and record.active_version is not None and self._stale(record):
            job = self._index.jobs.start(_job(record.raw_hash, request), owner=self._artifacts.owner).job
        if job is not None:
            self._engine.heartbeat.start()
            self._engine.retries.add_follow_up(job)
        return processed

    def owns(self, job: Job) -> bool:
        """As `FollowUp.owns`."""
        return job.intent is Intent.EXTRACT and follow_up_of(job) == SCOPE

    def resume(self, job: Job, request: IngestRequest) -> None:
        """As `FollowUp.resume`: makes the summaries of the version that is active now. A failure ends the job as degraded.

        Raises:
            StorageError: the library cannot be written; the job stays open.
        """
        assert job.raw_hash is not None  # a summary job always has a document
        mine = self._take(job)
        if mine is None:
            return
        try:
            try:
                record = self._index.documents.get(document_id_for(job.raw_hash))
            except UsageError:  # purged meanwhile, together with the job
                return
            cancel = request.options.cancel
            if cancel is None or not cancel.is_set():
                self._finish(mine, record, cancel)
        finally:
            self._let_go(mine)

    # -- inside ---------------------------------------------------------------------------------------------

    def _finish(self, job: Job, record: DocumentRecord, cancel: threading.Event | None) -> None:
        started, error = _now(), None
        made: list[str] = []
        try:
            for maker in self._stale(record):
                self._make(record, maker, cancel)
                made.append(f"{maker.name} {maker.version}")
        except Cancelled:
            return
        except LibraryDamaged as damaged:
            error = damaged.message
        except StorageError:
            raise
        except OctavoError as failed:
            error = failed.message
        told = Step(
            state=_S.SUMMARIZED if error is None else _S.SUMMARY_FAILED,
            skipped=error is None and not made,
            step=SCOPE,
            started_at=started,
            ended_at=_now(),
            outcome="ok" if error is None else "failed",
            error=error,
            tool=", ".join(made) or None,
        )
        end = _S.COMPLETE if error is None else _S.DEGRADED_COMPLETE
        before, after = ([Step(state=state, skipped=True) for state in states] for states in (_BEFORE, _AFTER))
        self._index.jobs.advance(job, *before, told, *after, end)
        self._artifacts.write_log(record.raw_hash, self._index.jobs.processing_log(record.raw_hash))

    def _make(self, record: DocumentRecord, maker: SummaryMaker, cancel: threading.Event | None) -> None:
        version = record.active_version
        assert version is not None  # nothing is stale otherwise
        with files_of(self._engine.context, record, version) as files:
            texts = texts_of(files)
            content = _made_by(maker, texts, seconds=self._settings.budget(None).seconds)
            self._engine.throttle.before_write(_MOST_BYTES * len(texts.text.text), cancel=cancel)
            keep_summary(self._artifacts, record.raw_hash, version, maker, content)

    def _stale(self, record: DocumentRecord) -> list[SummaryMaker]:
        """The makers whose summary of the active version is missing or no longer valid."""
        version = record.active_version
        if version is None:
            return []
        days = self._settings.briefs.max_days
        return [
            maker
            for maker in installed_makers()
            if valid_summary(self._artifacts, record.raw_hash, version, maker, max_days=days) is None
        ]

    def _had_summaries(self, index: Index, document_id: str, raw_hash: str) -> bool:
        versions = (row.version for row in index.versions.of_document(document_id) if row.purged_at is None)
        return any(self._artifacts.summaries(raw_hash, version) for version in versions)

    def _open_job(self, record: DocumentRecord) -> Job | None:
        for job in self._index.jobs.of_hash(record.raw_hash):
            if job.state not in TERMINAL_STATES and self.owns(job):
                return job
        return None

    def _take(self, job: Job) -> Job | None:
        """Claim the job for this process; None if another process has it."""
        if job.owner == self._artifacts.owner:
            return job
        if job.owner is not None and self._artifacts.is_alive(job.owner):
            return None
        self._engine.heartbeat.start()
        return self._index.jobs.claim(job, owner=self._artifacts.owner)

    def _let_go(self, job: Job) -> None:
        """Release a job that did not end, so that any process can continue it."""
        try:
            now = self._index.jobs.get(job.job_id)
        except UsageError:  # its document was purged
            return
        if now.state not in TERMINAL_STATES and now.owner == self._artifacts.owner:
            self._index.jobs.release(now)


def _made_by(maker: SummaryMaker, texts: VersionTexts, *, seconds: float) -> dict[str, object]:
    """Call a maker within a time limit.

    Raises:
        OctavoError: it failed, or took too long.
    """
    try:
        with deadline(seconds):
            return dict(maker.make(texts))
    except DeadlineExceeded as error:
        raise ConversionTimeout(f"{maker.name}: {error}", remedy="Increase document_seconds") from error
    except OctavoError:
        raise
    except Exception as error:  # a maker is code of another distribution: its bug must not end the thread
        raise ContractViolation(f"{maker.name} {maker.version} raised {type(error).__name__}: {error}") from error


def _job(raw_hash: str, request: IngestRequest) -> NewJob:
    asked = json.loads(serialize_request(request, None))
    return NewJob(
        raw_hash=raw_hash,
        intent=Intent.EXTRACT,
        scope=SCOPE,
        request_json=json.dumps({**asked, MARK: SCOPE}),
        steps=_WAY,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat()
