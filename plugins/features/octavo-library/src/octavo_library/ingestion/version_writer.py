"""What came of a document, written down: a version's files first, then one transaction that ends its job (STO-8)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from octavo.conversion.outcome import ConversionFailed, ConvertedVersion, Outcome
from octavo.conversion.page_repair import origins
from octavo.conversion.results import failure_result, success_result
from octavo.documents.source import Source
from octavo.runtime import Runtime
from octavo_contracts import HardFailReason, IngestionResult, IngestionState, Intent

from ..storage import ArtifactStore, DocumentFacts, Index, Job, Step, document_id_for
from ..storage.version_files import chunk_file, to_files, version_refs
from .activation import HELD_BACK, ActivationGuard, HeldBack
from .attachment_jobs import Owing
from .claimed_job import Reserve, Task
from .follow_ups import Afterwards
from .job_completion import EndJob, as_text, ending, facts_of, now_text, with_comparison, with_ocr_pages, with_plugin
from .locked_documents import flags_of, for_the_opener, may_be_locked, without_the_try
from .readings_record import record
from .requests import BY_USER, IngestRequest
from .sampling.sampler import Finding
from .shared_fields import shareable_conversion, shareable_result
from .shipped_types import failed_type, with_shipped_type

_S = IngestionState


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
        held_back: why the stored version does not become the active one though nobody forbade it, or None.
    """

    task: Task
    result: IngestionResult
    end: EndJob
    version: int | None = None
    tool: str | None = None
    reason: HardFailReason | None = None
    waits: bool = False
    outcome: Outcome | None = None
    held_back: HeldBack | None = None


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
        self._guard = ActivationGuard(artifacts, index)

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
        activate: bool | None,
        finding: Finding | None = None,
    ) -> Ending:
        """Store a version's files; its index rows come with the ending.

        Args:
            task: the job and its document.
            outcome: what came of the conversion.
            version: the version to store.
            original: reference of the original.
            activate: whether it is the one that readers get, whatever it lost; None: unless it lost pages or text of
                the active one.
            finding: what came of a second conversion beside it; counted with the ending (CNV-4).
        """
        raw_hash = task.raw_hash
        document_id = document_id_for(raw_hash)
        tool = self._tool(task, version)
        held_back = None
        if activate is None:
            held_back = self._guard.check(raw_hash, texts=version.texts, conversion=version.conversion)
            activate = held_back is None
        if held_back is not None:
            tool[HELD_BACK] = held_back.as_json()
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
                findings=() if held_back is None else (held_back.finding(),),
            )
            shared = shareable_result(made, task.source, task.request, profile=self._profile(task))
            results[number] = with_shipped_type(shared, outcome, version, profile=task.request.options.profile)
            files = to_files(
                results[number],
                texts=version.texts,
                conversion=shareable_conversion(version.conversion, task.source),
                tool=tool,
                recognised=record(version.recognition),
                compared=compared,
            )
            self._reserve(sum(map(len, files.values())), task.request.options.cancel)
            return files

        above = task.above if task.above is not None else self._index.versions.highest(document_id)
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
            end = with_ocr_pages(end, document_id, tuple(pages))
        if compared is not None:
            end = with_comparison(end, compared, task.job, document_id=document_id, version=number)
        end = self.with_owed(end, result, facts, task.request, intent=task.job.intent, activate=activate)
        if task.request.options.password is not None and may_be_locked(flags_of(result)):
            end = for_the_opener(end, document_id, task.request, intent=task.job.intent)
        return Ending(task=task, result=result, end=end, version=number, tool=tool["plugin"], held_back=held_back)

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
        """The ending of a document that cannot be converted; with `waits` its job stays open (ENG-7)."""
        source = task.source
        failed = without_the_try(failed, source)
        result = failure_result(failed, source, sandbox_level=self.runtime.pool.level)
        result = failed_type(result, failed, profile=task.request.options.profile)
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
                return index.jobs.release(task.job, waiting_reason=reason)

            return Ending(task=task, result=result, end=wait, tool=failed.error.plugin, reason=reason, waits=True)
        inspection = failed.inspection
        facts = DocumentFacts(
            raw_hash=source.raw_file_hash,
            normalized_binary_hash=hashes.normalized_binary_hash,
            # Its name is no title: it may have come from where others may not look (STO-5).
            document_type=result.document_type,
            file_size=source.size,
            mime_type=inspection.detected.media_type if inspection else None,
            classification_json=as_text(result.classification),
            original_ref=result.original_artifact_ref,
        )
        step = Step(state=_S.CONVERSION_FAILED, step="convert", outcome="failed", error=failed.error.message)

        def end(index: Index) -> Job:
            return index.jobs.finish_failure(
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
        chosen = request.options.plugin if request.options.asked_by == BY_USER else None
        if activate and intent is Intent.RECONVERT and chosen is not None:
            end = with_plugin(end, document_id_for(facts.raw_hash), chosen)
        owed = self._afterwards.owed(facts, request) if activate else None
        if owed is None:
            return end
        owner = self._artifacts.owner

        def end_both(index: Index) -> Job:
            job = end(index)
            index.jobs.start(owed, owner=owner)
            return job

        return end_both

    def write_logs(self, raw_hashes: Sequence[str]) -> None:
        """Write the `processing_log.json` of documents anew, from the index (ENG-2)."""
        for raw_hash, log in self._index.jobs.processing_logs(raw_hashes).items():
            self._artifacts.write_log(raw_hash, log)
