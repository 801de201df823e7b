"""Recovers the jobs of dead owners: completes them from stored files, or releases them (ENG-6)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from octavo_contracts import TERMINAL_STATES, IllegalTransition, IngestionState, PageAnchorMap, UsageError, store_ref
from octavo_text.canonical import CanonicalText, hash_texts
from octavo_text.chunking import make_chunks

from ..storage import Job, Step, document_id_for, find_orphan_version
from ..storage.files import layout
from ..storage.version_files import COMPARISON, read_result, version_refs
from .activation import HELD_BACK
from .completions import StoredVersion, completed_by, facts_of
from .engine_context import EngineContext
from .follow_ups import Completion
from .job_completion import JobCompleter
from .requests import IngestRequest, PersistedRequest

_S = IngestionState

_FAILED = {
    _S.CONVERSION_PENDING: (_S.CONVERSION_FAILED, "convert"),
    _S.EXTRACTION_PENDING: (_S.EXTRACTION_FAILED, "entities"),
}
"""State of a running attempt → the state after its failure, and its step."""


class Recovery:
    """Recovers jobs that were claimed from a dead owner.

    Args:
        context: the shared components of the engine.
        completer: commits completions of jobs.
    """

    def __init__(self, context: EngineContext, completer: JobCompleter) -> None:
        self._runtime = context.runtime
        self._artifacts = context.artifacts
        self._index = context.index
        self._completer = completer

    def adopt(self, job: Job) -> bool:
        """Complete a dead owner's job from the version that it had stored before it died.

        Returns:
            Whether such a version was found.
        """
        number = find_orphan_version(self._artifacts, self._index, job)
        if number is None:
            return False
        try:
            self._finish(job, number)
        except (IllegalTransition, UsageError):
            # This process may have been held up until its own lease had ended: another one then completed the job.
            now = self._index.jobs.get(job.job_id)
            if now.state not in TERMINAL_STATES and (now.owner, now.claims) == (job.owner, job.claims):
                raise
        return True

    def finish_recorded(self) -> tuple[str, ...]:
        """Complete the jobs without an owner whose version a repair adopted while they ran.

        Returns:
            Ids of their documents.
        """
        done: list[str] = []
        for job in self._index.queue.recorded():
            claimed = self._index.jobs.claim(job, owner=self._artifacts.owner)
            if claimed is None:
                continue  # another process took it meanwhile
            if self.adopt(claimed):
                assert claimed.raw_hash is not None  # it has a version
                done.append(document_id_for(claimed.raw_hash))
            else:
                self._index.jobs.release(claimed, waiting_reason=job.waiting_reason)
        return tuple(done)

    def give_back(self, job: Job) -> Job:
        """Record that a dead owner's job was interrupted, and release it.

        Returns:
            The released job.
        """
        return self._index.jobs.release(self.interrupted(job))

    def interrupted(self, job: Job) -> Job:
        """Log the interruption.

        It does not count against the document: converters run in workers and cannot kill the host.
        """
        if job.state not in _FAILED:
            return job
        state, step = _FAILED[job.state]
        return self._index.jobs.advance(job, Step(state=state, step=step, outcome="interrupted", error="its host died"))

    def write_missing_logs(self, *, limit: int) -> None:
        """Write the processing logs of jobs that a dead owner had committed without writing their logs (ENG-2).

        Args:
            limit: how many of the last completed jobs to check: no more can have been pending.
        """
        behind = []
        for raw_hash, job_id in self._index.jobs.last_ended(limit=limit):
            log = self._artifacts.find(layout.log_file(raw_hash))
            if log is None or job_id.encode() not in log:
                behind.append(raw_hash)
        self._completer.write_logs(behind)

    def _finish(self, job: Job, number: int) -> None:
        assert job.raw_hash is not None  # checked by `adopt`
        raw_hash = job.raw_hash
        persisted = PersistedRequest.read(job.request_json)
        folder = store_ref(layout.version_folder(raw_hash, number))
        original = json.loads(self._artifacts.read(f"{folder}/quality_report.json"))["source_ref"]
        refs = version_refs(raw_hash, number, original=original)
        self._ensure_chunks(raw_hash, number)
        result = read_result(
            self._artifacts.read,
            document_id=document_id_for(raw_hash),
            refs=refs,
            chunking_version=self._runtime.settings.chunking.version,
            source_instance_id=job.source_instance_id,
        )
        corpus = self._index.corpora.get(persisted.corpus_id) if persisted and persisted.corpus_id else None
        request = persisted.request(corpus, run_id=job.run_id) if persisted else IngestRequest(corpus=corpus)
        tool = json.loads(self._artifacts.read(f"{refs.conversion}/tool.json"))
        media_type = result.classification.media_type if result.classification else None
        version = StoredVersion(
            number=number,
            result=result,
            facts=facts_of(result, size=None, media_type=media_type),
            tool=tool,
            activate=(persisted is None or persisted.activate is not False) and HELD_BACK not in tool,
            started=tool["created_at"],
            compared=self._compared(raw_hash, number),
        )
        completed = completed_by(
            version,
            job,
            request,
            path_ref=persisted.path if persisted else None,
            had_password=persisted is not None and persisted.has_password,
        )
        if job.state is not _S.CONVERSION_PENDING:
            # Its owner was taken for dead and its attempt recorded as cut short; then it went on and stored the version.
            completed = replace(completed, steps=(_S.CONVERSION_PENDING, *completed.steps))
        self._completer.recover(Completion(completed=completed, request=request))

    def _compared(self, raw_hash: str, number: int) -> dict[str, Any] | None:
        """The comparison with a second conversion that the owner had stored and not counted yet (CNV-4)."""
        if COMPARISON not in self._artifacts.manifest(raw_hash, number).files:
            return None
        read: dict[str, Any] = json.loads(
            self._artifacts.read(store_ref(f"{layout.version_folder(raw_hash, number)}/{COMPARISON}"))
        )
        return read

    def _ensure_chunks(self, raw_hash: str, number: int) -> None:
        """Write the chunk set of a version whose owner died before writing it; it is derived from the texts."""
        chunking = self._runtime.settings.chunking
        folder = store_ref(layout.version_folder(raw_hash, number))
        pages = json.loads(self._artifacts.read(f"{folder}/pages.json"))
        archived = CanonicalText.from_archive(self._artifacts.read(f"{folder}/canonical.txt").decode())
        text = CanonicalText(archived.text, archived.pages, tuple(pages["breaks"]), pages["paginated"])
        anchors = PageAnchorMap.model_validate_json(self._artifacts.read(f"{folder}/anchors.json"))
        chunks = make_chunks(text, anchors, chunking)
        data = json.dumps(
            {
                "chunks": [json.loads(chunk.to_json()) for chunk in chunks],
                "chunk_hashes": list(hash_texts(chunk.span.of(text.text) for chunk in chunks)),
            },
            ensure_ascii=False,
            indent=1,
        ).encode()
        self._artifacts.put_chunks(raw_hash, number, config_version=chunking.version, data=data)
