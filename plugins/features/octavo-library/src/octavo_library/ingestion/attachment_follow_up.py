"""Follow-up that ingests attachments as documents, linked to their parent.

In the transaction that records the parent, known attachments are recorded and jobs are opened for the others: nothing
of a message is lost if the host is killed between the message and its attachments (ENG-6). These jobs have no owner:
the first process that needs one claims it, so that two processes never wait for each other's jobs.
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
"""States of an attachment's job when it is opened: the bytes are stored, and no attempt has begun."""


class AttachmentFollowUp:
    """Ingests attachments. Thread-safe.

    Args:
        engine: the engine with which it is registered.
    """

    def __init__(self, engine: Engine) -> None:
        self._context = engine.context
        self._index = engine.index
        self._engines = engine.engines
        self._ingestor = engine.ingestor
        self._follow_ups = engine.follow_ups

    def jobs_for(self, index: Index, arrival: Arrival) -> Sequence[NewJob]:
        """As `FollowUp.jobs_for`: attachments get every provenance of their parent, at any depth."""
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
        """As `FollowUp.run`. A failure concerns the attachment alone and is in its result."""
        document_id = processed.document_id
        assert document_id is not None  # it is not due otherwise
        inside = self._index.attachments.of_document(document_id)
        ways = ways_in(self._index, document_id, request, intent=intent) if inside else []
        taken: list[IngestedAttachment] = []
        for one in inside if ways else ():
            if not self._index.attachments.is_attached(one.document_id, to=document_id):
                continue  # the message or the attachment was purged meanwhile
            # One request is enough: the other provenances are recorded, or will be when the job ends.
            taken.append(self._ingest(one, child_request(self._index, document_id, one.name, ways[0]), patient=patient))
        return replace(processed, attached=tuple(taken), has_attachments=False)

    def owns(self, job: Job) -> bool:
        """As `FollowUp.owns`: no caller supplies the bytes of an attachment again."""
        if job.raw_hash is None or job.intent not in (Intent.INGEST, Intent.RECONVERT):
            return False
        return is_attachment(job) or self._index.attachments.is_attached(document_id_for(job.raw_hash))

    def resume(self, job: Job, request: IngestRequest) -> IngestRequest | None:
        """As `FollowUp.resume`; removes the jobs and originals of attachments whose parents were purged.

        The parent may have left the corpus since (STO-12); another document may have the same attachment.
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
        """The jobs for the attachments of a document by one request; for known attachments the provenance is recorded.

        A job that is already open for those bytes stays the only one: its completion also records this provenance.
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
        # Without the password, which is not stored: most attachments need none, and the others report that they do.
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
        """Ingest an attachment and run its follow-ups.

        Raises:
            Busy: the caller is not patient, and would have to wait.
        """
        assert request.attached is not None  # set by `child_request`
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
        """Ingest an attachment whose lock this thread holds."""
        index, artifacts = self._index, self._context.artifacts
        known = index.documents.find_by_hash([one.raw_hash], policy=request.told_as).get(one.raw_hash)
        is_settled = known is not None and self._engines.is_settled(known, request)
        if known is not None and is_settled and is_there(artifacts, known):
            return reused(known, request)  # its provenance was recorded with the message
        try:
            places = places_of(index, artifacts, raw_hash=one.raw_hash, policy=request.policy, name=one.name)
            source = open_original(places, artifacts, raw_hash=one.raw_hash, name=one.name)
        except OctavoError as error:
            error.remedy = "Convert the document that contains it again, which restores its bytes"
            return failed(error, "", name=one.name)
        with source:
            return self._ingestor.process_held(source, request, patient=patient)
