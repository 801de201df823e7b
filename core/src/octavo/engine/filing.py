"""What came of a document, written down: a version's files first, then one transaction that ends its job (STO-8)."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from octavo_contracts import DocumentClassification, HardFailReason, IngestionResult, IngestionState, Intent

from ..conversion import failure_result, success_result
from ..outcome import ConversionFailed, ConvertedVersion, Outcome
from ..repair import origins
from ..runtime import Runtime
from ..sampling.sampler import Finding, to_record
from ..sources import Source
from ..store import (
    ArtifactStore,
    ConversionFacts,
    DocumentFacts,
    FinishedConversion,
    Index,
    Job,
    Sighting,
    Step,
    document_id_for,
)
from ..version_files import chunk_file, to_files, version_refs
from .afterwards import Afterwards
from .owing import Owing
from .requests import IngestRequest
from .shared_words import shareable_conversion, shareable_result

_S = IngestionState

EndJob = Callable[[Index], Job]
"""The write that ends a job, to be made in whatever transaction the writer has open."""

Reserve = Callable[[int, threading.Event | None], None]


@dataclass(frozen=True, kw_only=True)
class Task:
    """A claimed job and what it is about.

    Attributes:
        job: the claim.
        source: the open document.
        request: how it came in.
        path_ref: its path as a reference, or None for bytes.
        started: when the work began, ISO 8601.
        above: the highest version ever given out for the document, where that is known; None: it is looked up.
    """

    job: Job
    source: Source
    request: IngestRequest
    path_ref: str | None
    started: str
    above: int | None = None

    @property
    def raw_hash(self) -> str:
        """SHA-256 of the document."""
        return self.source.raw_file_hash

    @property
    def sighting(self) -> Sighting | None:
        """What the end of the job records of the way in; a reconversion is no new encounter."""
        return self.request.sighting(self.path_ref) if self.job.intent is Intent.INGEST else None


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How a job is to end.

    Attributes:
        task: the job and its document.
        result: what the caller is given once `end` is committed.
        end: makes the transitions and everything that is true with them.
        version: the stored version's number, or None for a failure.
        tool: the plugin whose conversion was stored; of one that waits, the plugin that could not work; or None.
        reason: why it failed, or None.
        waits: whether the job is left open, waiting for what `reason` says is missing.
        outcome: what came of the conversion, where versions besides this one are yet to be stored.
    """

    task: Task
    result: IngestionResult
    end: EndJob
    version: int | None = None
    tool: str | None = None
    reason: HardFailReason | None = None
    waits: bool = False
    outcome: Outcome | None = None


class Filing:
    """Stores versions and prepares the ends of jobs. Thread-safe.

    Args:
        runtime: its settings, and how far its workers are confined.
        artifacts: the library's files.
        index: the library's index.
        reserve: asked before bytes are written, with their number; returns when there is room for them (ENG-12).
        afterwards: what is owed to a document from the commit of its version on.
        owing: what came inside it, which is owed from then on as well.
    """

    def __init__(
        self,
        runtime: Runtime,
        artifacts: ArtifactStore,
        index: Index,
        *,
        reserve: Reserve,
        afterwards: Afterwards,
        owing: Owing,
    ) -> None:
        self.runtime = runtime
        self._reserve = reserve
        self._afterwards = afterwards
        self._owing = owing
        self._artifacts = artifacts
        self._index = index

    def original_ref(self, source: Source) -> str:
        """Bytes without a path are stored once; a user's file stays where it is (STO-1)."""
        if source.path is not None or source.original_ref.startswith("store:"):
            return source.original_ref
        self._reserve(source.size, None)
        with os.fdopen(os.dup(source.fd), "rb") as stream:
            stream.seek(0)
            return self._artifacts.put_original(
                source.raw_file_hash, extension=PurePath(source.name).suffix, stream=stream
            )

    def success(
        self,
        task: Task,
        outcome: Outcome,
        version: ConvertedVersion,
        *,
        original: str,
        activate: bool,
        finding: Finding | None = None,
    ) -> Ending:
        """Store a version's files; its index rows come with the ending.

        Args:
            task: the job and its document.
            outcome: what came of the conversion.
            version: the version to store.
            original: reference of the original.
            activate: whether it is the one that readers get.
            finding: what came of a second conversion beside it; counted with the ending (CNV-4).
        """
        raw_hash = task.raw_hash
        document_id = document_id_for(raw_hash)
        tool = self._tool(task, version)
        compared = finding.as_json() if finding is not None else None
        inside = self._owing.listing(version.conversion.attachments, task)
        results: dict[int, IngestionResult] = {}

        def files_of(number: int) -> dict[str, bytes]:
            made = success_result(
                outcome,
                version,
                task.source,
                version_refs(raw_hash, number, original=original),
                sandbox_level=self.runtime.pool.level,
                source_instance_id=task.request.instance_id(document_id),
                attachments=inside,
            )
            results[number] = shareable_result(made, task.source, task.request, profile=self._profile(task))
            conversion = shareable_conversion(version.conversion, task.source)
            files = to_files(results[number], texts=version.texts, conversion=conversion, tool=tool, compared=compared)
            self._reserve(sum(map(len, files.values())), task.request.options.cancel)
            return files

        above = task.above if task.above is not None else self._index.highest_version(document_id)
        number = self._artifacts.put_version(raw_hash, files_of, job_id=task.job.job_id, above=above)
        result = results[number]
        chunking = self.runtime.settings.chunking.version
        self._artifacts.put_chunks(raw_hash, number, config_version=chunking, data=chunk_file(result))
        facts = facts_of(
            result,
            size=task.source.size,
            media_type=outcome.inspection.detected.media_type,
        )
        end = ending(task.job, result, facts, tool, number, task.sighting, task.started, activate=activate)
        if pages := version.recognition.fingerprints:
            end = _with_ocr_pages(end, document_id, tuple(pages))
        if compared is not None:
            end = with_comparison(end, compared, task.job, document_id=document_id, version=number)
        end = self.with_owed(end, result, facts, task.request, intent=task.job.intent, activate=activate)
        return Ending(task=task, result=result, end=end, version=number, tool=tool["plugin"])

    def _profile(self, task: Task) -> str:
        return self.runtime.profile(task.request.options.profile).name

    def _tool(self, task: Task, version: ConvertedVersion) -> dict[str, Any]:
        plugin = version.candidate.plugin
        tool = {
            "plugin": plugin.name,
            "plugin_version": plugin.manifest.version,
            "engine_version": version.conversion.engine_version or plugin.engine_version,
            "because": version.candidate.because,  # as the owner reads it; whoever else reads the report's
            "profile": task.request.options.profile or self.runtime.settings.profile,
            "created_at": now_text(),
        }
        return tool | origins(version.repairs)

    def failure(self, task: Task, failed: ConversionFailed, *, waits: bool) -> Ending:
        """The ending of a document that can not be converted; with `waits` its job stays open (ENG-7)."""
        source = task.source
        result = failure_result(failed, source, sandbox_level=self.runtime.pool.level)
        result = shareable_result(result, source, task.request, profile=self._profile(task))
        instance = task.request.instance_id(document_id_for(source.raw_file_hash))
        hashes = result.content_hashes.model_copy(update={"source_instance_id": instance})
        original = self.original_ref(source)
        report = result.quality_report.model_copy(update={"source_ref": original})
        result = result.model_copy(
            update={"content_hashes": hashes, "original_artifact_ref": original, "quality_report": report}
        )
        reason = result.failure_receipts[0].reason_code
        if waits:

            def wait(index: Index) -> Job:
                return index.release(task.job, waiting_reason=reason)

            return Ending(task=task, result=result, end=wait, tool=failed.error.plugin, reason=reason, waits=True)
        inspection = failed.inspection
        facts = DocumentFacts(
            raw_hash=source.raw_file_hash,
            normalized_binary_hash=hashes.normalized_binary_hash,
            # Its name is no title: it may have come from where others may not look (STO-5).
            document_type=result.document_type,
            file_size=source.size,
            mime_type=inspection.detected.media_type if inspection else None,
            classification_json=_classification_json(result.classification),
            original_ref=result.original_artifact_ref,
        )
        step = Step(state=_S.CONVERSION_FAILED, step="convert", outcome="failed", error=failed.error.message)

        def end(index: Index) -> Job:
            return index.finish_failure(
                task.job, step, reason=reason, result_json=result.to_json(), document=facts, sighting=task.sighting
            )

        return Ending(task=task, result=result, end=end, reason=reason)

    def with_owed(
        self,
        end: EndJob,
        result: IngestionResult,
        facts: DocumentFacts,
        request: IngestRequest,
        *,
        intent: Intent,
        activate: bool,
    ) -> EndJob:
        """Also open, with the end of the job, the jobs for what is then to be done: see `Afterwards` and `Owing`."""
        end = self._owing.along(end, facts.raw_hash, result.attachments, request, intent=intent)
        owed = self._afterwards.owed(facts, request) if activate else None
        if owed is None:
            return end
        owner = self._artifacts.owner

        def end_both(index: Index) -> Job:
            job = end(index)
            index.start_job(owed, owner=owner)
            return job

        return end_both

    def write_logs(self, raw_hashes: Sequence[str]) -> None:
        """Write the `processing_log.json` of documents anew, from the index (ENG-2)."""
        for raw_hash, log in self._index.processing_logs(raw_hashes).items():
            self._artifacts.write_log(raw_hash, log)


def ending(
    job: Job,
    result: IngestionResult,
    facts: DocumentFacts,
    tool: dict[str, Any],
    number: int,
    sighting: Sighting | None,
    started: str,
    *,
    activate: bool,
) -> EndJob:
    """The write that ends a job whose version is stored."""
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
        ended_at=now_text(),
        outcome=report.user_visible_status,
        tool=f"{tool['plugin']} {tool['plugin_version']}",
    )
    skipped = (_S.EXTRACTION_PENDING, _S.EXTRACTED, _S.VERIFIED, _S.WRITTEN)
    way = (
        converted,
        _S.CLASSIFIED if result.classification else _S.CLASSIFICATION_FAILED,
        Step(state=_S.SUMMARIZED, skipped=True),
        _S.INDEXED,
        *(Step(state=state, skipped=True) for state in skipped),
        _S.COMPLETE if result.ingestion_status == "complete" else _S.DEGRADED_COMPLETE,
    )

    return FinishConversion(
        FinishedConversion(job=job, steps=way, document=facts, conversion=conversion, sighting=sighting)
    )


def _with_ocr_pages(end: EndJob, document_id: str, fingerprints: tuple[str, ...]) -> EndJob:
    """Also note, with the end of the job, which recognised pages the document has (ENG-29)."""

    def end_both(index: Index) -> Job:
        job = end(index)
        index.record_ocr_pages(document_id, fingerprints)
        return job

    return end_both


def with_comparison(end: EndJob, compared: dict[str, Any], job: Job, *, document_id: str, version: int) -> EndJob:
    """Also count, with the end of the job, that the document was converted twice: once, whatever is killed (CNV-4)."""
    record = to_record(compared, document_id=document_id, version=version, job_id=job.job_id, run_id=job.run_id)

    def end_both(index: Index) -> Job:
        ended = end(index)
        index.record_comparison(record)
        return ended

    return end_both


@dataclass(frozen=True, slots=True)
class FinishConversion:
    """Ends a job whose version is stored; many of a kind go in by the same few statements."""

    finished: FinishedConversion

    def __call__(self, index: Index) -> Job:
        """End this one."""
        one = self.finished
        return index.finish_conversion(
            one.job, *one.steps, document=one.document, conversion=one.conversion, sighting=one.sighting
        )

    @staticmethod
    def together(index: Index, many: Sequence[FinishConversion]) -> list[Job]:
        """End all of these, or none."""
        return index.finish_conversions([one.finished for one in many])


def facts_of(result: IngestionResult, *, size: int | None, media_type: str | None) -> DocumentFacts:
    """What the index keeps of a converted document."""
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


def now_text() -> str:
    """The time now, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat()
