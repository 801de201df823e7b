"""What came inside documents that are in the library, taken in as documents of their own with a link to them."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace

from octavo.conversion.results import unreadable
from octavo.sandbox import Cancelled
from octavo.sandbox.keyed_lock import Turns
from octavo_contracts import Intent, NotAttempted, OctavoError

from ..storage import ArtifactStore, AttachedDocument, Index
from .attachment_jobs import child_request, ways_in
from .damaged_versions import is_there
from .follow_ups import Afterwards
from .ingestor import Ingestor
from .job_claims import Busy
from .originals import open_original, places_of
from .parallel_map import behind
from .plugin_fingerprint import EngineSet
from .requests import Answer, IngestRequest, Processed, TakenIn, reused


class TakingIn:
    """Takes in what came inside documents that are in the library. Thread-safe.

    Args:
        artifacts: the library's files.
        index: the library's index, for reading.
        ingestor: takes in one document.
        engines: which stored results hold.
        turns: who works on what in this process.
        afterwards: what else is asked for documents.
    """

    def __init__(
        self,
        artifacts: ArtifactStore,
        index: Index,
        ingestor: Ingestor,
        *,
        engines: EngineSet,
        turns: Turns,
        afterwards: Afterwards,
    ) -> None:
        self._artifacts = artifacts
        self._index = index
        self._ingestor = ingestor
        self._engines = engines
        self._turns = turns
        self._afterwards = afterwards

    def all_of(
        self, document_id: str, request: IngestRequest, *, intent: Intent = Intent.INGEST
    ) -> tuple[TakenIn, ...]:
        """Take in what came inside a document, and what came inside that; waits for whoever is at work on any of it.

        A failure is that of the attachment, and its result says so.

        Args:
            document_id: the document.
            request: how it came in.
            intent: what it was converted for; see `Owing.along`.

        Raises:
            StorageError: the library cannot be written.
        """
        taken = self._take(document_id, request, intent=intent, patient=True)
        assert taken is not None  # patience ends well
        return taken

    def behind_run(
        self,
        found: Generator[Answer, None, None],
        request: IngestRequest,
        *,
        workers: int,
        stop: threading.Event,
    ) -> Generator[Answer, None, None]:
        """Pass the answers of a run on, each with what came inside it.

        Nobody is waited for while the run goes on: it may hold the very document, or another process's run may wait for
        this one. Answers that someone else is in the way of come last, when the run holds nothing any more.

        Args:
            found: the answers.
            request: how the documents came in.
            workers: documents worked on at once.
            stop: set to end the run.
        """
        late: list[Answer] = []

        def work(answer: Answer) -> Answer:
            given, processed = answer
            assert processed.document_id is not None  # it is not due otherwise
            taken = self._take(processed.document_id, request, patient=False)
            if taken is None:
                late.append(answer)
                return answer
            return given, replace(processed, attached=taken, has_attachments=False)

        with closing(behind(found, is_due=is_due, work=work, workers=workers, stop=stop)) as answers:
            for given, processed in answers:
                if not is_due(processed):  # else it is among the late ones
                    yield given, processed
        for given, processed in late:
            assert processed.document_id is not None  # it was due
            yield given, replace(processed, attached=self.all_of(processed.document_id, request))

    def _take(
        self, document_id: str, request: IngestRequest, *, intent: Intent = Intent.INGEST, patient: bool
    ) -> tuple[TakenIn, ...] | None:
        """As `all_of`; None where somebody else is at work on one of them and the caller is not patient."""
        inside = self._index.attachments.of_document(document_id)
        ways = ways_in(self._index, document_id, request, intent=intent) if inside else []
        if not ways:
            return ()
        taken: list[TakenIn] = []
        for one in inside:
            if not self._index.attachments.is_attached(one.document_id, to=document_id):
                continue  # the message, or this, was purged meanwhile
            # By one way: that it comes by the others is on record, or will be when it ends.
            came = self._take_one(one, document_id, ways[0], patient=patient)
            if came is None:
                return None
            taken.append(came)
        return tuple(taken)

    def _take_one(self, one: AttachedDocument, parent_id: str, way: IngestRequest, *, patient: bool) -> TakenIn | None:
        request = child_request(self._index, parent_id, one.name, way)
        assert request.attached is not None  # `child_request` made it
        if not patient and not self._turns.try_take(one.raw_hash):
            return None
        try:
            if patient:
                with self._turns.alone(one.raw_hash, cancel=request.options.cancel):
                    processed = self._settle(one, request, patient=True)
            else:
                try:
                    processed = self._settle(one, request, patient=False)
                finally:
                    self._turns.give_back(one.raw_hash)
        except Busy:
            return None
        except Cancelled:
            stopped = unreadable(NotAttempted("the run was cancelled"), source=one.name or "", name=one.name)
            return TakenIn(
                attached=request.attached, processed=Processed(document_id=None, reused=False, result=stopped)
            )
        if processed.document_id is not None:
            if request.may_tag:
                self._afterwards.do(processed.document_id, request)
            if processed.has_attachments:
                below = self._take(processed.document_id, request, patient=patient)
                if below is None:
                    return None
                processed = replace(processed, attached=below, has_attachments=False)
        return TakenIn(attached=request.attached, processed=processed)

    def _settle(self, one: AttachedDocument, request: IngestRequest, *, patient: bool) -> Processed:
        """Take one in whose turn is ours."""
        known = self._index.documents.find_by_hash([one.raw_hash], policy=request.told_as).get(one.raw_hash)
        is_settled = known is not None and self._engines.is_settled(known, request)
        if known is not None and is_settled and is_there(self._artifacts, known):
            return reused(known, request)  # that it came is on record since the message came
        try:
            places = places_of(
                self._index, self._artifacts, raw_hash=one.raw_hash, policy=request.policy, name=one.name
            )
            source = open_original(places, self._artifacts, raw_hash=one.raw_hash, name=one.name)
        except OctavoError as error:
            error.remedy = "Convert again what it is attached to: that brings its bytes back"
            return Processed(document_id=None, reused=False, result=unreadable(error, source="", name=one.name))
        with source:
            return self._ingestor.process_held(source, request, patient=patient)


def is_due(processed: Processed) -> bool:
    """Whether documents may have come inside this one."""
    return processed.document_id is not None and processed.has_attachments
