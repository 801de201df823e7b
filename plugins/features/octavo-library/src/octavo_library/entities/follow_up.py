"""Entity extraction requested by a run, corpus or setting: follow-up jobs of new versions that survive a crash.

The job is open from the commit of the version on (`EntityFollowUp.jobs_for`): if the host is killed in between, the
next process that opens the library continues it (ENG-6). Each source instance has its own job: one document × source
instance × `extract` (ENG-3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from octavo.settings.entities import EntitySettings
from octavo.settings.step_names import StepName
from octavo_contracts import (
    TERMINAL_STATES,
    DocumentClassification,
    HardFailReason,
    IngestionState,
    Intent,
    OctavoError,
    UsageError,
)
from octavo_sandbox import Cancelled
from octavo_sandbox.keyed_lock import KeyedLock

from ..ingestion.engine import Engine
from ..ingestion.follow_ups import Arrival
from ..ingestion.requests import IngestRequest, ProcessedDocument, serialize_request
from ..storage import CorpusRecord, DocumentFacts, DocumentRecord, Index, Job, NewJob, document_id_for
from .opt_in import LABELS, labels_for, opted_in
from .tagging import WAY_TO_EXTRACTION, Tagger

_S = IngestionState


class EntityFollowUp:
    """Extracts entities from documents, for one open library. Thread-safe.

    Args:
        engine: the engine that it is registered with.
    """

    def __init__(self, engine: Engine) -> None:
        context = engine.context
        self._runtime = context.runtime
        self._artifacts = context.artifacts
        self._index = context.index
        self._on_claim = engine.heartbeat.start
        self._tagger = Tagger(
            context.runtime,
            context.artifacts,
            context.index,
            events=context.events,
            place=engine.pools[StepName.ENTITIES].slot,
            model_place=engine.pools[StepName.MODEL].slot,
        )
        self._locks = KeyedLock()

    def jobs_for(self, index: Index, arrival: Arrival) -> Sequence[NewJob]:
        """As `FollowUp.jobs_for`: a job for a new active version if entities are requested for it."""
        facts, request = arrival.version, arrival.request
        if facts is None or not request.may_tag:
            return ()
        if (by_hand := index.document_types.by_hand(facts.raw_hash, policy=request.policy)) is not None:
            facts = replace(facts, document_type=by_hand)  # it takes precedence over the classifier's (CLS-6)
        return (_job(facts.raw_hash, request),) if self._is_wanted(facts, request) else ()

    def is_due(self, processed: ProcessedDocument, request: IngestRequest) -> bool:
        """As `FollowUp.is_due`."""
        return processed.document_id is not None and request.may_tag

    def run(
        self, processed: ProcessedDocument, request: IngestRequest, *, intent: Intent, patient: bool
    ) -> ProcessedDocument:
        """As `FollowUp.run`: if the run, the corpus or the settings request it. A failure never fails the document.

        Raises:
            OctavoError: an error without a reason code, for example if the engine in the settings does not exist.
        """
        assert processed.document_id is not None  # checked by `is_due`
        self._find(processed.document_id, request, None)
        return processed

    def owns(self, job: Job) -> bool:
        """As `FollowUp.owns`."""
        return job.intent is Intent.EXTRACT

    def resume(self, job: Job, request: IngestRequest) -> None:
        """As `FollowUp.resume`."""
        assert job.raw_hash is not None  # an `extract` job always has a document
        self._find(document_id_for(job.raw_hash), request, job)

    def _find(self, document_id: str, request: IngestRequest, job: Job | None) -> None:
        try:
            record = self._index.documents.get(document_id, policy=request.policy)
        except UsageError:  # not converted yet: the job waits until the conversion is done
            return
        cancel = request.options.cancel
        try:
            with self._locks.holding(record.raw_hash, cancel=cancel):
                self._do(record, request, job or self._open_job(record, request))
        except Cancelled:
            return
        except OctavoError as error:
            if error.reason is None:
                raise

    def _do(self, record: DocumentRecord, request: IngestRequest, left: Job | None) -> None:
        is_wanted = record.active_version is not None and self._is_wanted(record, request)
        known = self._runtime.settings.entities
        settings = replace(known, labels=self._labels(record, request, known))
        if left is None and not (is_wanted and self._tagger.is_due(record, settings)):
            return
        job = self._take(left) if left is not None else self._start(record, request)
        if job is None:
            return  # another process works on it
        if not is_wanted:
            self._tagger.leave(record, job)
            return
        try:
            self._tagger.tag(record, settings, job=job, cancel=request.options.cancel)
        except UsageError as error:
            self._tagger.fail(record, job, error, reason=HardFailReason.TOOL_UNAVAILABLE)
            raise
        except BaseException:
            self._let_go(job)
            raise

    def _is_wanted(self, of: DocumentRecord | DocumentFacts, request: IngestRequest) -> bool:
        said = DocumentClassification.read(of.classification_json) if of.classification_json else None
        corpus = request.corpus
        return opted_in(
            run=request.entities,
            by_document_type=self._runtime.settings.entities.by_document_type,
            corpus=corpus.overrides.get("entities") if corpus else None,
            profile=corpus.profile if corpus else None,
            document_type=of.document_type,
            category=said.category.value if said else None,
            sub_kind=said.sub_kind if said else None,
            media_type=of.mime_type,
        ).wanted

    def _labels(self, record: DocumentRecord, request: IngestRequest, settings: EntitySettings) -> tuple[str, ...]:
        corpora = {corpus.corpus_id: corpus for corpus in self._index.corpora.of_document(record.document_id)}
        if request.corpus is not None:
            corpora.setdefault(request.corpus.corpus_id, request.corpus)
        wanting = [
            corpus
            for corpus in corpora.values()
            if corpus.corpus_id == request.corpus_id
            or opted_in(corpus=corpus.overrides.get("entities"), profile=corpus.profile).wanted
        ]
        return labels_for(
            run=request.entity_types,
            by_document_type=settings.labels_by_document_type,
            corpora=[corpus.overrides.get(LABELS) or settings.labels for corpus in sorted(wanting, key=_made_at)],
            document_type=record.document_type,
            default=settings.labels,
        )

    def _open_job(self, record: DocumentRecord, request: IngestRequest) -> Job | None:
        instance = request.instance_id(record.document_id)
        for job in self._index.jobs.of_hash(record.raw_hash):
            if (job.intent, job.source_instance_id) == (Intent.EXTRACT, instance) and job.state not in TERMINAL_STATES:
                return job
        return None

    def _start(self, record: DocumentRecord, request: IngestRequest) -> Job | None:
        self._on_claim()
        started = self._index.jobs.start(_job(record.raw_hash, request), owner=self._artifacts.owner)
        return started.job if started.is_new else self._take(started.job)

    def _take(self, job: Job) -> Job | None:
        """Claim the job for this process, in `extraction_pending`; None if another process has it."""
        mine: Job | None = job
        if job.owner != self._artifacts.owner:
            if job.owner is not None and self._artifacts.is_alive(job.owner):
                return None
            self._on_claim()
            mine = self._index.jobs.claim(job, owner=self._artifacts.owner)
        if mine is not None and mine.state is _S.EXTRACTION_FAILED:
            mine = self._index.jobs.advance(mine, _S.EXTRACTION_PENDING)
        return mine

    def _let_go(self, job: Job) -> None:
        """Release a job that did not end, so that any process can continue it."""
        now = self._index.jobs.get(job.job_id)
        if now.state not in TERMINAL_STATES and now.owner == self._artifacts.owner:
            self._index.jobs.release(now)


def _made_at(corpus: CorpusRecord) -> tuple[str, str]:
    return corpus.created_at, corpus.corpus_id


def _job(raw_hash: str, request: IngestRequest) -> NewJob:
    return NewJob(
        raw_hash=raw_hash,
        intent=Intent.EXTRACT,
        source_instance_id=request.instance_id(document_id_for(raw_hash)),
        request_json=serialize_request(request, None),
        steps=WAY_TO_EXTRACTION,
    )
