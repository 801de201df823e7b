"""What came inside documents, ingested as documents of their own with a link to the document that they came inside.

What is known is recorded, and the rest is opened as jobs, in the transaction that records the document: nothing of a
message is lost where its host is killed between the message and what is attached to it (ENG-6). Those jobs have no owner:
whoever comes first claims them, so that two processes never wait for each other's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from octavo_contracts import IngestionState, Intent, OctavoError
from octavo_sandbox import Cancelled

from ..storage import AttachedDocument, Index, Job, NewJob, document_id_for
from .attached_documents import child_request, ways_in
from .claimed_job import Busy
from .damaged_versions import is_there
from .follow_ups import Arrival
from .originals import open_original, places_of
from .requests import IngestedAttachment, IngestRequest, ProcessedDocument, is_attachment, reused, serialize_request
from .settled import failed

if TYPE_CHECKING:
    from .engine import Engine

_S = IngestionState

OWED = (_S.HASH_CHECKED, _S.SOURCE_STORED)
"""As far as the job of an attachment has come when it is opened: its bytes are stored. No try of it has begun."""


class AttachmentFollowUp:
    """Ingests what came inside documents. Thread-safe.

    Args:
        engine: the engine that it is registered with.
    """

    def __init__(self, engine: Engine) -> None:
        self._context = engine.context
        self._index = engine.index
        self._engines = engine.engines
        self._ingestor = engine.ingestor
        self._follow_ups = engine.follow_ups

    def jobs_for(self, index: Index, arrival: Arrival) -> Sequence[NewJob]:
        """As `FollowUp.jobs_for`: what came inside a document comes in by every way that the document does, at any depth."""
        if not arrival.has_attachments:
            return ()
        ways = ways_in(index, arrival.document_id, arrival.request, intent=arrival.intent)
        return [job for way in ways for job in self._jobs_by(index, arrival.document_id, way)]

    def is_due(self, processed: ProcessedDocument, _request: IngestRequest) -> bool:
        """As `FollowUp.is_due`."""
        return processed.document_id is not None and processed.has_attachments

    def run(
        self, processed: ProcessedDocument, request: IngestRequest, *, intent: Intent, patient: bool
    ) -> ProcessedDocument:
        """As `FollowUp.run`. A failure is that of the attachment, and its result says so."""
        document_id = processed.document_id
        assert document_id is not None  # it is not due otherwise
        inside = self._index.attachments.of_document(document_id)
        ways = ways_in(self._index, document_id, request, intent=intent) if inside else []
        taken: list[IngestedAttachment] = []
        for one in inside if ways else ():
            if not self._index.attachments.is_attached(one.document_id, to=document_id):
                continue  # the message, or this, was purged meanwhile
            # By one way: that it comes by the others is on record, or will be when it ends.
            taken.append(self._ingest(one, child_request(self._index, document_id, one.name, ways[0]), patient=patient))
        return replace(processed, attached=tuple(taken), has_attachments=False)

    def owns(self, job: Job) -> bool:
        """As `FollowUp.owns`: nobody would bring bytes again that came inside a document."""
        if job.raw_hash is None or job.intent not in (Intent.INGEST, Intent.RECONVERT):
            return False
        return is_attachment(job) or self._index.attachments.is_attached(document_id_for(job.raw_hash))

    def resume(self, job: Job, request: IngestRequest) -> IngestRequest | None:
        """As `FollowUp.resume`; nothing is left of what came inside documents that were purged.

        The document may have left the corpus since (STO-12); another one may have it attached as well.
        """
        if request.attached is None:
            return request
        assert job.raw_hash is not None  # it is about an attachment
        document_id = document_id_for(job.raw_hash)
        for parent_id in [request.attached.to, *self._index.attachments.parents_of(document_id)]:
            if not self._index.attachments.is_attached(document_id, to=parent_id):
                continue
            ways = ways_in(self._index, parent_id, request, intent=Intent.RECONVERT)
            if request.corpus_id in [way.corpus_id for way in ways]:
                return request
            if ways:
                return child_request(self._index, parent_id, request.attached.name, ways[0])
        self._index.purges.drop_jobs([job.job_id])
        if not self._index.documents.find_by_hash([job.raw_hash]):
            for ref in self._context.artifacts.originals_of(job.raw_hash):
                self._context.artifacts.remove(ref)
        return None

    # -- inside ---------------------------------------------------------------------------------------------

    def _jobs_by(self, index: Index, document_id: str, way: IngestRequest) -> list[NewJob]:
        """The jobs for what came inside a document, by one way; of what is known, the way is recorded.

        A job that is open for those bytes already stays the only one: its end records this way as well.
        """
        inside = index.attachments.of_document(document_id)
        known = index.documents.find_by_hash([one.raw_hash for one in inside], policy=way.told_as)
        jobs: list[NewJob] = []
        for one in inside:
            request = child_request(index, document_id, one.name, way)
            hit = known.get(one.raw_hash)
            if hit is None or not self._engines.is_settled(hit, request):
                jobs.append(self._job(one.raw_hash, request))
                continue
            index.attachments.record_way(hit.document_id, request.sighting(None))
            jobs += self._jobs_by(index, hit.document_id, request)
        return jobs

    def _job(self, raw_hash: str, request: IngestRequest) -> NewJob:
        # Without the password, which is not kept: most need none, and one that does says so.
        kept = replace(request, options=replace(request.options, password=None))
        return NewJob(
            raw_hash=raw_hash,
            source_instance_id=request.instance_id(document_id_for(raw_hash)),
            engine_set=self._engines.of(request),
            request_json=serialize_request(kept, None, limits=self._engines.limits),
            steps=OWED,
            unless_converted=True,
            is_claimed=False,
        )

    def _ingest(self, one: AttachedDocument, request: IngestRequest, *, patient: bool) -> IngestedAttachment:
        """Ingest an attachment with what follows on it.

        Raises:
            Busy: the caller is not patient, and would have to wait.
        """
        assert request.attached is not None  # `child_request` made it
        locks = self._context.document_locks
        try:
            if patient:
                with locks.holding(one.raw_hash, cancel=request.options.cancel):
                    processed = self._settle(one, request, patient=True)
            elif not locks.try_acquire(one.raw_hash):
                raise Busy
            else:
                try:
                    processed = self._settle(one, request, patient=False)
                finally:
                    locks.release(one.raw_hash)
        except Cancelled as error:
            processed = failed(error, one.name or "", name=one.name)
        if processed.document_id is not None:
            processed = self._follow_ups.run(processed, request, patient=patient)
        return IngestedAttachment(attached=request.attached, processed=processed)

    def _settle(self, one: AttachedDocument, request: IngestRequest, *, patient: bool) -> ProcessedDocument:
        """Ingest an attachment whose turn is ours."""
        index, artifacts = self._index, self._context.artifacts
        known = index.documents.find_by_hash([one.raw_hash], policy=request.told_as).get(one.raw_hash)
        is_settled = known is not None and self._engines.is_settled(known, request)
        if known is not None and is_settled and is_there(artifacts, known):
            return reused(known, request)  # that it came is on record since the message came
        try:
            places = places_of(index, artifacts, raw_hash=one.raw_hash, policy=request.policy, name=one.name)
            source = open_original(places, artifacts, raw_hash=one.raw_hash, name=one.name)
        except OctavoError as error:
            error.remedy = "Convert again what it is attached to: that brings its bytes back"
            return failed(error, "", name=one.name)
        with source:
            return self._ingestor.process_held(source, request, patient=patient)
